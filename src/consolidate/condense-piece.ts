/**
 * One piece of a conversation: the model is asked about it, and what it says is written in one change with the archive. Where
 * MEMORY.md was written to in between, it is decided again on what is there by then, with the same answer.
 */
import type { Compacted, SummaryInput, Summed, Turn } from '../memory.ts'
import { answerInParts, type WholeAnswer } from './answer-in-parts.ts'
import type { Answer } from './ask-about.ts'
import type { ModelFailure } from './ask-model.ts'
import { conversationOf } from './conversation-of.ts'
import { type Decide, type MemoryDecision, untilItHolds } from './decide-memory.ts'
import { historyEntry } from './history-entry.ts'
import { longTermMemory } from './long-term-memory.ts'
import { originOf, type Run } from './run.ts'

export interface Piece {
  /** The id of its last turn. */
  readonly through: string
  readonly reason: 'compact' | 'trim' | 'new'
}

export type PieceOutcome =
  | { readonly compacted: Compacted; readonly decision: MemoryDecision }
  | { readonly nothing: 'was said' | Compacted['why'] }
  | ModelFailure

type Answered = WholeAnswer | ModelFailure | { readonly nothing: 'was said' }

/** MEMORY.md is not what it was when it was decided what becomes of it. */
class Overtaken extends Error {}

export async function condensePiece(run: Run, piece: Piece): Promise<PieceOutcome> {
  const answerTo = answerOnce(run)
  return untilItHolds(
    (decide) => condenseOnce(run, piece, answerTo, decide),
    (error) => error instanceof Overtaken,
  )
}

async function condenseOnce(
  run: Run,
  { through, reason }: Piece,
  answerTo: (input: SummaryInput) => Promise<Answered>,
  decide: Decide,
): Promise<PieceOutcome> {
  let answer: Answered | undefined
  let decision: MemoryDecision | undefined
  const summary = async (input: SummaryInput): Promise<Summed | undefined> => {
    answer = await answerTo(input)
    if ('failure' in answer || 'nothing' in answer) return undefined
    run.told('writing')
    decision = await decide(run, answer)
    return summedOf(run, answer, decision)
  }
  const compacted = await run.session.compact({ summary, take: upTo(through), reason, ...run.call })
  if (answer && ('failure' in answer || 'nothing' in answer)) return answer
  return compacted.compacted && decision ? { compacted, decision } : { nothing: compacted.why }
}

/** The model is asked about other turns only where others were condensed, or taken back, meanwhile. */
function answerOnce(run: Run): (input: SummaryInput) => Promise<Answered> {
  let known: { readonly span: string; readonly answer: Answered } | undefined
  return async ({ turns, messages, previous }) => {
    const span = turns.map(({ id }) => id).join('\0')
    if (known?.span !== span) {
      const conversation = conversationOf({ turns, messages })
      const isSilent = conversation.length === 0
      const answer = isSilent
        ? ({ nothing: 'was said' } as const)
        : await answerInParts(run, { conversation, previous })
      known = { span, answer }
    }
    return known.answer
  }
}

/** How many of the first turns these are; none where somebody else has condensed that one. */
export function upTo(through: string): (turns: readonly Turn[]) => number {
  return (turns) => turns.findLastIndex(({ id }) => id === through) + 1
}

function summedOf(run: Run, answer: Answer, decision: MemoryDecision): Summed {
  const { memory, session, call } = run
  return {
    text: answer.archiveText,
    origin: originOf(run, 'consolidation'),
    metadata: decision.metadata,
    beside: async (archive) => {
      const isRewrite = decision.operations.length > 0
      if (isRewrite && (await longTermMemory(memory, call)).revision !== decision.revision) throw new Overtaken()
      const history = historyEntry(memory.agent, session.key, archive.id, answer.historyText)
      return {
        operations: [history.operation, ...decision.operations],
        expect: { ...history.expect, ...decision.expect },
      }
    },
  }
}
