/** 100,000 random batches on the store in one file and on the store in RAM: the same answers and the same memory, also after restarts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES, fileStore } from '../../src/stores/file/store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { seed } from '../tier.ts'

const STEPS = 100_000
/** Per seed. Each run compares the whole history again and again, so long runs are slow. */
const BATCHES = 500

const opened = new Map<Store, { readonly path: string; readonly open: () => Store }>()

const cases = storeContract(
  {
    name: 'the store in one file',
    capabilities: CAPABILITIES,
    async open({ clock, newId }) {
      const path = join(mkdtempSync(join(tmpdir(), 'keepsake-random-')), 'memory.keepsake')
      const open = (): Store => fileStore({ path, clock, newId, timezone: 'UTC' })
      const store = open()
      opened.set(store, { path, open })
      return store
    },
    async reopen(store) {
      const facts = opened.get(store)
      if (!facts) throw new Error('not one of ours')
      await store.close()
      const again = facts.open()
      opened.set(again, facts)
      return again
    },
    async dispose(store) {
      await store.close()
      const facts = opened.get(store)
      if (facts) rmSync(dirname(facts.path), { recursive: true, force: true })
    },
  },
  { seeds: Array.from({ length: STEPS / BATCHES / 2 }, (_, n) => seed + n), batches: BATCHES },
).filter(({ name }) => name.includes('random batches'))

describe(`the store in one file, seed ${seed} and the next ones:`, { timeout: 600_000 }, () => {
  for (const { name, run } of cases) it(name, run)
})
