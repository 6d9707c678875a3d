/**
 * What becomes of MEMORY.md after a model has answered: rewritten, left, or kept for a person to decide. Decided on what is there now,
 * which may be more than the model saw; the operations hold only for that.
 */
import type { Metadata } from '../model/entry.ts'
import type { Expect, Operation } from '../model/operation.ts'
import type { Answer } from './ask-about.ts'
import type { MemoryOutcome } from './consolidated.ts'
import { type LongTermMemory, longTermMemory, rewriteOf } from './long-term-memory.ts'
import { type MemoryPlan, planMemory, type ReviewPlan } from './plan.ts'
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

export type Asked = Pick<Answer, 'seen' | 'update' | 'updateDoubt' | 'wasAskedToCompress'> & {
  /** Why a person is to look at it in any case. */
  readonly doubt?: Pick<ReviewPlan, 'reason' | 'detail'> | undefined
}

export type Decide = (run: Run, asked: Asked) => Promise<MemoryDecision>

/** After that a person is asked: whoever writes so often would be waited for in vain. */
const MOST_DECISIONS = 10

/** What is decided on MEMORY.md and written. Where somebody was faster, it is decided again on what is there by then. */
export async function untilItHolds<T>(
  write: (decide: Decide) => Promise<T>,
  isOvertaken: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write(tries < MOST_DECISIONS ? decideMemory : decideToAsk)
    } catch (error) {
      if (!isOvertaken(error) || tries >= MOST_DECISIONS) throw error
    }
  }
}

async function decideMemory(run: Run, asked: Asked): Promise<MemoryDecision> {
  const now = await longTermMemory(run.memory, run.call)
  const plan = planOf(asked, now)
  if (plan.is === 'unchanged') return decision(now, 'unchanged')
  if (plan.is === 'review') return forReview(now, plan, baseOf(plan, asked, now))
  const { broken, warnings } = await recallCheck(run.memory, now, plan.content, run.call)
  if (broken.length > 0) {
    const why = { content: plan.content, reason: 'breaks recall tests', detail: broken.join('\n') } as const
    return { ...forReview(now, why, now), warnings }
  }
  const rewrite = rewriteOf(run.memory.agent, now, plan.content)
  return { ...decision(now, plan.merged ? 'merged' : 'updated'), ...rewrite, warnings }
}

/** Where MEMORY.md is written to so often that nothing decided on it holds. */
async function decideToAsk(run: Run, asked: Asked): Promise<MemoryDecision> {
  const now = await longTermMemory(run.memory, run.call)
  const plan = planOf(asked, now)
  if (plan.is === 'unchanged') return decision(now, 'unchanged')
  if (plan.is === 'review') return forReview(now, plan, baseOf(plan, asked, now))
  const detail = 'MEMORY.md was rewritten again and again while this was to be written'
  return forReview(now, { content: plan.content, reason: 'conflicts', detail }, now)
}

function planOf(
  { seen, update, updateDoubt, wasAskedToCompress, doubt }: Asked,
  { text: now }: LongTermMemory,
): MemoryPlan {
  if (!doubt) return planMemory({ seen: seen.text, now, update, doubt: updateDoubt, wasAskedToCompress })
  // What came since is merged when it is accepted.
  const plan = planMemory({ seen: seen.text, now: seen.text, update, wasAskedToCompress })
  return plan.is === 'update' ? { is: 'review', content: plan.content, ...doubt } : plan
}

function decision({ revision }: LongTermMemory, outcome: MemoryOutcome): MemoryDecision {
  return { outcome, operations: [], expect: {}, metadata: {}, revision, warnings: [] }
}

/** What conflicts is put beside what is there now, all else of it merged; any other rewrite is of what the model saw. */
function baseOf({ reason }: ReviewPlan, { seen }: Asked, now: LongTermMemory): Answer['seen'] {
  return reason === 'conflicts' ? now : seen
}

/** `base`: what the rewrite is held against when it is accepted; what came after that is merged into it. */
function forReview(
  now: LongTermMemory,
  { content: proposed, reason, detail }: Omit<ReviewPlan, 'is'>,
  { revision: seen }: Pick<LongTermMemory, 'revision'>,
): MemoryDecision {
  return { ...decision(now, 'for review'), metadata: reviewMetadata({ reason, detail, proposed, seen }) }
}
