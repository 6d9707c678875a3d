/**
 * The order of all that a query brings up, by its words, by its meaning or by both: the best of what the filters let through.
 * Pure: the same indexes and the same moment give the same order in every process.
 */
import type { Problem } from '../ports/store.ts'
import type { Matches } from '../search/matches.ts'
import { nearestTerms } from '../search/nearest-terms.ts'
import type { Query } from '../search/query.ts'
import { search } from '../search/search.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { isDateWord } from './date-words.ts'
import { refusalOf } from './eligible.ts'
import type { Exact } from './exact-entry.ts'
import { whyOf } from './explain.ts'
import type { SearchMode, Why } from './found.ts'
import { weighedByBoth, weighedByMeaning } from './meaning-look.ts'
import type { SearchRequest } from './request.ts'
import { type Measure, measureOf } from './scoring.ts'
import { CANDIDATES, MEANING_CANDIDATES } from './settings.ts'
import { isBefore } from './top.ts'
import type { MeaningView } from './vectors/meaning-view.ts'
import { newerFirst, type Weighed } from './weighed.ts'
import { bestByWords, weighedByWords } from './words-look.ts'

export interface RankInput {
  readonly indexes: readonly SearchIndex[]
  readonly problems: readonly Problem[]
  readonly query: Query
  readonly request: SearchRequest
  /** What vectors say; missing where the mode is lexical. */
  readonly meaning?: MeaningView | undefined
  /** What the query calls by name, the own before the world's. */
  readonly exact: readonly Exact[]
  /** How many of the best get the second look. Not less for a lower limit, for the order depends on what is looked at. */
  readonly most: number
}

export interface Ranking {
  /** The best first. */
  readonly candidates: readonly Candidate[]
  readonly entries: number
  readonly eligible?: number
  readonly matched: number
  /** Whether a larger `most` would bring more. */
  readonly hasMore: boolean
  readonly vectors?: { readonly model: string; readonly pending: number }
  readonly nearest: readonly { readonly text: string; readonly nearest: readonly string[] }[]
  readonly problems: readonly Problem[]
}

export interface Candidate {
  readonly id: string
  readonly score: number
  /** Where it was asked for. */
  readonly why?: Why
}

export function rank(input: RankInput): Ranking {
  const { indexes, problems, query, request, meaning } = input
  const measure = measureOf(indexes)
  const matches = search({ indexes, query, scoring: measure.scoring })
  const refusal = refusalOf(matches, request)
  const isEligible = (doc: number): boolean => refusal(doc) === undefined
  const looked = look(input, matches, measure, isEligible)
  const exact = input.exact.find(({ id }) => isThereAndEligible(matches, id, isEligible))
  const ordered = inOrder(matches, looked.weighed, exact)
  const candidates = ordered
    .filter(({ score }) => score >= request.minScore)
    .map((weighed) => ({
      id: matches.id(weighed.doc),
      score: weighed.score,
      ...(request.explain ? { why: whyOf(matches, query, weighed, exact) } : {}),
    }))
  const isEmpty = candidates.length === 0
  return {
    candidates,
    entries: matches.total,
    ...(isEmpty || request.explain ? { eligible: countLive(matches, isEligible) } : {}),
    matched: matchedOf(request, looked, ordered, candidates),
    hasMore: looked.hasMore || ordered.length > input.most,
    ...(meaning ? { vectors: { model: meaning.model, pending: meaning.pending } } : {}),
    nearest: nearestOf(indexes, matches, query, isEmpty || request.explain),
    problems,
  }
}

/** Some are brought up by their neighbours or their name alone. By meaning all are near in some way: those count that score enough. */
function matchedOf(
  { mode }: SearchRequest,
  { matched }: Looked,
  ordered: readonly Weighed[],
  candidates: readonly Candidate[],
): number {
  if (mode === 'semantic' && candidates.length > 0) return candidates.length
  return Math.max(matched, ordered.length)
}

interface Looked {
  readonly weighed: readonly Weighed[]
  /** All that the words bring up. */
  readonly matched: number
  readonly hasMore: boolean
}

function look(
  { query, request, meaning, most }: RankInput,
  matches: Matches,
  measure: Measure,
  isEligible: (doc: number) => boolean,
): Looked {
  const mode: SearchMode = meaning ? request.mode : 'lexical'
  // What the query demands or refuses, neither a neighbour nor nearness can make up for.
  const binds = query.phrases.length > 0 || query.not.length > 0
  const mayShow = (doc: number): boolean => isEligible(doc) && (!binds || matches.allows(doc))
  const near = meaning && mode === 'semantic' ? weighedByMeaning(matches, meaning, most, mayShow) : []
  if (mode === 'semantic' && request.named === 'semantic') {
    return { weighed: near, matched: 0, hasMore: near.length >= most }
  }
  const { top, matched } = bestByWords(matches, measure, isEligible, most)
  const hasWords = (doc: number): boolean => !binds || matches.score(doc) > 0
  if (meaning && mode === 'hybrid') {
    const places = placesByMeaning(most)
    const weighed = weighedByBoth({ matches, view: meaning, measure, request, top, most: places, mayShow, hasWords })
    return { weighed, matched, hasMore: matched > most || weighed.length >= places }
  }
  const byWords = weighedByWords(matches, top, measure, request.nowMs)
  const weighed = byWords.filter(({ doc }) => isEligible(doc) && hasWords(doc))
  if (!meaning || mode !== 'semantic') return { weighed, matched, hasMore: matched > most }
  // Semantic is only preferred here, so entries without a vector are found by their words.
  const cosines = meaning.cosines(weighed.map(({ doc }) => matches.id(doc)))
  const others = weighed.filter(({ doc }) => !cosines.has(matches.id(doc)))
  return { weighed: [...near, ...others], matched, hasMore: matched > most || near.length >= most }
}

/** Where more are wanted by words, then by meaning too. */
export function placesByMeaning(most: number): number {
  return Math.ceil((MEANING_CANDIDATES * most) / CANDIDATES)
}

/** By score, then the newer, then by id; whoever is called by name before all. */
function inOrder(matches: Matches, scored: readonly Weighed[], exact: Exact | undefined): Weighed[] {
  const tie = newerFirst(matches)
  const ordered = [...scored].sort((a, b) => (isBefore(a, b, tie) ? -1 : 1))
  const named = exact ? matches.find(exact.id) : -1
  if (named < 0) return ordered.filter(({ score }) => score > 0)
  const parts = ordered.find(({ doc }) => doc === named)?.parts ?? {
    supports: [],
    boosts: [],
    best: matches.best,
  }
  const others = ordered.filter(({ doc, score }) => doc !== named && score > 0)
  return [{ doc: named, score: 1, parts }, ...others]
}

function isThereAndEligible(matches: Matches, id: string, isEligible: (doc: number) => boolean): boolean {
  const doc = matches.find(id)
  return doc >= 0 && isEligible(doc)
}

/** Words of the query that stand nowhere, and what they may have been meant to be. */
function nearestOf(
  indexes: readonly SearchIndex[],
  matches: Matches,
  query: Query,
  isWanted: boolean,
): Ranking['nearest'] {
  return query.words
    .filter(({ term }, n) => matches.documentsWith(n) === 0 && !isDateWord(term))
    .map(({ text, term }) => ({ text, nearest: isWanted ? nearestTerms(indexes, term, 3) : [] }))
}

function countLive(matches: Matches, holds: (doc: number) => boolean): number {
  let counted = 0
  matches.forEachLive((doc) => {
    if (holds(doc)) counted++
  })
  return counted
}
