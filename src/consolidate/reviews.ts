/**
 * Rewrites of MEMORY.md that were not applied, but kept for a person to decide on. Each stands in the metadata of the archive of the
 * conversation that it came from, so that it is undone, forgotten and backed up with that.
 */
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import type { EntryHead, JsonValue, Metadata } from '../model/entry.ts'
import { CALL_OPTIONS, type CallOptions, requireOptions } from '../model/options.ts'
import type { ReviewReason } from './plan.ts'

export interface Review {
  /** The archive's. */
  readonly id: string
  readonly name: string
  readonly session: string
  readonly at: string
  readonly reason: ReviewReason
  /** What exactly, as a sentence. */
  readonly detail: string
  /** All of MEMORY.md as the model would have it. */
  readonly proposed: string
  /** The revision of MEMORY.md that it was held against; empty where there was none. */
  readonly seen: string
}

const REASONS: readonly ReviewReason[] = ['shrinks', 'grows', 'breaks recall tests', 'conflicts', 'doubtful']

/** What is pending, oldest first. */
export async function reviews(memory: Memory, options: CallOptions = {}): Promise<readonly Review[]> {
  requireOptions(options, 'reviews', CALL_OPTIONS)
  const archives = await memory.heads({ scopes: [memory.agent], kinds: ['archive'] }, options)
  return archives.flatMap((archive) => reviewIn(archive) ?? [])
}

/** By the archive's id, name or alias; left out, the only one that is pending. */
export async function pendingReview(memory: Memory, ref: string | undefined, options: CallOptions): Promise<Review> {
  const pending = await reviews(memory, options)
  if (ref !== undefined) {
    const { id, name } = await memory.find(ref, options)
    const review = pending.find((one) => one.id === id)
    if (!review) throw nonePending(`no rewrite of MEMORY.md is kept with "${name ?? id}"`)
    return review
  }
  const [review, ...others] = pending
  if (!review) throw nonePending('no rewrite of MEMORY.md is kept for review')
  if (others.length > 0) throw new InvalidError('review', `there are ${pending.length}`, namesOf(pending))
  return review
}

export function reviewMetadata({
  reason,
  detail,
  proposed,
  seen,
}: Omit<Review, 'id' | 'name' | 'session' | 'at'>): Metadata {
  return { review: { reason, detail, memory: proposed, seen } }
}

/** The archive's metadata once it is decided on. */
export function withoutReview({ review: _, ...rest }: Metadata): Metadata {
  return rest
}

/** A hand may have written anything into an archive: what is no review is none. */
export function reviewIn({ id, name, createdAt, metadata }: EntryHead): Review | undefined {
  const { review, session } = metadata
  if (!isObject(review)) return undefined
  const { detail, memory: proposed, seen } = review
  const reason = REASONS.find((one) => one === review['reason'])
  if (reason === undefined || typeof proposed !== 'string') return undefined
  return {
    id,
    name: name ?? '',
    session: typeof session === 'string' ? session : '',
    at: createdAt,
    reason,
    detail: typeof detail === 'string' ? detail : '',
    proposed,
    seen: typeof seen === 'string' ? seen : '',
  }
}

function nonePending(message: string): KeepsakeError {
  return new KeepsakeError('NOT_FOUND', message, { hint: 'See what is pending with: keepsake review' })
}

function namesOf(pending: readonly Review[]): string {
  return `one of ${pending.map(({ name }) => `"${name}"`).join(', ')}`
}

function isObject(value: JsonValue | undefined): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
