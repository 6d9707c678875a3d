/** A folder that was at rest at the last checkpoint is not listed again; what hands do there is seen all the same. */
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statFile } from '../../src/stores/disk/reading.ts'
import { readCheckpoint } from '../../src/stores/filesystem/checkpoint.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'

/** So many that a store leaves a checkpoint when it is closed. */
const NOTES = 40
const FOLDER = 'agents/main/entries/'

let base: string
let root: string
let store: FilesystemStore

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-at-rest-'))
  root = join(base, 'ws')
  const first = filesystemStore({ root })
  await first.apply({
    operations: Array.from({ length: NOTES }, (_, n) => ({
      op: 'add',
      scope: 'main',
      kind: 'note',
      name: `n${n}`,
      content: `about ${n}`,
    })),
    origin: { by: 'agent', agent: 'main' },
  })
  await first.close()
  store = filesystemStore({ root })
})
afterEach(async () => {
  await store.close()
  rmSync(base, { recursive: true, force: true })
})

function at(name: string): string {
  return join(root, FOLDER, name)
}

async function names(): Promise<(string | null)[]> {
  return (await store.heads({ scopes: ['main'] })).map(({ name }) => name)
}

describe('a folder at rest', () => {
  it('is known as such by the checkpoint', () => {
    const known = readCheckpoint(join(root, '.state'))?.catalog.files
    expect(known?.textsIn(FOLDER, statFile(join(root, FOLDER.slice(0, -1))))).toBe(NOTES)
  })

  const hands: Readonly<Record<string, { readonly act: () => void; readonly edits: number; readonly count: number }>> =
    {
      'a file that was added': { act: () => writeFileSync(at('new.md'), 'By hand.\n'), edits: 1, count: NOTES + 1 },
      'a file that was removed': { act: () => rmSync(at('n3.md')), edits: 1, count: NOTES - 1 },
      'a file that was written to': { act: () => appendFileSync(at('n3.md'), 'By hand.\n'), edits: 1, count: NOTES },
      'a file that was renamed': { act: () => renameSync(at('n3.md'), at('moved.md')), edits: 1, count: NOTES },
      'one that was added and one removed': {
        act: () => {
          writeFileSync(at('new.md'), 'By hand.\n')
          rmSync(at('n3.md'))
        },
        edits: 2,
        count: NOTES,
      },
      'one that was replaced by a text of the same size and time': {
        act: () => {
          const { atime, mtime } = statFile(at('n3.md')) ?? {}
          writeFileSync(at('n3.md'), readFileSync(at('n3.md'), 'utf8').replace('about', 'ABOUT'))
          utimesSync(at('n3.md'), atime ?? 0, mtime ?? 0)
        },
        edits: 1,
        count: NOTES,
      },
      'nothing in a copy of the folder in its place': {
        act: () => {
          cpSync(join(root, FOLDER), join(base, 'copy'), { recursive: true })
          rmSync(join(root, FOLDER), { recursive: true })
          renameSync(join(base, 'copy'), join(root, FOLDER))
        },
        edits: 0,
        count: NOTES,
      },
    }
  for (const [name, { act, edits, count }] of Object.entries(hands)) {
    it(`shows ${name}`, async () => {
      expect((await store.feed(undefined, { edits: ['main'] })).edits).toEqual([])
      act()
      expect((await store.feed(undefined, { edits: ['main'] })).edits).toHaveLength(edits)
      expect(await names()).toHaveLength(count)
      expect((await store.feed(undefined, { edits: ['main'] })).edits, 'asked again').toHaveLength(edits)
    })
  }
})
