/** The scoring of words, from the collection's own lengths. */
import type { Scoring } from '../search/bm25.ts'
import { type Lengths, lengths } from '../search/lengths.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { FIELDS } from './entry-document.ts'
import {
  FIELD_WEIGHTS,
  K1,
  LENGTH_DAMPING,
  LENGTH_DAMPING_POWER,
  LENGTH_GROUND,
  NEARNESS,
  NEARNESS_LENGTH,
} from './settings.ts'

export interface Measure {
  readonly scoring: Scoring
  /** The most that nearness can give for each word. */
  readonly nearness: number
  /** How much longer than its like an entry is: `(mean + ground) / (length + ground)`. */
  readonly relativeLength: (tokens: number) => number
  /** At most 1: what a long entry's score is multiplied by. */
  readonly damping: (tokens: number) => number
}

const MOST_KNOWN = 4096
const CONTENT = FIELDS.indexOf('content')

export function measureOf(indexes: readonly SearchIndex[]): Measure {
  const { mean, deviation } = lengths(indexes, CONTENT)
  const exponent =
    mean === 0 ? 0 : Math.min(LENGTH_DAMPING, LENGTH_DAMPING * (deviation / mean) ** LENGTH_DAMPING_POWER)
  return {
    scoring: {
      k1: K1,
      fields: FIELDS.map((field, n) => ({ weight: FIELD_WEIGHTS[field], b: bOf(lengths(indexes, n)) })),
    },
    nearness: (NEARNESS * mean) / (mean + NEARNESS_LENGTH),
    relativeLength: (tokens) => (mean + LENGTH_GROUND) / (tokens + LENGTH_GROUND),
    damping: memoized((tokens) => (LENGTH_GROUND / (tokens + LENGTH_GROUND)) ** exponent),
  }
}

/** Asked for each document that matches, and most are of the same few lengths. */
function memoized(dampingOf: (tokens: number) => number): (tokens: number) => number {
  const known: number[] = []
  return (tokens) => {
    if (tokens >= MOST_KNOWN) return dampingOf(tokens)
    known[tokens] ??= dampingOf(tokens)
    return known[tokens] ?? 1
  }
}

/** `1 - b + b·length/mean` is then `(length + ground) / (mean + ground)`. */
function bOf({ mean }: Lengths): number {
  return mean / (mean + LENGTH_GROUND)
}
