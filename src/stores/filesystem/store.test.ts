import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { isNightly } from '../../../test/tier.ts'
import type { Store } from '../../ports/store.ts'
import { type StoreHarness, storeContract } from '../../testing/index.ts'
import { CAPABILITIES, filesystemStore } from './store.ts'

const opened = new Map<Store, { readonly root: string; readonly open: () => Store }>()

const harness: StoreHarness = {
  name: 'the store in files',
  capabilities: CAPABILITIES,
  movable: true,
  async open({ clock, newId }) {
    const root = join(mkdtempSync(join(tmpdir(), 'keepsake-contract-')), 'workspace')
    const open = (): Store => filesystemStore({ root, clock, newId, timezone: 'UTC' })
    const store = open()
    opened.set(store, { root, open })
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
    if (facts) rmSync(join(facts.root, '..'), { recursive: true, force: true })
  },
}

const cases = storeContract(harness, { seeds: isNightly ? [1, 2, 3, 4, 5, 6] : [1] })

describe('the store in files keeps the contract: it', () => {
  for (const { name, run } of cases) it(name, run)
})
