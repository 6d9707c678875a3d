import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES, fileStore } from '../../src/stores/file/store.ts'
import { storeContract } from '../../src/testing/index.ts'

const opened = new Map<Store, { readonly path: string; readonly open: () => Store }>()

const cases = storeContract(
  {
    name: 'the store in one file',
    capabilities: CAPABILITIES,
    movable: true,
    async open({ clock, newId }) {
      const path = join(mkdtempSync(join(tmpdir(), 'keepsake-contract-')), 'memory.keepsake')
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
    // Seed 91: one change restores entries and removes them again. test/file/random.nightly.test.ts runs many more seeds.
  },
  { seeds: [1, 91] },
)

describe('the store in one file keeps the contract: it', () => {
  for (const { name, run } of cases) it(name, run)
})
