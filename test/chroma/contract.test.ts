import { it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES, chromaStore } from '../../src/stores/chroma/store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { describeOnServer } from './server.ts'

const IS_FULL = process.env['KEEPSAKE_FAULTS'] === 'full'
const SAMPLE = 8

describeOnServer('the store on a real server keeps the contract: it', (server) => {
  const openers = new Map<Store, () => Store>()
  const cases = storeContract(
    {
      name: 'the store on a real server',
      capabilities: CAPABILITIES,
      movable: true,
      async open({ clock, newId }) {
        const place = await server.place()
        const open = (): Store => {
          const store = chromaStore({ place, clock, newId, timezone: 'UTC' })
          openers.set(store, open)
          return store
        }
        return open()
      },
      async reopen(store) {
        const open = openers.get(store)
        if (!open) throw new Error('not one of ours')
        await store.close()
        return open()
      },
      async dispose(store) {
        await store.close()
        openers.delete(store)
      },
    },
    IS_FULL ? {} : { seeds: [1], batches: 10 },
  )
  // The same store keeps all of it on records in RAM (store.test.ts): here it is about the server, and a sample tells that.
  for (const [n, { name, run }] of cases.entries()) if (IS_FULL || n % SAMPLE === 0) it.concurrent(name, run)
})
