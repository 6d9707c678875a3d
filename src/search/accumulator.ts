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

let current: Accumulator = ownAccumulator(0)

/** One that no other search takes. */
export function ownAccumulator(size: number): Accumulator {
  // One more than there are documents: scoring writes behind the last one before it knows whether it counts.
  return { scores: new Float64Array(size), touched: new Uint32Array(size + 1), count: 0, finished: false }
}

export function takeAccumulator(size: number): Accumulator {
  const { scores, touched, count, finished } = current
  if (scores.length < size) {
    current = ownAccumulator(Math.ceil(size * 1.25))
    return current
  }
  if (!finished) scores.fill(0)
  else for (let i = 0; i < count; i++) scores[touched[i] as number] = 0 // the first `count` are there
  current = { scores, touched, count: 0, finished: false }
  return current
}

/** False once another search has taken it. */
export function isCurrent(accumulator: Accumulator): boolean {
  return accumulator === current
}
