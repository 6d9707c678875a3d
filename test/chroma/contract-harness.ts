/** For the contract suite: stores that can be closed and opened again on the same records of a server. */

import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES } from '../../src/stores/chroma/store.ts'
import type { OpenOptions, StoreHarness } from '../../src/testing/harness.ts'

/** `place` makes room for a memory, and gives what opens a store on it. */
export function contractHarness(name: string, place: (options: OpenOptions) => Promise<() => Store>): StoreHarness {
  const openers = new Map<Store, () => Store>()
  const opened = (open: () => Store): Store => {
    const store = open()
    openers.set(store, open)
    return store
  }
  return {
    name,
    capabilities: CAPABILITIES,
    movable: true,
    open: async (options) => opened(await place(options)),
    async reopen(store) {
      const open = openers.get(store)
      if (!open) throw new Error('not one of ours')
      await store.close()
      return opened(open)
    },
    async dispose(store) {
      await store.close()
      openers.delete(store)
    },
  }
}
