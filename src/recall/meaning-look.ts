/**
 * What vectors say, alone and together with the words. Alone, a score is the cosine of the nearest piece. Together, what either
 * of the two brings up is looked at by both. What a filter, a phrase or a `-not` keeps out, no nearness brings in.
 */
import { hasEnded } from '../model/expiry.ts'
import type { Matches } from '../search/matches.ts'
import { neighbourhood } from './around.ts'
import { asks, COLUMN, kindAt } from './entry-document.ts'
import { type Fusable, fuse } from './fuse.ts'
import type { SearchRequest } from './request.ts'
import type { Measure } from './scoring.ts'
import { MEANING_REACH } from './settings.ts'
import type { MeaningView } from './vectors/meaning-view.ts'
import { BELOW_EXACT, type Weighed } from './weighed.ts'
import { weighedByWords } from './words-look.ts'

/** The best first. */
export function weighedByMeaning(
  matches: Matches,
  view: MeaningView,
  most: number,
  mayShow: (doc: number) => boolean,
): Weighed[] {
  return nearest(matches, view, most, mayShow).map(({ doc, cosine }) => {
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
  const near = nearest(matches, view, most, mayShow).filter(({ cosine }) => cosine >= request.minCosine)
  const docs = [...new Set([...top, ...near.map(({ doc }) => doc)])]
  // A turn says little by itself. Whatever else was kept on the same day may be about anything.
  const isTurn = (doc: number): boolean =>
    kindAt(matches.column(doc, COLUMN.kind)) === 'conversation' &&
    !hasEnded(matches.column(doc, COLUMN.expires), request.nowMs)
  const looked = weighedByWords(matches, docs, measure, request.nowMs).filter(({ doc }) => mayShow(doc))
  const neighbours = neighbourhood(matches, MEANING_REACH, isTurn)
  const around = looked.map(({ doc }) => neighbours(doc))
  const cosines = cosinesOf(matches, view, looked, around)
  const weighed: (Weighed & Pick<Fusable, 'cosine' | 'around'>)[] = []
  for (const [n, { doc, score, parts }] of looked.entries()) {
    const one = { doc, score, parts, cosine: cosines(doc), around: knownOf(around[n] ?? [], cosines) }
    if ((score > 0 && hasWords(doc)) || isNear(one, request.minCosine)) weighed.push(one)
  }
  const fused = fuse(
    weighed.map(({ doc, score, cosine, around }) => ({
      words: score,
      cosine,
      asks: asks(matches.column(doc, COLUMN.turn)),
      around,
    })),
  )
  return weighed.map(({ doc, parts, cosine }, n) => {
    const { words = 0, meaning = 0 } = fused[n] ?? {}
    // Named one by one: there are hundreds, and to spread them takes a fifth of the search.
    const { points, supports, boosts, best } = parts
    const said = cosine === undefined ? { score: meaning } : { cosine, score: meaning }
    return {
      doc,
      score: Math.min(BELOW_EXACT, words + meaning),
      parts: { points, supports, boosts, best, byWords: words, meaning: said },
    }
  })
}

/** An answer may be far from a question that its neighbour is near to. */
function isNear({ cosine, around }: Pick<Fusable, 'cosine' | 'around'>, least: number): boolean {
  return (cosine !== undefined && cosine >= least) || around.some((other) => other >= least)
}

function nearest(
  matches: Matches,
  view: MeaningView,
  most: number,
  mayShow: (doc: number) => boolean,
): { readonly doc: number; readonly cosine: number }[] {
  const accepts = (id: string): boolean => {
    const doc = matches.find(id)
    return doc >= 0 && mayShow(doc)
  }
  return view.best(most, accepts).map(({ id, cosine }) => ({ doc: matches.find(id), cosine }))
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
