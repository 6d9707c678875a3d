import { describe, it } from 'vitest'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { RamShelf } from '../../../test/chroma/ram-shelf.ts'
import type { Store } from '../../ports/store.ts'
import { storeContract } from '../../testing/index.ts'
import { CAPABILITIES, storeOn } from './store.ts'

const openers = new Map<Store, () => Store>()

const cases = storeContract({
  name: 'the store on a server in RAM',
  capabilities: CAPABILITIES,
  movable: true,
  async open({ clock, newId }) {
    const shelf = new RamShelf()
    const open = (): Store => {
      const store = storeOn(ramConnection(shelf.another()), { clock, newId, timezone: 'UTC' })
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
})

describe('the store on a server keeps the contract: it', () => {
  for (const { name, run } of cases) it(name, run)
})
