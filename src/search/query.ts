/**
 * What a query asks for, in terms of the index. Words are alternatives and each scores; phrases must occur; what `not`
 * names must not. Any text at all is a query: the worst it can be is empty.
 */
import type { Analyzer } from './analyzer.ts'
import { widthAt } from './char-class.ts'
import { asText, clausesOf } from './query-clauses.ts'
import { QueryReading } from './query-reading.ts'

export interface Query {
  /** Each term once. */
  readonly words: readonly QueryWord[]
  /** Each must occur as a run of tokens within one field. Their words are among `words` too, and score. */
  readonly phrases: readonly QueryPhrase[]
  readonly prefixes: readonly QueryPrefix[]
  readonly not: readonly (QueryWord | QueryPhrase | QueryPrefix)[]
  /** Stop words that were dropped, as typed. */
  readonly ignored: readonly string[]
}

/** In all of these, `text` is as typed: `deploys`, `"smoke tests"`, `deploy*`; without the minus of a `not`. */
export interface QueryWord {
  readonly type: 'word'
  readonly text: string
  readonly term: string
  /** How often the query says it. */
  readonly weight: number
}

export interface QueryPhrase {
  readonly type: 'phrase'
  readonly text: string
  readonly terms: readonly string[]
}

export interface QueryPrefix {
  readonly type: 'prefix'
  readonly text: string
  /** Folded, not stemmed. */
  readonly prefix: string
  /** The stem of the bare word, for terms are stems: `happiness*` must find `happi`. */
  readonly term: string
}

/** Of a longer query only the beginning counts, in UTF-16 units: a pasted document is answered too, and fast. */
export const LONGEST_QUERY = 10_000

/** Most have a plain one, and need no pattern for the letters of all scripts, which takes V8 a while to make. */
export function hasSmallLetters(text: string): boolean {
  return /[a-z]/.test(text) || /\p{Ll}/u.test(text)
}

export function parseQuery(text: string, analyzer: Analyzer): Query {
  const query = cutQuery(text.trimStart())
  const clauses = clausesOf(query)
  const reading = new QueryReading(analyzer, hasSmallLetters(query))
  for (const clause of clauses) if (!clause.negated) reading.take(clause)
  if (reading.isEmpty) {
    for (const clause of clauses) if (clause.negated) reading.take(asText(clause))
  } else {
    for (const clause of clauses) if (clause.negated) reading.exclude(clause)
  }
  return reading.query()
}

/** Cut before the word that does not fit, or within one that is too long by itself, but never within a character. */
function cutQuery(text: string): string {
  if (text.length <= LONGEST_QUERY) return text
  let end = LONGEST_QUERY
  while (end > 0 && isInWord(text, end)) end--
  if (end === 0) end = widthAt(text, LONGEST_QUERY - 1) === 2 ? LONGEST_QUERY - 1 : LONGEST_QUERY
  return text.slice(0, end)
}

function isInWord(text: string, at: number): boolean {
  return !/\s/.test(text[at] ?? ' ') && !/\s/.test(text[at - 1] ?? ' ')
}
