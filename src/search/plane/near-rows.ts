/**
 * The nearest of each row: of few rows exactly, of many nearly all. Rows gather around some of them, and each is compared with those that
 * gathered where it is near; to compare all with all would take seconds for what no eye could tell.
 */
import type { Steps } from '../steps.ts'
import { VectorIndex } from '../vectors/vector-index.ts'
import { BestLists } from './best-lists.ts'
import type { DistinctRows } from './distinct-rows.ts'

/** So many are all compared with each other. */
const FEW = 1000
/** Of √n gatherings. */
const GATHERINGS_ASKED = 6

/** The `most` nearest of each row without itself, by the dot product. */
export function* nearRows(rows: DistinctRows, most: number): Steps<BestLists> {
  const index = new VectorIndex(rows.dimensions)
  index.addAll(rows.values, new Uint32Array(rows.count))
  const candidatesOf = rows.count <= FEW ? everybody(rows) : yield* gathered(rows, index)
  const near = new BestLists(rows.count, most)
  for (let row = 0; row < rows.count; row++) {
    const candidates = candidatesOf(row)
    const scores = index.scores(vectorOf(rows, row), candidates)
    for (let n = 0; n < candidates.length; n++) {
      const other = candidates[n] as number
      if (other !== row) near.offer(row, other, scores[n] as number)
    }
    yield candidates.length
  }
  return near
}

/** Valid until it is asked again. */
type Candidates = (row: number) => Uint32Array

function everybody({ count }: DistinctRows): Candidates {
  const all = Uint32Array.from({ length: count }, (_, row) => row)
  return () => all
}

function* gathered(rows: DistinctRows, index: VectorIndex): Steps<Candidates> {
  const centres = Math.round(Math.sqrt(rows.count)) // the first rows are as good as drawn
  const all = Uint32Array.from({ length: rows.count }, (_, row) => row)
  const nearest = new BestLists(rows.count, GATHERINGS_ASKED)
  for (let centre = 0; centre < centres; centre++) {
    const scores = index.scores(vectorOf(rows, centre), all)
    for (let row = 0; row < rows.count; row++) nearest.offer(row, centre, scores[row] as number)
    yield rows.count
  }
  const members = membersOf(nearest, rows.count, centres)
  const candidates = new Uint32Array(rows.count)
  return (row) => {
    let count = 0
    for (const centre of nearest.of(row)) {
      const some = members[centre] as Uint32Array
      candidates.set(some, count)
      count += some.length
    }
    return candidates.subarray(0, count)
  }
}

function membersOf(nearest: BestLists, rows: number, centres: number): readonly Uint32Array[] {
  const members: number[][] = Array.from({ length: centres }, () => [])
  for (let row = 0; row < rows; row++) members[nearest.of(row)[0] as number]?.push(row)
  return members.map((some) => Uint32Array.from(some))
}

function vectorOf({ values, dimensions }: DistinctRows, row: number): Float32Array {
  return values.subarray(row * dimensions, (row + 1) * dimensions)
}
