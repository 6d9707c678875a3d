// The clock of the bench of the Chroma store: sides that take turns, so that the machine's noise meets them alike.
import { median } from '../table.mjs'

/** Rounds that do not count, until all sides are compiled and the server is warm. */
const WARM_UP = 2

/** @returns the median of each side; a side gets the number of the round and gives its ms */
export async function inTurns(rounds, sides, warmUp = WARM_UP) {
  const taken = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const ms = await side(Math.abs(round))
      if (round >= 0) taken[name].push(ms)
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)]))
}

/** A side that is timed by the wall. */
export function timed(run) {
  return (round) => wallMs(() => run(round))
}

export async function wallMs(run) {
  const before = performance.now()
  await run()
  return performance.now() - before
}
