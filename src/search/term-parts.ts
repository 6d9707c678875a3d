/** A score taken apart: what each word and prefix of a query gives to one document. From its tokens, not from postings. */
import { type Norms, termScore } from './bm25.ts'
import type { Segment } from './segment.ts'
import type { SoughtPrefix, SoughtWord } from './sought.ts'
import { termsOfPrefix } from './term-union.ts'

export interface TermPart {
  /** As the query has it. */
  readonly text: string
  /** As the index has it; `deploy*` for a prefix. */
  readonly term: string
  /** How often it stands in each field. */
  readonly counts: readonly number[]
  /** How many live documents have it. */
  readonly documents: number
  readonly score: number
}

interface Sought {
  readonly words: readonly SoughtWord[]
  readonly prefixes: readonly SoughtPrefix[]
  readonly norms: Norms
}

/** Those that stand in the document, in the order in which the score adds them up. */
export function termParts(segment: Segment, document: number, { words, prefixes, norms }: Sought): TermPart[] {
  const tokens = segment.tokens(document).slice()
  const scoreOf = (counts: readonly number[], importance: number): number =>
    termScore(importance, counts, 0, segment.fieldLengths, document, norms)
  const parts: TermPart[] = []
  for (const { word, documents, importance } of words) {
    const counts = countsOf(tokens, [segment.findTerm(word.term)], norms.weights.length)
    parts.push({ text: word.text, term: word.term, counts, documents, score: scoreOf(counts, importance) })
  }
  for (const { prefix, documents, importance } of prefixes) {
    const counts = countsOf(tokens, termsOfPrefix(segment, prefix), norms.weights.length)
    parts.push({ text: prefix.text, term: `${prefix.prefix}*`, counts, documents, score: scoreOf(counts, importance) })
  }
  return parts.filter(({ counts }) => counts.some((count) => count > 0))
}

function countsOf(tokens: Uint32Array, terms: readonly number[], fields: number): number[] {
  const wanted = new Set(terms)
  const counts = new Array<number>(fields).fill(0)
  let field = 0
  for (const token of tokens) {
    if (token === 0) field++
    else if (wanted.has(token - 1)) counts[field] = (counts[field] ?? 0) + 1
  }
  return counts
}
