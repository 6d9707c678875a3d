/**
 * Where a conversation may be cut to be condensed: before a message of the user, so that a tool's result is never parted from its
 * call, nor an answer from its question. Only a model that can't be shown a whole exchange at once reads it in parts. Pure.
 */
import { opensExchange } from '../model/opens-exchange.ts'
import type { Said } from '../prompt/said.ts'
import { saidTokens } from '../prompt/said-text.ts'

type Spoken = Pick<Said, 'role' | 'content'>

/** What one call of the model is given of a conversation, at most. */
export const PIECE_TOKENS = 20_000

/**
 * How many of the first messages make one piece: whole exchanges, as many as fit, and one where not even that fits. What stands
 * before the first message of the user goes with its exchange.
 */
export function firstPiece(conversation: readonly Said[], mostTokens: number): number {
  return firstWithin(conversation, mostTokens, () => false)
}

/**
 * How many of the first messages a model reads at once: a piece, and of an exchange that is longer than that as much as fits, up to where
 * the assistant goes on after the results of its calls.
 */
export function firstPart(conversation: readonly Said[], mostTokens: number): number {
  return firstWithin(conversation, mostTokens, goesOn)
}

function firstWithin(conversation: readonly Said[], mostTokens: number, mayPart: typeof goesOn): number {
  let tokens = 0
  let isBegun = false
  let [exchanges, part] = [0, 0]
  for (const [index, said] of conversation.entries()) {
    if (opensExchange(said)) {
      if (isBegun) exchanges = index
      isBegun = true
    } else if (mayPart(said, conversation[index - 1])) part = index
    tokens += saidTokens(said)
    const end = exchanges || part
    if (tokens > mostTokens && end > 0) return end
  }
  return conversation.length
}

function goesOn({ role }: Said, before: Said | undefined): boolean {
  if (role !== 'assistant' || before === undefined) return false
  const hasCalled = before.role === 'assistant' && (before.tools ?? []).length > 0
  return before.role !== 'user' && !hasCalled
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
