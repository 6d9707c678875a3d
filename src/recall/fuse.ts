/**
 * One score from words and meaning. Pure, over all that is looked at for one query. Invariant: both parts are at least 0, and a
 * score is their sum, at most 1.
 */
import { MEANING_NEIGHBOUR_SHARE, MEANING_QUESTION_SHARE, MEANING_WEIGHT } from './settings.ts'

export interface Fusable {
  /** 0 to 1: the share of the best score that the query could reach by its words, with what supports them. */
  readonly words: number
  /** Of its nearest piece and the query; undefined: it has no vector yet. */
  readonly cosine: number | undefined
  /** Whether its last word is a question: what it says is then asked for rather than told. */
  readonly asks: boolean
  /** For a turn of a conversation: of those before and after it that have a vector. */
  readonly around: readonly number[]
}

export interface Fused {
  readonly words: number
  readonly meaning: number
}

/** In the order of what is given. */
export function fuse(all: readonly Fusable[]): readonly Fused[] {
  const near = all.map(({ cosine, asks, around }) =>
    cosine === undefined ? undefined : smoothed(cosine, asks, around),
  )
  const known = near.filter((one) => one !== undefined)
  if (known.length === 0) return all.map(({ words }) => ({ words, meaning: 0 }))
  // What has no vector yet is taken for neither near nor far: it must not sink for being new.
  const usual = known.reduce((sum, one) => sum + one, 0) / known.length
  return all.map(({ words }, n) => ({
    words: words / (1 + MEANING_WEIGHT),
    meaning: (MEANING_WEIGHT * (near[n] ?? usual)) / (1 + MEANING_WEIGHT),
  }))
}

function smoothed(cosine: number, asks: boolean, around: readonly number[]): number {
  const ownShare = asks ? MEANING_QUESTION_SHARE : 1
  const others = around.reduce((sum, other) => sum + nearness(other), 0)
  const shares = ownShare + MEANING_NEIGHBOUR_SHARE * around.length
  return (ownShare * nearness(cosine) + MEANING_NEIGHBOUR_SHARE * others) / shares
}

/** Squared: what is twice as near tells more than twice as much. */
function nearness(cosine: number): number {
  return Math.max(0, cosine) ** 2
}
