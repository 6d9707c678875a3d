/**
 * What becomes of MEMORY.md after a model has rewritten it. Nothing, where the model had nothing to say; the rewrite, with what others
 * wrote while the model was thinking; or a review by a person, where the rewrite drops most of the memory unasked, is too long for any
 * model to read again, may be only a part, or changes the very lines that somebody else has changed. Pure.
 */
import { stripFinalNewlines } from '../model/content.ts'
import { isTooLongToShow } from '../prompt/consolidation-prompt.ts'
import { mergeLines, mergeLinesAsOurs } from './merge-lines.ts'
import { writtenMemory } from './written-memory.ts'

export type ReviewReason = 'shrinks' | 'grows' | 'breaks recall tests' | 'conflicts' | 'doubtful'

export type MemoryPlan =
  | { readonly is: 'unchanged' }
  | {
      readonly is: 'update'
      readonly content: string
      /** It holds what others wrote meanwhile, too. */
      readonly merged?: true
    }
  | ReviewPlan

export interface ReviewPlan {
  readonly is: 'review'
  readonly content: string
  readonly reason: ReviewReason
  readonly detail: string
}

export interface MemoryPlanInput {
  /** MEMORY.md as the model saw it. */
  readonly seen: string
  /** As it is: the same, where nobody has written meanwhile. */
  readonly now: string
  readonly update: string | undefined
  /** Why the update may be only a part of what the model meant. */
  readonly doubt?: string | undefined
  readonly wasAskedToCompress: boolean
}

/** A rewrite of less than this part of the memory has lost the rest. */
const LEAST_PART = 1 / 3

const UNCHANGED: MemoryPlan = { is: 'unchanged' }

export function planMemory(input: MemoryPlanInput): MemoryPlan {
  const [seen, now] = [stripFinalNewlines(input.seen), stripFinalNewlines(input.now)]
  const content = input.update === undefined ? undefined : writtenMemory(input.update, seen)
  if (content === undefined || content === seen) return UNCHANGED
  if (input.doubt !== undefined) {
    // The beginning of what is there already says nothing new.
    return seen.startsWith(content) ? UNCHANGED : { is: 'review', content, reason: 'doubtful', detail: input.doubt }
  }
  const [before, after] = [bytesOf(seen), bytesOf(content)]
  if (isTooLongToShow(seen)) {
    const detail = `MEMORY.md has ${before} bytes: the model has not seen all of it, and its rewrite has ${after}`
    return { is: 'review', content, reason: 'shrinks', detail }
  }
  if (!input.wasAskedToCompress && after < before * LEAST_PART) {
    return { is: 'review', content, reason: 'shrinks', detail: `from ${before} to ${after} bytes, unasked` }
  }
  if (isTooLongToShow(content)) {
    const detail = `from ${before} to ${after} bytes: no model could be shown all of it again, nor compress it`
    return { is: 'review', content, reason: 'grows', detail }
  }
  if (now === seen) return { is: 'update', content }
  const merged = mergeLines(seen, now, content)
  if (merged === undefined) {
    const detail = 'MEMORY.md was changed while the model was thinking, in lines that its rewrite changes too'
    return { is: 'review', content: mergeLinesAsOurs(seen, now, content), reason: 'conflicts', detail }
  }
  return merged === now ? UNCHANGED : { is: 'update', content: merged, merged: true }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
