/** The first live turns, up to where an exchange ends: what an archive is to stand for. Pure. */
import { wholeNumber } from '../model/number.ts'
import { opensExchange } from '../model/opens-exchange.ts'
import type { Turn } from './records.ts'
import { windowStart } from './window.ts'

export interface SpanOptions {
  /** How many exchanges stay as they are; default 0. */
  readonly keep?: number
  /** How many of the first live turns to take, in place of `keep`; lowered to where an exchange ends. */
  readonly take?: (turns: readonly Turn[]) => number
}

const MOST = 1_000_000

/** A marker names its last turn: where a hand has copied that one, it goes as far as the copy. */
export function spanOf(turns: readonly Turn[], { keep = 0, take }: SpanOptions): readonly Turn[] {
  const kept = wholeNumber(keep, 'keep', 0, MOST)
  const end = take ? endWithin(turns, wholeNumber(take(turns), 'take', 0, MOST)) : endBefore(turns, kept)
  const last = turns[end - 1]
  return turns.slice(0, turns.findLastIndex(({ id }) => id === last?.id) + 1)
}

/** Where there are no more exchanges than stay, all stays, with what stands before the first. */
function endBefore(turns: readonly Turn[], kept: number): number {
  const end = windowStart(turns, kept)
  return kept === 0 || turns.slice(0, end).some(opensExchange) ? end : 0
}

/** What stands before the first user's turn goes with that one. */
function endWithin(turns: readonly Turn[], most: number): number {
  if (most >= turns.length) return turns.length
  const first = turns.findIndex(opensExchange)
  const end = turns.slice(0, most + 1).findLastIndex(opensExchange)
  return end > first ? end : 0
}
