/**
 * The pieces of entries in the collection `memories`. The first record of an entry says how many there are, and is written before the
 * others: whoever is cut short leaves no piece that nobody knows of, so the next one can replace all of them. Two who write at once may
 * mix theirs: what is read says whether it is whole and of the entry as it is, and what is to go is looked for by its entry.
 */
import type { CallOptions } from '../../../ports/store.ts'
import type { EntryVectors, StoredVectors } from '../../../ports/vectors.ts'
import type { StoredVector, VectorRecord, VectorShelf } from '../server/vector-shelf.ts'
import { countIn, hashIn, pieceIds, pieceRecords, revisionIn } from './piece-record.ts'

/** So many are asked for in one request, and requests side by side. */
const AT_ONCE = 300
/** Entries in one condition. */
const ENTRIES_AT_ONCE = 100

/** In place of what these entries had. */
export async function writePieces(
  shelf: VectorShelf,
  entries: readonly EntryVectors[],
  options?: CallOptions,
): Promise<void> {
  const firsts = await shelf.get(
    entries.map(({ entry }) => entry.id),
    options,
  )
  const records = entries.map(pieceRecords)
  const surplus = entries.flatMap(({ entry: { id } }, n) => surplusOf(id, firsts.get(id), records[n] ?? []))
  if (surplus.length > 0) await shelf.remove(surplus.toReversed(), options) // the first of an entry at last
  const first = records.flatMap((some) => some.slice(0, 1))
  if (first.length > 0) await shelf.put(first, options)
  const others = records.flatMap((some) => some.slice(1))
  if (others.length > 0) await shelf.put(others, options)
}

/** All where the first has lost something: a shelf removes it then before it is put, and the others would be nobody's if that failed. */
function surplusOf(id: string, before: StoredVector | undefined, now: readonly VectorRecord[]): readonly string[] {
  const given = now[0]?.metadata ?? {}
  const hasLost = Object.keys(before?.metadata ?? {}).some((key) => given[key] === undefined)
  return pieceIds(id, hasLost ? 0 : now.length, countOf(before))
}

export async function removePieces(shelf: VectorShelf, ids: readonly string[], options?: CallOptions): Promise<void> {
  for (const some of lotsOf(ids, ENTRIES_AT_ONCE)) {
    const pieces = await shelf.ids({ entry: some }, options)
    if (pieces.length > 0) await shelf.remove(pieces, options)
  }
}

/** In their order; only what is there. `revisionOf`: of the entry as it is. */
export async function readPieces(
  shelf: VectorShelf,
  ids: readonly string[],
  revisionOf: (id: string) => string | undefined,
  options?: CallOptions,
): Promise<ReadonlyMap<string, StoredVectors>> {
  const firsts = await getAll(shelf, ids, options)
  const others = await getAll(
    shelf,
    [...firsts].flatMap(([id, first]) => pieceIds(id, 1, countOf(first))),
    options,
  )
  const read = new Map<string, StoredVectors>()
  for (const [id, first] of firsts) {
    const all = [first, ...pieceIds(id, 1, countOf(first)).map((piece) => others.get(piece))]
    const there = all.filter((piece) => piece !== undefined)
    const revision = revisionOf(id)
    read.set(id, {
      pieces: there.map(({ vector, metadata }) => ({ hash: hashIn(metadata), vector })),
      isCurrent: all.every((piece) => piece !== undefined && revisionIn(piece.metadata) === revision),
    })
  }
  return read
}

async function getAll(
  shelf: VectorShelf,
  ids: readonly string[],
  options: CallOptions | undefined,
): Promise<ReadonlyMap<string, StoredVector>> {
  const got = await Promise.all(lotsOf(ids, AT_ONCE).map((some) => shelf.get(some, options)))
  return new Map(got.flatMap((some) => [...some]))
}

function lotsOf(ids: readonly string[], most: number): string[][] {
  const lots: string[][] = []
  for (let from = 0; from < ids.length; from += most) lots.push(ids.slice(from, from + most))
  return lots
}

function countOf(first: StoredVector | undefined): number {
  return first ? countIn(first.metadata) : 0
}
