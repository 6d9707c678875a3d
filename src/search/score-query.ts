/** The scores of a query over some segments: its words and prefixes added up, and what it does not allow taken back. */
import type { Accumulator } from './accumulator.ts'
import type { Norms } from './bm25.ts'
import { documentsWithPhrase } from './phrase.ts'
import type { Query } from './query.ts'
import { codeTable, scoreUnion, scoreWord } from './score-segment.ts'
import type { Segment } from './segment.ts'
import type { SoughtPrefix, SoughtWord } from './sought.ts'
import { termsOfPrefix, unionOf } from './term-union.ts'

export interface ScoredQuery {
  readonly query: Query
  readonly segments: readonly Segment[]
  /** The handle of each segment's first document, and behind the last one the end of all. */
  readonly bases: Uint32Array
  readonly words: readonly SoughtWord[]
  readonly prefixes: readonly SoughtPrefix[]
  readonly norms: Norms
}

export function scoreQuery(scored: ScoredQuery, accumulator: Accumulator): Accumulator {
  const { segments, bases, query } = scored
  for (let which = 0; which < segments.length; which++) {
    const segment = segments[which] as Segment // below the length
    const base = bases[which] as number
    const before = accumulator.count
    addWords(segment, which, base, scored, accumulator)
    keepAllowed(segment, base, query, accumulator, before)
  }
  accumulator.finished = true
  return accumulator
}

function addWords(
  segment: Segment,
  which: number,
  base: number,
  { words, prefixes, norms }: ScoredQuery,
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
  const filtered = query.phrases.length > 0 || query.not.length > 0
  if (from === accumulator.count || (!filtered && segment.removed.count === 0)) return
  const { scores, touched } = accumulator
  const allows = filtered ? allowedIn(segment, query) : undefined
  let kept = from
  for (let i = from; i < accumulator.count; i++) {
    const handle = touched[i] as number // the first `count` are there
    const document = handle - base
    if (!segment.removed.has(document) && (allows === undefined || allows(document))) {
      touched[kept++] = handle
    } else {
      scores[handle] = 0
    }
  }
  accumulator.count = kept
}

/** Whether a document of the segment has every phrase of the query and nothing that it does not want, other words or not. */
export function allowedIn(segment: Segment, query: Query): (document: number) => boolean {
  const phrases = query.phrases.filter(({ terms }) => terms.length > 0)
  const passed = phrasesPassed(segment, phrases, query.not)
  return (document) => passed[document] === phrases.length
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
