/**
 * The window of a conversation: its last exchanges, as messages. An exchange is a user's turn and what follows it up to the next,
 * so a window begins with a user's turn and never parts a tool's answer from what asked for it. Pure.
 */
import { withoutInjected } from '../model/injected.ts'
import { opensExchange } from '../model/opens-exchange.ts'
import type { Message, Turn } from './records.ts'

/**
 * Where the last `size` exchanges begin in these turns; behind the last of them where there are none. What stands before the
 * first user's turn belongs to no exchange.
 */
export function windowStart(turns: readonly Turn[], size: number): number {
  if (size === 0) return turns.length
  let start = turns.length
  let left = size
  for (let index = turns.length - 1; index >= 0 && left > 0; index--) {
    const turn = turns[index]
    if (!turn || !opensExchange(turn)) continue
    start = index
    left--
  }
  return start
}

/** What was said, without what we injected; turns of which nothing is left, such as bare calls of tools, have no message. */
export function messagesOf(turns: readonly Turn[]): Message[] {
  return turns.flatMap(({ role, content, at }) => {
    const own = withoutInjected(content)
    return own.trim() === '' ? [] : [{ role, content: own, at }]
  })
}
