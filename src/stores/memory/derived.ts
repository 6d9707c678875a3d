/** What others keep beside the entries: derived bytes, and leases for long work. */
import type { Derived, Lease } from '../../ports/store.ts'
import type { Enter } from './enter.ts'

export function memoryDerived(enter: Enter, epoch: () => string): Derived & { forget(): void } {
  const kept = new Map<string, Uint8Array>()
  return {
    async read(key) {
      enter()
      return kept.get(key)?.slice()
    },
    async write(key, bytes, madeFrom) {
      enter()
      if (madeFrom && madeFrom.epoch !== epoch()) return false
      kept.set(key, bytes.slice())
      return true
    },
    forget: () => kept.clear(),
  }
}

export function memoryLeases(enter: Enter): (name: string) => Promise<Lease | undefined> {
  const holders = new Map<string, Lease>()
  return async (name) => {
    enter()
    if (holders.has(name)) return undefined
    const lease: Lease = {
      async release() {
        // A second release must not end the lease of whoever holds it by now.
        if (holders.get(name) === lease) holders.delete(name)
      },
    }
    holders.set(name, lease)
    return lease
  }
}
