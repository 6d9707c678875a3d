/**
 * The nearest of each row: of few rows exactly; of many most of them, as it takes seconds to compare all with all, for what no eye could
 * tell. Rows gather, some times over, around the nearest of a few that are drawn, and are compared with those who came to the same one.
 */
import type { Steps } from '../steps.ts'
import { VectorIndex } from '../vectors/vector-index.ts'
import { BestLists } from './best-lists.ts'
import type { DistinctRows } from './distinct-rows.ts'

/** So many are all compared. */
const FEW = 2000
/** With each one more is found of what lies on the border of two gatherings, and less than with the one before. */
const TIMES = 3
/** Rows that a processor has at hand while they are compared with one after the other. */
const AT_ONCE = 512

/** The `most` nearest of each row without itself, by the dot product. */
export function* nearRows(rows: DistinctRows, most: number): Steps<BestLists> {
  const all = Uint32Array.from({ length: rows.count }, (_, row) => row)
  const index = yield* indexOf(rows, all)
  const near = new BestLists(rows.count, most)
  if (rows.count <= FEW) yield* compare(all, rows, index, near)
  else {
    for (let time = 0; time < TIMES; time++) {
      for (const gathering of yield* gathered(all, rows, index, time)) yield* compare(gathering, rows, index, near)
    }
  }
  return near
}

function* indexOf({ values, dimensions }: DistinctRows, all: Uint32Array): Steps<VectorIndex> {
  const index = new VectorIndex(dimensions)
  for (let from = 0; from < all.length; from += AT_ONCE) {
    index.addAll(values.subarray(from * dimensions, (from + AT_ONCE) * dimensions), all.subarray(from, from + AT_ONCE))
    yield AT_ONCE
  }
  return index
}

/** Each two of them once. */
function* compare(some: Uint32Array, rows: DistinctRows, index: VectorIndex, near: BestLists): Steps<void> {
  for (const [n, row] of some.entries()) {
    const others = some.subarray(n + 1)
    const scores = index.scores(vectorOf(rows, row), others)
    for (let at = 0; at < others.length; at++) {
      const other = others[at] as number
      const score = scores[at] as number
      near.offer(row, other, score)
      near.offer(other, row, score)
    }
    yield others.length
  }
}

/** Around others each time. Rows are in an order that says nothing, so the next ones are as good as drawn. */
function* gathered(
  all: Uint32Array,
  rows: DistinctRows,
  index: VectorIndex,
  time: number,
): Steps<readonly Uint32Array[]> {
  const centres = Math.floor(Math.sqrt(all.length))
  const centreOf = new BestLists(all.length, 1)
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.subarray(from, from + AT_ONCE)
    for (let centre = 0; centre < centres; centre++) {
      const scores = index.scores(vectorOf(rows, time * centres + centre), some)
      for (let n = 0; n < some.length; n++) centreOf.offer(from + n, centre, scores[n] as number)
      yield some.length
    }
  }
  const gatherings: number[][] = Array.from({ length: centres }, () => [])
  for (const row of all) gatherings[centreOf.rows[row] as number]?.push(row)
  return gatherings.map((some) => Uint32Array.from(some))
}

function vectorOf({ values, dimensions }: DistinctRows, row: number): Float32Array {
  return values.subarray(row * dimensions, (row + 1) * dimensions)
}
