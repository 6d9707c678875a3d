/**
 * How much each word of a query weighs in chosen documents, before saturation: BM25F's `a`. One more pass over the words'
 * postings, with rows only for what was chosen, so that a second look at a few hundred documents costs no more than the first.
 */
import type { Norms } from './bm25.ts'
import type { SoughtPrefix, SoughtWord } from './search.ts'
import type { FieldLengths, Segment } from './segment.ts'

export interface Weighed {
  readonly segments: readonly Segment[]
  readonly bases: Uint32Array
  readonly words: readonly SoughtWord[]
  readonly prefixes: readonly SoughtPrefix[]
  readonly norms: Norms
}

/**
 * `rowOf[handle]` is the row of a document, from 1; 0 for none. Several documents may have one row: their weights are added up.
 * The result has a column for each word and then each prefix: `result[(row - 1) * columns + column]`.
 */
export function wordWeights(weighed: Weighed, rowOf: Uint32Array, rows: number): Float64Array {
  const { segments, bases, words, prefixes, norms } = weighed
  const columns = words.length + prefixes.length
  const out = new Float64Array(rows * columns)
  const fields = norms.weights.length
  for (const [which, segment] of segments.entries()) {
    const base = bases[which] ?? 0
    const add = (column: number, document: number, counts: ArrayLike<number>, countsAt: number): void => {
      if (segment.removed.has(document)) return
      const at = ((rowOf[base + document] ?? 0) - 1) * columns + column
      out[at] = (out[at] ?? 0) + weightOf(counts, countsAt, segment.fieldLengths, document, norms)
    }
    for (const [column, { postings }] of words.entries()) {
      const here = postings[which]
      if (!here) continue
      const { documents, codes, start, end } = here
      let at = nextChosen(documents, start, end, rowOf, base)
      for (; at < end; at = nextChosen(documents, at + 1, end, rowOf, base)) {
        add(column, documents[at] ?? 0, segment.counts, (codes[at] ?? 0) * fields)
      }
    }
    for (const [n, { unions }] of prefixes.entries()) {
      const here = unions[which]
      if (!here) continue
      const { documents, counts } = here
      let at = nextChosen(documents, 0, documents.length, rowOf, base)
      for (; at < documents.length; at = nextChosen(documents, at + 1, documents.length, rowOf, base)) {
        add(words.length + n, documents[at] ?? 0, counts, at * fields)
      }
    }
  }
  return out
}

/** Where the next document stands that has a row. A loop of its own, for it sees them all and nearly none has one. */
function nextChosen(documents: Uint32Array, from: number, end: number, rowOf: Uint32Array, base: number): number {
  for (let i = from; i < end; i++) {
    // `| 0` keeps the sum in whole numbers of the machine.
    if ((rowOf[(base + ((documents[i] as number) | 0)) | 0] as number) > 0) return i
  }
  return end
}

/** Weights are whole multiples of a grain, so that sums of them are exact: the same in whatever order segments bring them. */
const GRAIN = 2 ** 32

function weightOf(
  counts: ArrayLike<number>,
  countsAt: number,
  lengths: FieldLengths,
  document: number,
  norms: Norms,
): number {
  let weight = 0
  for (let field = 0; field < norms.weights.length; field++) {
    const count = counts[countsAt + field] ?? 0
    if (count === 0) continue
    const length = lengths.values[field * lengths.stride + document] ?? 0
    weight += ((norms.weights[field] ?? 0) * count) / ((norms.bases[field] ?? 0) + (norms.slopes[field] ?? 0) * length)
  }
  return Math.round(weight * GRAIN) / GRAIN
}
