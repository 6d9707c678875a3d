/**
 * One score from words and meaning. Pure. Invariant: both parts are at least 0, and a score is their sum, at most 1; it does not
 * depend on what else is looked at.
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

/** `usual`: what counts for one that has no vector yet; it must not sink for being new. */
export function fuse(one: Fusable, usual: number): Fused {
  return {
    words: one.words / (1 + MEANING_WEIGHT),
    meaning: (MEANING_WEIGHT * (meaningOf(one) ?? usual)) / (1 + MEANING_WEIGHT),
  }
}

/** The mean of those that have a vector; undefined: none has. */
export function usualMeaning(some: readonly Fusable[]): number | undefined {
  const known = some.map(meaningOf).filter((one) => one !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length
}

/** From 0 to 1. */
function meaningOf({ cosine, asks, around }: Fusable): number | undefined {
  if (cosine === undefined) return undefined
  const ownShare = asks ? MEANING_QUESTION_SHARE : 1
  const others = around.reduce((sum, other) => sum + nearness(other), 0)
  const shares = ownShare + MEANING_NEIGHBOUR_SHARE * around.length
  return (ownShare * nearness(cosine) + MEANING_NEIGHBOUR_SHARE * others) / shares
}

/** Squared: what is twice as near tells more than twice as much. */
function nearness(cosine: number): number {
  return Math.max(0, cosine) ** 2
}
