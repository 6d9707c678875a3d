/** Files that came from a folder, kept on the server. */
import { describe, expect, it } from 'vitest'
import { RamMemory } from '../../../test/chroma/ram-memory.ts'
import { type Troubles, unreachable } from '../../../test/chroma/ram-shelf.ts'
import type { KeptFile } from '../../ports/store.ts'
import { allFiles, readDocument, refuseNoDocument, removeFilesOf, writeFiles } from './kept-files.ts'

const MANY = Array.from({ length: 1200 }, (_, n) => ({ id: `00000000-0000-7000-8000-${n}`, revision: `r${n}` }))

const FILES: readonly KeptFile[] = [
  { path: 'directives/memory.md', bytes: Buffer.from('\ufeffKeep what matters.\n'), entries: [] },
  { path: 'empty.md', bytes: Buffer.of(), entries: [] },
  { path: 'main/notes.md', bytes: Buffer.from('the secret\n'.repeat(9000)), entries: MANY },
  { path: 'main/ü 語.bin', bytes: Buffer.of(0, 255, 10, 254), entries: [{ id: 'other', revision: 'r' }] },
]

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function filled(): Promise<RamMemory> {
  const memory = new RamMemory()
  await writeFiles(memory.shelf, 'g', each([...FILES].reverse()))
  return memory
}

async function filesIn(memory: RamMemory): Promise<KeptFile[]> {
  const found: KeptFile[] = []
  for await (const file of allFiles(memory.shelf, 'g')) found.push({ ...file, bytes: Buffer.from(file.bytes) })
  return found
}

describe('kept files', () => {
  it('are given back to the byte, by path', async () => {
    expect(await filesIn(await filled())).toEqual(FILES)
    expect(await filesIn(new RamMemory())).toEqual([])
  })

  it('are found by the name of a document', async () => {
    const { shelf } = await filled()
    expect(await readDocument(shelf, 'g', 'directives/memory.md')).toBe('\ufeffKeep what matters.\n')
    expect(await readDocument(shelf, 'g', 'empty.md')).toBe('')
    expect(await readDocument(shelf, 'g', 'none.md')).toBeUndefined()
    expect(await readDocument(shelf, 'other', 'empty.md')).toBeUndefined()
    expect(() => refuseNoDocument('../secret.md')).toThrow(expect.objectContaining({ code: 'INVALID' }))
  })

  it('are damaged where a part is lost', async () => {
    const memory = await filled()
    for (const { id, labels } of [...memory.shelf.records.values()]) {
      if (labels['kind'] === 'p') memory.shelf.records.delete(id)
    }
    await expect(filesIn(memory)).rejects.toMatchObject({ code: 'DAMAGED' })
  })

  it('go with the entries whose texts they hold, also where a removal was cut short', async () => {
    const ids = new Set([MANY[700]?.id ?? ''])
    for (let calls = 0; ; calls++) {
      const memory = await filled()
      let left = calls
      const troubles: Troubles = {
        before: (request) => {
          if (left-- <= 0) throw unreachable(request)
        },
      }
      const first = await removeFilesOf(memory.shelf.another(troubles), 'g', ids).catch(() => 'cut short')
      const again = await removeFilesOf(memory.shelf, 'g', ids)
      expect(await filesIn(memory), `after ${calls} calls`).toEqual(FILES.filter(({ entries }) => entries !== MANY))
      expect(memory.everything, `after ${calls} calls`).not.toContain('the secret')
      if (first === 'cut short') continue
      expect([first, again]).toEqual([1, 0])
      break
    }
  })
})
