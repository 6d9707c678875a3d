/**
 * One score for each document of all searched segments, by handle, in one dense array: adding to it is a load and a store,
 * where a Map would cost more than the scoring itself. An array of that size is dear to make and to clear, so there
 * is one in the process: the next search takes it over and clears only what the one before it has touched.
 */
export interface Accumulator {
  readonly scores: Float64Array
  /** The handles that have a score, the first `count` of them. */
  readonly touched: Uint32Array
  count: number
  /** Until then `count` does not say what was touched. */
  finished: boolean
}

let current: Accumulator = { scores: new Float64Array(), touched: new Uint32Array(), count: 0, finished: true }

export function takeAccumulator(size: number): Accumulator {
  const { scores, touched, count, finished } = current
  if (scores.length < size) {
    const roomy = Math.ceil(size * 1.25)
    current = { scores: new Float64Array(roomy), touched: new Uint32Array(roomy), count: 0, finished: false }
    return current
  }
  if (!finished) scores.fill(0)
  else for (let i = 0; i < count; i++) scores[touched[i] ?? 0] = 0
  current = { scores, touched, count: 0, finished: false }
  return current
}

/** False once another search has taken it. */
export function isCurrent(accumulator: Accumulator): boolean {
  return accumulator === current
}
