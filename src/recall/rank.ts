/**
 * The order of all that a query brings up. Two looks: the first scores every document by its own words and keeps the best
 * hundred or so that the filters let through; the second adds to these what supports them, and what is bounded: length, age, kind.
 * Pure: the same indexes and the same moment give the same order in every process.
 */
import { hasEnded } from '../model/expiry.ts'
import type { Problem } from '../ports/store.ts'
import type { Matches } from '../search/matches.ts'
import { nearestTerms } from '../search/nearest-terms.ts'
import type { Query } from '../search/query.ts'
import { search } from '../search/search.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { isDateWord } from './date-words.ts'
import { refusalOf } from './eligible.ts'
import { COLUMN, FIELDS, kindAt } from './entry-document.ts'
import type { Exact } from './exact-entry.ts'
import type { BoostPart, SupportPart, Why, WordPart } from './found.ts'
import { nearness } from './nearness.ts'
import type { SearchRequest } from './request.ts'
import { type Measure, measureOf } from './scoring.ts'
import { KIND_FACTORS, NEARNESS_CANDIDATES, RECENCY, RECENCY_HALF_DAYS } from './settings.ts'
import { type Support, supportsOf } from './support.ts'
import { isBefore, type Scored, type Tie, Top } from './top.ts'

export interface RankInput {
  readonly indexes: readonly SearchIndex[]
  readonly problems: readonly Problem[]
  readonly query: Query
  readonly request: SearchRequest
  /** What the query calls by name, the own before the world's. */
  readonly exact: readonly Exact[]
  /** How many of the best by their own words get the second look. */
  readonly most: number
}

export interface Ranking {
  /** The best first. */
  readonly candidates: readonly Candidate[]
  readonly entries: number
  readonly eligible?: number
  readonly matched: number
  readonly nearest: readonly { readonly text: string; readonly nearest: readonly string[] }[]
  readonly problems: readonly Problem[]
}

export interface Candidate {
  readonly id: string
  readonly score: number
  /** Where it was asked for. */
  readonly why?: Why
}

const DAY_MS = 86_400_000
const CONTENT = FIELDS.indexOf('content')
const MOST_FACTOR = (1 + RECENCY) * Math.max(1, ...Object.values(KIND_FACTORS))
/** An exact name is 1, and nothing else is. */
const BELOW_EXACT = 0.999

export function rank(input: RankInput): Ranking {
  const { indexes, problems, query, request } = input
  const measure = measureOf(indexes)
  const matches = search({ indexes, query, scoring: measure.scoring })
  const refusal = refusalOf(matches, request)
  const isEligible = (doc: number): boolean => refusal(doc) === undefined
  const { top, matched } = firstLook(matches, measure, isEligible, input.most)
  // What the query demands or refuses, a neighbour can't make up for: such a hit has to match by itself.
  const binds = query.phrases.length > 0 || query.not.length > 0
  const mayShow = (doc: number): boolean => isEligible(doc) && (!binds || matches.score(doc) > 0)
  const scored = secondLook(matches, top, measure, request).filter(({ doc }) => mayShow(doc))
  const exact = input.exact.find(({ id }) => isThereAndEligible(matches, id, isEligible))
  const ordered = inOrder(matches, scored, exact)
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
    // Some are brought up by their neighbours or their name alone.
    matched: Math.max(matched, ordered.length),
    nearest: nearestOf(indexes, matches, query, isEmpty || request.explain),
    problems,
  }
}

interface Weighed extends Scored {
  readonly parts: Parts
}

interface Parts {
  readonly points?: readonly number[] | undefined
  readonly supports: readonly SupportPart[]
  readonly boosts: readonly BoostPart[]
  readonly best: number
}

function firstLook(
  matches: Matches,
  measure: Measure,
  isEligible: (doc: number) => boolean,
  most: number,
): { readonly top: readonly number[]; readonly matched: number } {
  const top = new Top(most, newerFirst(matches))
  let matched = 0
  matches.forEach((doc, score) => {
    if (!isEligible(doc)) return
    matched++
    top.offer(doc, score * measure.damping(matches.length(doc, CONTENT)))
  })
  return { top: top.inOrder().map(({ doc }) => doc), matched }
}

function secondLook(matches: Matches, top: readonly number[], measure: Measure, request: SearchRequest): Weighed[] {
  const isThere = (doc: number): boolean => !hasEnded(matches.column(doc, COLUMN.expires), request.nowMs)
  const supports = supportsOf(matches, top, isThere)
  const most = matches.importances.length > 1 ? measure.nearness * matches.importances.length : 0
  const best = (matches.best + most) * MOST_FACTOR
  const plain = supports.map((support) => scoredBy(matches, support, 0, measure, request, best))
  const tie = newerFirst(matches)
  const order = [...plain].sort((a, b) => (isBefore(a, b, tie) ? -1 : 1))
  const near = new Set(order.slice(0, NEARNESS_CANDIDATES).map(({ doc }) => doc))
  return supports.map((support, n) => {
    const { doc } = support
    const already = plain[n] as Weighed // made from the same list
    if (most === 0 || !near.has(doc)) return already
    const relative = measure.relativeLength(matches.length(doc, CONTENT))
    const together = nearness(matches.places(doc), matches.importances, relative)
    return together === 0 ? already : scoredBy(matches, support, measure.nearness * together, measure, request, best)
  })
}

function scoredBy(
  matches: Matches,
  { doc, points, words, neighbour, session }: Support,
  together: number,
  measure: Measure,
  { nowMs }: SearchRequest,
  best: number,
): Weighed {
  const supports: SupportPart[] = [
    { by: 'neighbour' as const, score: neighbour },
    { by: 'session' as const, score: session },
    { by: 'nearness' as const, score: together },
  ].filter(({ score }) => score > 0)
  const boosts = boostsOf(matches, doc, measure, nowMs)
  const sum = words + neighbour + session + together
  const factor = boosts.reduce((product, boost) => product * boost.factor, 1)
  return { doc, score: Math.min(BELOW_EXACT, (sum * factor) / best), parts: { points, supports, boosts, best } }
}

function boostsOf(matches: Matches, doc: number, measure: Measure, nowMs: number): BoostPart[] {
  const kind = kindAt(matches.column(doc, COLUMN.kind))
  // Whole days, so that an answer is the same a second later.
  const days = Math.floor(Math.max(0, nowMs - matches.column(doc, COLUMN.updated)) / DAY_MS)
  const boosts: BoostPart[] = [
    { by: 'length', factor: measure.damping(matches.length(doc, CONTENT)) },
    { by: 'recency', factor: 1 + RECENCY * 2 ** (-days / RECENCY_HALF_DAYS) },
    { by: 'kind', factor: KIND_FACTORS[kind] ?? 1 },
  ]
  return boosts.filter(({ factor }) => factor !== 1)
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

function newerFirst(matches: Matches): Tie {
  return (a, b) => {
    const [updatedA, updatedB] = [matches.column(a, COLUMN.updated), matches.column(b, COLUMN.updated)]
    return updatedA === updatedB ? matches.id(a) < matches.id(b) : updatedA > updatedB
  }
}

function whyOf(matches: Matches, query: Query, { doc, score, parts }: Weighed, exact: Exact | undefined): Why {
  const { points, ...rest } = parts
  const columns = [...query.words.map(({ term }) => term), ...query.prefixes.map(({ prefix }) => `${prefix}*`)]
  const words = matches.explain(doc).map(
    ({ text, term, counts, documents, score: alone }): WordPart => ({
      text,
      term: isDateWord(term) ? 'date' : term,
      counts: Object.fromEntries(FIELDS.map((field, n) => [field, counts[n] ?? 0] as const).filter(([, n]) => n > 0)),
      documents,
      score: points ? (points[columns.indexOf(term)] ?? 0) : alone,
    }),
  )
  return { ...(exact?.id === matches.id(doc) ? { exact: exact.by } : {}), words, ...rest, score }
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
