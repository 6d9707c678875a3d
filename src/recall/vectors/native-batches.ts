/** Entries with the pieces of their texts, a few at a time: what is read from the store, embedded and put there together. */
import type { Entry } from '../../model/entry.ts'
import { digest32 } from '../../model/revision.ts'
import type { PieceVector } from '../../ports/vectors.ts'
import { piecesOf } from '../pieces.ts'

const MOST_ENTRIES = 64
/** About. */
const MOST_PIECES = 64

export interface PiecedEntry {
  readonly entry: Entry
  /** Texts by their hash, those of its text before its name: the first stands for it where others read the store. */
  readonly texts: ReadonlyMap<string, string>
}

/** In the order of `seq`, from behind the one that is given. */
export async function* batches(
  entries: AsyncIterable<Entry>,
  afterSeq: number,
): AsyncGenerator<readonly PiecedEntry[]> {
  let some: PiecedEntry[] = []
  let pieces = 0
  for await (const entry of entries) {
    if (entry.seq <= afterSeq) continue
    const texts = textsOf(entry)
    some.push({ entry, texts })
    pieces += texts.size
    if (some.length < MOST_ENTRIES && pieces < MOST_PIECES) continue
    yield some
    some = []
    pieces = 0
  }
  if (some.length > 0) yield some
}

function textsOf(entry: Entry): ReadonlyMap<string, string> {
  const pieces = piecesOf(entry)
  const isNamed = pieces.length > 1 && pieces[0] === (entry.name ?? entry.key)?.trim()
  const ordered = isNamed ? [...pieces.slice(1), ...pieces.slice(0, 1)] : pieces
  return new Map(ordered.map((piece) => [digest32(piece), piece]))
}

/** As far as they are known. */
export function piecesIn(texts: ReadonlyMap<string, string>, known: ReadonlyMap<string, Float32Array>): PieceVector[] {
  return [...texts.keys()].flatMap((hash) => {
    const vector = known.get(hash)
    return vector ? [{ hash, vector }] : []
  })
}
