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
    const add = (document: number, column: number, counts: ArrayLike<number>, countsAt: number): void => {
      const row = rowOf[base + document] ?? 0
      if (row === 0 || segment.removed.has(document)) return
      const at = (row - 1) * columns + column
      out[at] = (out[at] ?? 0) + weightOf(counts, countsAt, segment.fieldLengths, document, norms)
    }
    for (const [column, { postings }] of words.entries()) {
      const here = postings[which]
      if (!here) continue
      for (let i = here.start; i < here.end; i++) {
        add(here.documents[i] ?? 0, column, segment.counts, (here.codes[i] ?? 0) * fields)
      }
    }
    for (const [n, { unions }] of prefixes.entries()) {
      const here = unions[which]
      if (!here) continue
      for (let i = 0; i < here.documents.length; i++) {
        add(here.documents[i] ?? 0, words.length + n, here.counts, i * fields)
      }
    }
  }
  return out
}

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
  return weight
}
