/**
 * Vectors placed in the plane, so that what is near in meaning lies near: for people to look at, never to search by. The same vectors
 * have the same places in every process and in whatever order they come. It yields often, for who must not be kept waiting.
 */
import type { Steps } from '../steps.ts'
import { distinctRows } from './distinct-rows.ts'
import { drawTogether } from './draw-together.ts'
import { nearRows } from './near-rows.ts'
import { principalPlane } from './principal-plane.ts'

export interface Place {
  /** From -1 to 1, both: one of them all the way, the other as far as the picture goes. */
  readonly x: number
  readonly y: number
}

const NEIGHBOURS = 10
/** How far the first picture goes to each side: about as far as the last one will, so that no more moves than has to, and little is empty. */
const FIRST_REACH = 8
const ASIDE = 1e-3

/** One for each vector; all of one dimension, of length 1 or 0. */
export function* placeInPlane(vectors: readonly Float32Array[]): Steps<readonly Place[]> {
  const rows = yield* distinctRows(vectors)
  if (rows.count < 2) return vectors.map(() => ({ x: 0, y: 0 }))
  const places = apart(within(yield* principalPlane(rows), FIRST_REACH))
  yield* drawTogether(places, yield* nearRows(rows, Math.min(NEIGHBOURS, rows.count - 1)))
  const drawn = within(places, 1)
  return Array.from(rows.rowOf, (row) => ({ x: drawn[2 * row] ?? 0, y: drawn[2 * row + 1] ?? 0 }))
}

/** Moved and stretched, the same in both directions, so that the middle is 0 and the furthest is at `reach`. */
function within(places: Float32Array, reach: number): Float32Array {
  const [x, y] = [boundsOf(places, 0), boundsOf(places, 1)]
  const half = Math.max(x.half, y.half)
  const factor = half === 0 ? 0 : reach / half
  const limited = (value: number): number => Math.max(-reach, Math.min(reach, value)) // rounding may go beyond
  return places.map((value, n) => limited((value - (n % 2 === 0 ? x : y).middle) * factor))
}

function boundsOf(places: Float32Array, axis: 0 | 1): { readonly middle: number; readonly half: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let n: number = axis; n < places.length; n += 2) {
    least = Math.min(least, places[n] as number)
    most = Math.max(most, places[n] as number)
  }
  return { middle: (least + most) / 2, half: (most - least) / 2 }
}

/** Rows that look the same from this side lie on one spot, and nothing would push them off it. */
function apart(places: Float32Array): Float32Array {
  return places.map((value, n) => value + ASIDE * Math.sin(n))
}
