/**
 * Where a conversation may be cut to be condensed: before a message of the user, so that a tool's result is never parted from its
 * call, nor an answer from its question. Pure.
 */
import { withoutInjected } from '../model/injected.ts'
import type { Said } from '../prompt/said.ts'
import { saidTokens } from '../prompt/said-text.ts'

type Spoken = Pick<Said, 'role' | 'content'>

/**
 * How many of the first messages make one piece: whole exchanges, as many as fit, and one where not even that fits. What stands
 * before the first message of the user goes with its exchange.
 */
export function firstPiece(conversation: readonly Said[], mostTokens: number): number {
  let tokens = 0
  let isBegun = false
  let piece = 0
  for (const [index, said] of conversation.entries()) {
    if (opensExchange(said)) {
      if (isBegun) piece = index
      isBegun = true
    }
    tokens += saidTokens(said)
    if (tokens > mostTokens && piece > 0) return piece
  }
  return conversation.length
}

/**
 * How many of the first messages to condense so that at most `keep` stay. An exchange that is longer than that stays whole. 0: there
 * is nothing to condense.
 */
export function overflowCut(conversation: readonly Spoken[], keep: number): number {
  if (conversation.length <= keep) return 0
  if (keep === 0) return conversation.length
  const first = conversation.length - keep
  // Before the first one there is no exchange to condense.
  const [, ...openings] = conversation.flatMap((said, index) => (opensExchange(said) ? [index] : []))
  return openings.find((index) => index >= first) ?? openings.at(-1) ?? 0
}

/** A message that holds only what we injected was not said by anyone. */
function opensExchange({ role, content }: Spoken): boolean {
  return role === 'user' && withoutInjected(content).trim() !== ''
}
