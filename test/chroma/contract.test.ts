/** The contract suite on a real server. Cases that need what the store lacks are skipped, with the store's reason. */
import { expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES, chromaStore } from '../../src/stores/chroma/store.ts'
import type { StoreHarness } from '../../src/testing/harness.ts'
import { storeContract } from '../../src/testing/index.ts'
import { isNightly } from '../tier.ts'
import { describeOnServer } from './server.ts'

describeOnServer('the store on a Chroma server keeps the contract: it', (server) => {
  const openers = new Map<Store, () => Store>()
  const opened = (open: () => Store): Store => {
    const store = open()
    openers.set(store, open)
    return store
  }
  const harness: StoreHarness = {
    name: 'Chroma',
    capabilities: CAPABILITIES,
    movable: true,
    async open({ clock, newId }) {
      const place = await server.place()
      return opened(() => chromaStore({ place, clock, newId, timezone: 'UTC' }))
    },
    async reopen(store) {
      const open = openers.get(store)
      if (!open) throw new Error('the harness did not open this store')
      await store.close()
      return opened(open)
    },
    async dispose(store) {
      await store.close()
      openers.delete(store)
    },
  }
  const cases = storeContract(harness, isNightly ? {} : { seeds: [1], batches: 20 })
  for (const { name, run } of cases.filter(({ skip }) => skip === undefined)) it.concurrent(name, run)

  it('is skipped only for lacks that the store declares', () => {
    const reasons = new Set(cases.flatMap(({ skip }) => skip ?? []))
    const declared = Object.values(CAPABILITIES).filter((value) => value !== true)
    expect([...reasons].filter((reason) => !declared.includes(reason))).toEqual([])
  })
})
