/** The words and prefixes of a query, looked up in every segment: their postings, and how rare they are in all of them. */
import { idf } from './bm25.ts'
import type { QueryPrefix, QueryWord } from './query.ts'
import type { Postings, Segment } from './segment.ts'
import { type TermUnion, termsOfPrefix, unionOf } from './term-union.ts'

/** A word of the query with what is known of it: its postings in each segment, if it is there. */
export interface SoughtWord {
  readonly word: QueryWord
  readonly documents: number
  /** The most it can give: its weight times its idf. */
  readonly importance: number
  readonly postings: readonly (Postings | undefined)[]
}

export interface SoughtPrefix {
  readonly prefix: QueryPrefix
  readonly documents: number
  readonly importance: number
  readonly unions: readonly TermUnion[]
}

export function seekWord(word: QueryWord, segments: readonly Segment[], total: number): SoughtWord {
  let documents = 0
  const postings = segments.map((segment) => {
    const term = segment.findTerm(word.term)
    if (term < 0) return undefined
    documents += segment.documentsWith(term)
    return segment.postings(term)
  })
  return { word, documents, importance: word.weight * idf(total, documents), postings }
}

export function seekPrefix(prefix: QueryPrefix, segments: readonly Segment[], total: number): SoughtPrefix {
  const unions = segments.map((segment) => unionOf(segment, termsOfPrefix(segment, prefix)))
  const documents = unions.reduce((sum, { live }) => sum + live, 0)
  return { prefix, documents, importance: idf(total, documents), unions }
}
