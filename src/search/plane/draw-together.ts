/**
 * Moves places in the plane until neighbours lie together: each pulls its nearest and pushes away a few of all the others, less and less
 * from round to round. This is how UMAP does it, with the curve of t-SNE, 1 / (1 + d²). The others are drawn by a fixed sequence, so that
 * the same picture comes of the same rows.
 */
import { STEP, type Steps } from '../steps.ts'
import { type BestLists, NOBODY } from './best-lists.ts'

const ROUNDS = 100
/** The part of the way that is gone in the first round; it goes down to nothing. */
const PACE = 0.6
/** Drawn for each pull. */
const PUSHED = 5
/** No push is longer. */
const LONGEST_PUSH = 4
/** Keeps the push between places that touch finite. */
const LEAST_SQUARE = 0.001
/** Moved between two yields. */
const ROWS_AT_ONCE = 100

/** `places`: x and y by turns, none on the same spot. They are changed. */
export function* drawTogether(places: Float32Array, { rows, most }: BestLists): Steps<void> {
  const count = places.length / 2
  let drawn = 1
  for (let round = 0; round < ROUNDS; round++) {
    const pace = PACE * (1 - round / ROUNDS)
    for (let row = 0; row < count; row++) {
      let x = places[2 * row] as number
      let y = places[2 * row + 1] as number
      for (let rank = 0; rank < most; rank++) {
        const other = rows[row * most + rank] as number
        if (other === NOBODY) break
        if ((round + row) % turnsOf(rank) !== 0) continue
        const across = (places[2 * other] as number) - x
        const up = (places[2 * other + 1] as number) - y
        const pull = pace / (1 + across * across + up * up)
        x += pull * across
        y += pull * up
        places[2 * other] = (places[2 * other] as number) - pull * across
        places[2 * other + 1] = (places[2 * other + 1] as number) - pull * up
        for (let n = 0; n < PUSHED; n++) {
          drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0
          const pushing = Math.floor((drawn / 2 ** 32) * count)
          if (pushing === row) continue
          const away = x - (places[2 * pushing] as number)
          const down = y - (places[2 * pushing + 1] as number)
          const square = away * away + down * down
          const push = pace / ((LEAST_SQUARE + square) * (1 + square))
          x += bounded(push * away)
          y += bounded(push * down)
        }
      }
      places[2 * row] = x
      places[2 * row + 1] = y
      if (row % ROWS_AT_ONCE === 0) yield STEP
    }
  }
}

/** The two nearest pull in every round, the next two in every second, and so on. */
function turnsOf(rank: number): number {
  return 1 + (rank >> 1)
}

function bounded(way: number): number {
  return Math.max(-LONGEST_PUSH, Math.min(LONGEST_PUSH, way))
}
