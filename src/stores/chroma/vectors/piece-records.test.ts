/** Whether pieces count is told by themselves: all of them are there, and of the entry as it is; and they go by their entry, not by each other. */
import { expect, it } from 'vitest'
import { RamVectors } from '../../../../test/chroma/ram-vectors.ts'
import type { Entry } from '../../../model/entry.ts'
import type { EntryVectors } from '../../../ports/vectors.ts'
import { apply, note } from '../../../testing/requests.ts'
import { memoryStore } from '../../memory.ts'
import { readPieces, removePieces, writePieces } from './piece-records.ts'

async function entryOf(content: string): Promise<Entry> {
  const [entry] = (await apply(memoryStore(), [note('name', { content })])).entries
  if (!entry) throw new Error('nothing was added')
  return entry
}

function vectorsOf(entry: Entry, count: number, of: number = count): EntryVectors {
  const pieces = Array.from({ length: count }, (_, n) => ({ hash: `h${n}`, vector: Float32Array.of(1, n) }))
  return { entry, pieces, of }
}

async function shelfWith(...all: readonly EntryVectors[]): Promise<RamVectors> {
  const shelf = new RamVectors()
  await shelf.begin({})
  for (const one of all) await writePieces(shelf, [one])
  return shelf
}

it.each([
  { what: 'all', count: 3, of: 3, isOther: false, isCurrent: true },
  { what: 'some that are not all', count: 2, of: 3, isOther: false, isCurrent: false },
  { what: 'those of another revision', count: 3, of: 3, isOther: true, isCurrent: false },
])('reads $what: $isCurrent', async ({ count, of, isOther, isCurrent }) => {
  const entry = await entryOf('text')
  const shelf = await shelfWith(vectorsOf(entry, count, of))
  const read = await readPieces(shelf, [entry.id], () => (isOther ? 'another' : entry.revision))
  expect(read.get(entry.id)?.isCurrent).toBe(isCurrent)
  expect(read.get(entry.id)?.pieces.map(({ hash }) => hash)).toEqual(['h0', 'h1', 'h2'].slice(0, count))
})

it('takes none for current where two who wrote at once have mixed theirs', async () => {
  const entry = await entryOf('text')
  const shelf = await shelfWith(vectorsOf(entry, 3))
  const late = shelf.another()
  let puts = 0
  late.before = (name) => {
    if (name === 'put' && ++puts === 2) throw new Error('stopped')
  }
  await expect(writePieces(late, [vectorsOf({ ...entry, revision: 'older' }, 3)])).rejects.toThrow('stopped')
  for (const revision of ['older', entry.revision]) {
    expect((await readPieces(shelf, [entry.id], () => revision)).get(entry.id)?.isCurrent).toBe(false)
  }
})

it('removes what has lost its first too', async () => {
  const entry = await entryOf('text')
  const shelf = await shelfWith(vectorsOf(entry, 3))
  await shelf.remove([entry.id])
  await removePieces(shelf, [entry.id])
  expect(shelf.records.size).toBe(0)
})
