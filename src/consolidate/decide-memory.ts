/**
 * What becomes of MEMORY.md after a model has answered: rewritten, left, or kept for a person to decide. Decided on what is there now,
 * which may be more than the model saw; the operations hold only for that.
 */
import type { Metadata } from '../model/entry.ts'
import type { Expect, Operation } from '../model/operation.ts'
import type { Answer } from './ask-about.ts'
import type { MemoryOutcome } from './consolidated.ts'
import { type LongTermMemory, longTermMemory, rewriteOf } from './long-term-memory.ts'
import { type MemoryPlan, planMemory, type ReviewReason } from './plan.ts'
import { recallCheck } from './recall-check.ts'
import { reviewMetadata } from './reviews.ts'
import type { Run } from './run.ts'

export interface MemoryDecision {
  readonly outcome: MemoryOutcome
  readonly operations: readonly Operation[]
  readonly expect: Expect
  /** What the archive is to keep of it. */
  readonly metadata: Metadata
  /** What it was decided on; empty where there was none. */
  readonly revision: string
  readonly warnings: readonly string[]
}

type Asked = Pick<Answer, 'seen' | 'update' | 'wasAskedToCompress'>

export async function decideMemory(run: Run, asked: Asked): Promise<MemoryDecision> {
  const now = await longTermMemory(run.memory, run.call)
  const plan = planOf(asked, now)
  if (plan.is === 'unchanged') return decision(now, 'unchanged')
  if (plan.is === 'review') return forReview(now, plan, plan.reason === 'conflicts' ? now : asked.seen)
  const { broken, warnings } = await recallCheck(run.memory, now, plan.content, run.call)
  if (broken.length > 0) {
    const why = { content: plan.content, reason: 'breaks recall tests', detail: broken.join('\n') } as const
    return { ...forReview(now, why, now), warnings }
  }
  const rewrite = rewriteOf(run.memory.agent, now, plan.content)
  return { ...decision(now, plan.merged ? 'merged' : 'updated'), ...rewrite, warnings }
}

/** Where MEMORY.md is written to so often that nothing decided on it holds. */
export async function decideToAsk(run: Run, asked: Asked): Promise<MemoryDecision> {
  const now = await longTermMemory(run.memory, run.call)
  const plan = planOf(asked, now)
  if (plan.is === 'unchanged') return decision(now, 'unchanged')
  const detail = 'MEMORY.md was rewritten again and again while this was to be written'
  return forReview(now, { content: plan.content, reason: 'conflicts', detail }, now)
}

function planOf({ seen, update, wasAskedToCompress }: Asked, now: LongTermMemory): MemoryPlan {
  return planMemory({ seen: seen.text, now: now.text, update, wasAskedToCompress })
}

function decision({ revision }: LongTermMemory, outcome: MemoryOutcome): MemoryDecision {
  return { outcome, operations: [], expect: {}, metadata: {}, revision, warnings: [] }
}

/** `base`: what the rewrite is held against when it is accepted; what came after that is merged into it. */
function forReview(
  now: LongTermMemory,
  {
    content: proposed,
    reason,
    detail,
  }: { readonly content: string; readonly reason: ReviewReason; readonly detail: string },
  { revision: seen }: Pick<LongTermMemory, 'revision'>,
): MemoryDecision {
  return { ...decision(now, 'for review'), metadata: reviewMetadata({ reason, detail, proposed, seen }) }
}
