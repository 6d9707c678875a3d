/**
 * What the words of a query say. Two looks: the first scores every document by its own words and keeps the best hundred or so
 * that the filters let through; the second adds to these what supports them, and what is bounded: length, age, kind.
 */
import { hasEnded } from '../model/expiry.ts'
import type { Matches } from '../search/matches.ts'
import { COLUMN, FIELDS, kindAt } from './entry-document.ts'
import type { BoostPart, SupportPart } from './found.ts'
import { nearness } from './nearness.ts'
import type { Measure } from './scoring.ts'
import { KIND_FACTORS, NEARNESS_CANDIDATES, RECENCY, RECENCY_HALF_DAYS } from './settings.ts'
import { type Support, supportsOf } from './support.ts'
import { isBefore, Top } from './top.ts'
import { BELOW_EXACT, newerFirst, type Weighed } from './weighed.ts'

const DAY_MS = 86_400_000
const CONTENT = FIELDS.indexOf('content')
const MOST_FACTOR = (1 + RECENCY) * Math.max(1, ...Object.values(KIND_FACTORS))

/** `matched`: how many there are in all. */
export function bestByWords(
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

/** These and, where they have any, their neighbours, in no order. */
export function weighedByWords(matches: Matches, docs: readonly number[], measure: Measure, nowMs: number): Weighed[] {
  const isThere = (doc: number): boolean => !hasEnded(matches.column(doc, COLUMN.expires), nowMs)
  const supports = supportsOf(matches, docs, isThere)
  const most = matches.importances.length > 1 ? measure.nearness * matches.importances.length : 0
  const best = (matches.best + most) * MOST_FACTOR
  const plain = supports.map((support) => scoredBy(matches, support, 0, measure, nowMs, best))
  const tie = newerFirst(matches)
  const order = [...plain].sort((a, b) => (isBefore(a, b, tie) ? -1 : 1))
  const near = new Set(order.slice(0, NEARNESS_CANDIDATES).map(({ doc }) => doc))
  return supports.map((support, n) => {
    const { doc } = support
    const already = plain[n] as Weighed // made from the same list
    if (most === 0 || !near.has(doc)) return already
    const relative = measure.relativeLength(matches.length(doc, CONTENT))
    const together = nearness(matches.places(doc), matches.importances, relative)
    return together === 0 ? already : scoredBy(matches, support, measure.nearness * together, measure, nowMs, best)
  })
}

function scoredBy(
  matches: Matches,
  { doc, points, words, neighbour, session }: Support,
  together: number,
  measure: Measure,
  nowMs: number,
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
  // Words that stand nowhere can reach nothing; by meaning there may be hits all the same.
  const score = sum === 0 ? 0 : Math.min(BELOW_EXACT, (sum * factor) / best)
  return { doc, score, parts: { points, supports, boosts, best } }
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
