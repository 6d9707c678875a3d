/**
 * Every document that a query brings up, with its score. The words of the query are added up in one order for every
 * document, and all statistics are sums over the live documents of just the indexes asked: the same documents give the
 * same scores to the bit in every process, however they are spread over segments.
 */
import { InvalidError } from '../errors.ts'
import { type Accumulator, takeAccumulator } from './accumulator.ts'
import { type Norms, normsOf, type Scoring } from './bm25.ts'
import { lengthsOf } from './lengths.ts'
import { Matches } from './matches.ts'
import { documentsWithPhrase } from './phrase.ts'
import type { Query } from './query.ts'
import { codeTable, scoreUnion, scoreWord } from './score-segment.ts'
import type { SearchIndex } from './search-index.ts'
import { liveDocuments, type Segment } from './segment.ts'
import { type SoughtPrefix, type SoughtWord, seekPrefix, seekWord } from './sought.ts'
import { termsOfPrefix, unionOf } from './term-union.ts'

export type { SoughtPrefix, SoughtWord } from './sought.ts'

export interface SearchRequest {
  /** Statistics are summed over just these. */
  readonly indexes: readonly SearchIndex[]
  readonly query: Query
  readonly scoring: Scoring
}

export function search({ indexes, query, scoring }: SearchRequest): Matches {
  requireFields(indexes, scoring)
  const segments = indexes.flatMap((index) => index.segments())
  const bases = basesOf(segments)
  const total = segments.reduce((sum, segment) => sum + liveDocuments(segment), 0)
  const words = query.words.map((word) => seekWord(word, segments, total))
  const prefixes = query.prefixes.map((prefix) => seekPrefix(prefix, segments, total))
  const norms = normsOf(
    scoring,
    scoring.fields.map((_, field) => lengthsOf(segments, field).mean),
  )
  const accumulator = takeAccumulator(bases.at(-1) ?? 0)
  for (const [which, segment] of segments.entries()) {
    const before = accumulator.count
    const base = bases[which] ?? 0
    scoreSegment(segment, which, base, words, prefixes, norms, accumulator)
    keepAllowed(segment, base, query, accumulator, before)
  }
  accumulator.finished = true
  return new Matches({ segments, bases, total, words, prefixes, norms, accumulator })
}

function requireFields(indexes: readonly SearchIndex[], scoring: Scoring): void {
  for (const { schema } of indexes) {
    if (schema.fields.length === scoring.fields.length) continue
    const allowed = `one for each of ${schema.fields.join(', ')}`
    throw new InvalidError('scoring.fields', `${scoring.fields.length} given`, allowed)
  }
}

/** The handle of each segment's first document, and behind the last one the end of all. */
function basesOf(segments: readonly Segment[]): Uint32Array {
  const bases = new Uint32Array(segments.length + 1)
  for (const [which, segment] of segments.entries()) bases[which + 1] = (bases[which] ?? 0) + segment.documents
  return bases
}

function scoreSegment(
  segment: Segment,
  which: number,
  base: number,
  words: readonly SoughtWord[],
  prefixes: readonly SoughtPrefix[],
  norms: Norms,
  accumulator: Accumulator,
): void {
  const table = codeTable(segment, norms)
  for (const { postings, importance } of words) {
    const here = postings[which]
    if (here) scoreWord(segment, here, importance, norms, table, accumulator, base)
  }
  for (const { unions, importance } of prefixes) {
    const here = unions[which]
    if (here) scoreUnion(segment, here, importance, norms, accumulator, base)
  }
}

/** Takes back what is removed, lacks a phrase, or has what the query does not want. */
function keepAllowed(segment: Segment, base: number, query: Query, accumulator: Accumulator, from: number): void {
  const phrases = query.phrases.filter(({ terms }) => terms.length > 0)
  const filtered = phrases.length > 0 || query.not.length > 0
  if (from === accumulator.count || (!filtered && segment.removed.count === 0)) return
  const { scores, touched } = accumulator
  const passed = filtered ? phrasesPassed(segment, phrases, query.not) : undefined
  let kept = from
  for (let i = from; i < accumulator.count; i++) {
    const handle = touched[i] ?? 0
    const document = handle - base
    if (!segment.removed.has(document) && (passed === undefined || passed[document] === phrases.length)) {
      touched[kept++] = handle
    } else {
      scores[handle] = 0
    }
  }
  accumulator.count = kept
}

/** By document: how many of the phrases it has, one after the other from the first on; -1 where it has an unwanted one. */
function phrasesPassed(segment: Segment, phrases: Query['phrases'], not: Query['not']): Int32Array {
  const passed = new Int32Array(segment.documents)
  for (const [index, { terms }] of phrases.entries()) {
    for (const document of documentsWithPhrase(segment, terms))
      if (passed[document] === index) passed[document] = index + 1
  }
  for (const unwanted of not) {
    for (const document of documentsWith(segment, unwanted)) passed[document] = -1
  }
  return passed
}

function documentsWith(segment: Segment, sought: Query['not'][number]): Iterable<number> {
  if (sought.type === 'prefix') return unionOf(segment, termsOfPrefix(segment, sought)).documents
  return documentsWithPhrase(segment, sought.type === 'word' ? [sought.term] : sought.terms)
}
