/** Several terms of a segment as one: the documents that have any of them, with their counts by field summed. */
import type { QueryPrefix } from './query.ts'
import type { Segment } from './segment.ts'

export interface TermUnion {
  /** In no order; removed ones too. */
  readonly documents: Uint32Array
  readonly counts: Uint32Array
  /** How many of the documents are not removed. */
  readonly live: number
}

/** The terms that begin so, and the one that the bare word would be: `deploys*` finds "deploy" too. */
export function termsOfPrefix(segment: Segment, { prefix, term }: QueryPrefix): readonly number[] {
  const terms = segment.termsWithPrefix(prefix)
  const exact = segment.findTerm(term)
  return exact >= 0 && !terms.includes(exact) ? [...terms, exact] : terms
}

/** By document: where it stands in the union + 1. All 0 between two calls. */
let slots = new Uint32Array(0)

export function unionOf(segment: Segment, terms: readonly number[]): TermUnion {
  if (slots.length < segment.documents) slots = new Uint32Array(Math.ceil(segment.documents * 1.25))
  const fields = segment.lengthSums.length
  const all = terms.map((term) => segment.postings(term))
  const most = Math.min(
    segment.documents,
    all.reduce((sum, { start, end }) => sum + end - start, 0),
  )
  const documents = new Uint32Array(most)
  const counts = new Uint32Array(most * fields)
  let size = 0
  let live = 0
  for (const postings of all) {
    for (let i = postings.start; i < postings.end; i++) {
      const document = postings.documents[i] as number // within the postings
      // What a damaged file may say: its slot would not be cleared.
      if (document >= segment.documents) continue
      let slot = slots[document] as number
      if (slot === 0) {
        documents[size++] = document
        slot = size
        slots[document] = slot
        if (!segment.removed.has(document)) live++
      }
      const from = (postings.codes[i] as number) * fields
      const to = (slot - 1) * fields
      for (let field = 0; field < fields; field++) {
        counts[to + field] = (counts[to + field] ?? 0) + (segment.counts[from + field] ?? 0)
      }
    }
  }
  for (let i = 0; i < size; i++) slots[documents[i] as number] = 0
  return { documents: documents.subarray(0, size), counts, live }
}
