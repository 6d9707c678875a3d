/** What a writer is told of its files, and that it is told nothing of another agent's. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Memory, openMemory } from '../memory.ts'
import type { Batch } from '../model/operation.ts'
import type { Store } from '../ports/store.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import { memoryStore } from '../stores/memory.ts'
import { applyAs } from './apply-as.ts'

let root: string
let memory: Memory

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-apply-as-'))
  // As a person spelled it.
  mkdirSync(join(root, 'agents/Main'), { recursive: true })
  memory = await openMemory({ store: filesystemStore({ root }) })
})

afterEach(async () => {
  await memory.close()
  rmSync(root, { recursive: true })
})

function editByHand(path: string): void {
  const file = join(root, path)
  writeFileSync(file, readFileSync(file, 'utf8').replace('First.', 'First, and a line by hand.'))
}

it("tells of an edit in the agent's own folder, however it is spelled", async () => {
  await memory.remember('First.', { name: 'note' })
  editByHand('agents/Main/entries/note.md')
  const { warnings } = await memory.remember('Second.', { name: 'note' })
  expect(warnings).toEqual([expect.stringMatching(/^agents\/Main\/entries\/note\.md had been edited by hand/)])
})

it("tells nothing of another agent's files, whose writer shares the turn", async () => {
  const own = ['agents/main/a.md', 'agents/MAIN/a.md', 'world/a.md', 'MEMORY.md'].map(unwritten)
  const others = ['agents/scout/a.md', 'agents/Scout/a.md', 'agents/mainframe/a.md', 'agents/mai/n/a.md'].map(unwritten)
  const store = memoryStore()
  const sharing: Store = {
    ...store,
    apply: async (batch, options) => ({ ...(await store.apply(batch, options)), warnings: [...others, ...own] }),
  }
  const batch: Batch = {
    origin: { by: 'agent', agent: 'main' },
    operations: [{ op: 'add', kind: 'note', scope: 'main', name: 'note', content: 'First.' }],
  }
  expect((await applyAs(sharing, 'main', batch, {})).warnings).toEqual(own)
})

function unwritten(path: string): string {
  return `${path} could not be written`
}
