/**
 * What vectors say, alone and together with the words. Alone, a score is the cosine of the nearest piece. Together, what either
 * of the two brings up is looked at by both. What a filter, a phrase or a `-not` keeps out, no nearness brings in.
 */
import { hasEnded } from '../model/expiry.ts'
import type { Matches } from '../search/matches.ts'
import { neighbourhood } from './around.ts'
import { asks, COLUMN } from './entry-document.ts'
import { type Fusable, fuse, usualMeaning } from './fuse.ts'
import type { SearchRequest } from './request.ts'
import type { Measure } from './scoring.ts'
import { CROWDED, MEANING_REACH, MOST_CANDIDATES, USUAL_OF, WIDER } from './settings.ts'
import { type Scored, Top } from './top.ts'
import type { MeaningView } from './vectors/meaning-view.ts'
import { BELOW_EXACT, newerFirst, type Weighed } from './weighed.ts'
import { weighedByWords } from './words-look.ts'

/** The best first. */
export function weighedByMeaning(
  matches: Matches,
  view: MeaningView,
  most: number,
  mayShow: (doc: number) => boolean,
): Weighed[] {
  return nearest(matches, view, most, mayShow).map(({ doc, score: cosine }) => {
    const score = Math.min(BELOW_EXACT, Math.max(0, cosine))
    return { doc, score, parts: { supports: [], boosts: [], best: 0, byWords: 0, meaning: { cosine, score } } }
  })
}

export interface Together {
  readonly matches: Matches
  readonly view: MeaningView
  readonly measure: Measure
  readonly request: SearchRequest
  /** The best by their own words. */
  readonly top: readonly number[]
  /** How many of the nearest are looked at besides. */
  readonly most: number
  /** What filters, phrases and exclusions let through. */
  readonly mayShow: (doc: number) => boolean
  /** Whether the words alone bring it up, if what they give it is more than nothing. */
  readonly hasWords: (doc: number) => boolean
}

/** In no order. */
export function weighedByBoth(together: Together): Weighed[] {
  const { matches, view, measure, request, top, most, mayShow, hasWords } = together
  const all = nearestUncrowded(matches, view, most, mayShow)
  const near = all.filter(({ score: cosine }) => cosine >= request.minCosine).map(({ doc }) => doc)
  const docs = [...new Set([...top, ...near])]
  const isThere = (doc: number): boolean => !hasEnded(matches.column(doc, COLUMN.expires), request.nowMs)
  const looked = weighedByWords(matches, docs, measure, request.nowMs).filter(({ doc }) => mayShow(doc))
  const neighbours = neighbourhood(matches, MEANING_REACH, isThere)
  const around = looked.map(({ doc }) => neighbours(doc))
  const cosines = cosinesOf(matches, view, looked, around)
  const weighed: (Weighed & { readonly fusable: Fusable })[] = []
  for (const [n, { doc, score, parts }] of looked.entries()) {
    const fusable = {
      words: score,
      cosine: cosines(doc),
      asks: asks(matches.column(doc, COLUMN.turn)),
      around: knownOf(around[n] ?? [], cosines),
    }
    if ((score > 0 && hasWords(doc)) || isNear(fusable, request.minCosine)) weighed.push({ doc, score, parts, fusable })
  }
  const fusables = new Map(weighed.map(({ doc, fusable }) => [doc, fusable]))
  const usual = usualAmong(fusables, top) ?? usualAmong(fusables, near) ?? 0
  return weighed.map(({ doc, parts, fusable }) => {
    // Where nothing has a vector, what words say is all there is.
    const { words, meaning } = all.length === 0 ? { words: fusable.words, meaning: 0 } : fuse(fusable, usual)
    // Named one by one: there are hundreds, and to spread them takes a fifth of the search.
    const { points, supports, boosts, best } = parts
    const said = fusable.cosine === undefined ? { score: meaning } : { cosine: fusable.cosine, score: meaning }
    return {
      doc,
      score: Math.min(BELOW_EXACT, words + meaning),
      parts: { points, supports, boosts, best, byWords: words, meaning: said },
    }
  })
}

/** Of the first few, which are the same however many are looked at. */
function usualAmong(fusables: ReadonlyMap<number, Fusable>, docs: readonly number[]): number | undefined {
  return usualMeaning(docs.slice(0, USUAL_OF).flatMap((doc) => fusables.get(doc) ?? []))
}

/** An answer may be far from a question that its neighbour is near to. */
function isNear({ cosine, around }: Fusable, least: number): boolean {
  return (cosine !== undefined && cosine >= least) || around.some((other) => other >= least)
}

/**
 * What says exactly the same is equally near, and many of these leave others no place: then more are looked at. Here and not only
 * where hits are picked, so that it is the same for every limit.
 */
function nearestUncrowded(
  matches: Matches,
  view: MeaningView,
  places: number,
  mayShow: (doc: number) => boolean,
): Scored[] {
  for (let most = places; ; most = Math.min(most * WIDER, MOST_CANDIDATES)) {
    const all = nearest(matches, view, most, mayShow)
    const different = new Set(all.map(({ score }) => score)).size
    if (all.length < most || different >= (1 - CROWDED) * places || most >= MOST_CANDIDATES) return all
  }
}

/** Scored by cosine, the best first. Of equals the newer, and not whichever was embedded first. */
function nearest(matches: Matches, view: MeaningView, most: number, mayShow: (doc: number) => boolean): Scored[] {
  const accepts = (id: string): boolean => {
    const doc = matches.find(id)
    return doc >= 0 && mayShow(doc)
  }
  const top = new Top(most, newerFirst(matches))
  for (const { id, cosine } of view.best(most, accepts)) top.offer(matches.find(id), cosine)
  return top.inOrder()
}

function knownOf(docs: readonly number[], cosines: (doc: number) => number | undefined): number[] {
  const known: number[] = []
  for (const doc of docs) {
    const cosine = cosines(doc)
    if (cosine !== undefined) known.push(cosine)
  }
  return known
}

/** All are asked for at once, since each call makes the query ready; and kept by handle, for there are thousands. */
function cosinesOf(
  matches: Matches,
  view: MeaningView,
  looked: readonly Weighed[],
  around: readonly (readonly number[])[],
): (doc: number) => number | undefined {
  const docs: number[] = []
  const isAsked = new Uint8Array(matches.handles)
  const ask = (doc: number): void => {
    if (isAsked[doc] === 0) docs.push(doc)
    isAsked[doc] = 1
  }
  for (const { doc } of looked) ask(doc)
  for (const others of around) for (const doc of others) ask(doc)
  const ids = docs.map((doc) => matches.id(doc))
  const found = view.cosines(ids)
  const known = new Float64Array(matches.handles).fill(Number.NaN)
  for (const [n, doc] of docs.entries()) known[doc] = found.get(ids[n] ?? '') ?? Number.NaN
  return (doc) => {
    const cosine = known[doc] ?? Number.NaN
    return Number.isNaN(cosine) ? undefined : cosine
  }
}
