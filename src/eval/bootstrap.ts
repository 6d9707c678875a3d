/**
 * Whether one of two runs over the same queries is better, or was lucky with these queries: the paired bootstrap. Queries are
 * drawn anew, with repetition, many times; how the mean difference varies over the draws gives the interval and p. The draws
 * come from a fixed seed, so the same two runs always give the same answer.
 */
import { percentile } from './metrics.ts'

export interface Difference {
  /** Mean of second minus first. */
  readonly delta: number
  /** In 95 of 100 draws the difference lies within. */
  readonly interval: readonly [low: number, high: number]
  /** How likely a difference so far from none would be by luck alone; two-sided. */
  readonly p: number
  /** Queries on which the second is better, worse, the same. */
  readonly wins: number
  readonly losses: number
  readonly ties: number
}

const DRAWS = 10_000
const SEED = 0x9e3779b9
/** Means of floating-point numbers differ in their last digits by the order of adding alone. */
const NO_DIFFERENCE = 1e-12

/** The values of the same queries, in the same order; at least one. */
export function pairedBootstrap(
  first: readonly number[],
  second: readonly number[],
  draws: number = DRAWS,
): Difference {
  const differences = Float64Array.from(first, (value, index) => (second[index] ?? value) - value)
  const means = drawnMeans(differences, draws)
  const notAbove = means.filter((mean) => mean <= NO_DIFFERENCE).length
  const notBelow = means.filter((mean) => mean >= -NO_DIFFERENCE).length
  return {
    delta: meanOf(differences),
    interval: [percentile(means, 0.025), percentile(means, 0.975)],
    // One more than was seen: no number of draws proves that it can't be luck.
    p: Math.min(1, (2 * (Math.min(notAbove, notBelow) + 1)) / (draws + 1)),
    wins: differences.filter((difference) => difference > NO_DIFFERENCE).length,
    losses: differences.filter((difference) => difference < -NO_DIFFERENCE).length,
    ties: differences.filter((difference) => Math.abs(difference) <= NO_DIFFERENCE).length,
  }
}

function drawnMeans(differences: Float64Array, draws: number): number[] {
  const random = randomBelow(differences.length)
  return Array.from({ length: draws }, () => {
    let sum = 0
    for (let n = 0; n < differences.length; n++) sum += differences[random()] ?? 0
    return sum / differences.length
  })
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Whole numbers below `limit`, evenly: a counter whose bits are mixed (the finalizer of MurmurHash3). */
function randomBelow(limit: number): () => number {
  let counter = 0
  return () => {
    counter = (counter + SEED) | 0
    let bits = counter
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
    bits ^= bits >>> 16
    return Math.floor(((bits >>> 0) / 2 ** 32) * limit)
  }
}
