/**
 * Deciding on a rewrite that was kept for review: accepted, it is written to MEMORY.md, with what came since merged into it; rejected,
 * it goes. Each is one change, so `undo` brings the question back.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Memory, Written } from '../memory.ts'
import type { Entry, Origin } from '../model/entry.ts'
import type { Change, Expect, Operation } from '../model/operation.ts'
import { CALL_OPTIONS, type CallOptions, requireOptions } from '../model/options.ts'
import { type LongTermMemory, longTermMemory, rewriteOf } from './long-term-memory.ts'
import { mergeLines } from './merge-lines.ts'
import { pendingReview, type Review, reviewIn, withoutReview } from './reviews.ts'

export interface RejectedReview {
  readonly review: Review
  readonly change?: Change
  readonly warnings: readonly string[]
}

/** More often is not chance. */
const MOST_RACES = 10

export async function acceptReview(
  memory: Memory,
  ref?: string,
  options: CallOptions = {},
): Promise<Written & { readonly review: Review }> {
  requireOptions(options, 'acceptReview', CALL_OPTIONS)
  return despiteRaces(async () => {
    const review = await pendingReview(memory, ref, options)
    const now = await longTermMemory(memory, options)
    const content = await acceptedText(memory, review, now, options)
    if (content === undefined) throw doesNotFit(review, now)
    const rewrite = content === now.text ? { operations: [], expect: {} } : rewriteOf(memory.agent, now, content)
    const settled = await settledReview(memory, review, options)
    const { entries, change, warnings } = await memory.apply([...rewrite.operations, ...settled.operations], {
      ...options,
      expect: { ...rewrite.expect, ...settled.expect },
      origin: originOf(memory, review),
    })
    const entry = entries.find(({ kind }) => kind === 'memory') ?? now.entry ?? entries.at(-1)
    if (!entry) throw new Error('unreachable: the archive at least was written')
    const replaced = now.entry && change && content !== now.text ? { replaced: now.revision } : {}
    return { review, entry, ...(change ? { change } : {}), ...replaced, warnings }
  })
}

export async function rejectReview(memory: Memory, ref?: string, options: CallOptions = {}): Promise<RejectedReview> {
  requireOptions(options, 'rejectReview', CALL_OPTIONS)
  return despiteRaces(async () => {
    const review = await pendingReview(memory, ref, options)
    const { operations, expect } = await settledReview(memory, review, options)
    const origin = originOf(memory, review)
    const { change, warnings } = await memory.apply(operations, { ...options, expect, origin })
    return { review, ...(change ? { change } : {}), warnings }
  })
}

/** MEMORY.md as it is, and as it would be if the rewrite were accepted now; that is missing where it does not fit any more. */
export async function ifAccepted(
  memory: Memory,
  review: Review,
  options: CallOptions = {},
): Promise<{ readonly now: string; readonly then?: string }> {
  const now = await longTermMemory(memory, options)
  const then = await acceptedText(memory, review, now, options)
  return { now: now.text, ...(then === undefined ? {} : { then }) }
}

/** What came since the review was made is kept: by lines. `undefined`: both can't stand. */
async function acceptedText(
  memory: Memory,
  { proposed, seen }: Review,
  now: LongTermMemory,
  options: CallOptions,
): Promise<string | undefined> {
  if (now.revision === seen) return proposed
  const base = seen === '' ? '' : await textOfRevision(memory, now.entry, seen, options)
  return base === undefined ? undefined : mergeLines(base, now.text, proposed)
}

function doesNotFit({ name, seen }: Review, now: LongTermMemory): KeepsakeError {
  return new KeepsakeError(
    'CONFLICT',
    `MEMORY.md was changed since, and the rewrite kept with "${name}" does not fit it`,
    {
      hint: 'Write what you want with "keepsake reflect", then drop the rewrite with "keepsake review --reject".',
      data: { review: name, seen, actual: now.revision },
    },
  )
}

async function textOfRevision(
  memory: Memory,
  entry: Entry | undefined,
  revision: string,
  options: CallOptions,
): Promise<string | undefined> {
  const versions = entry ? await memory.store.versions([entry.id], options) : []
  return versions.find((version) => version.entry?.revision === revision)?.entry?.content
}

async function settledReview(
  memory: Memory,
  { id, name }: Review,
  options: CallOptions,
): Promise<{ readonly operations: readonly Operation[]; readonly expect: Expect }> {
  const archive = await memory.get(id, options)
  if (!archive || !reviewIn(archive)) {
    throw new KeepsakeError('CONFLICT', `the rewrite kept with "${name}" was decided on meanwhile`, {
      hint: 'See what is pending with: keepsake review',
    })
  }
  return {
    operations: [{ op: 'write', id, metadata: withoutReview(archive.metadata) }],
    expect: { [id]: archive.revision },
  }
}

function originOf({ agent }: Memory, { session }: Review): Origin {
  return { by: 'consolidation', agent, ...(session === '' ? {} : { session }) }
}

/** Somebody wrote between the look and the write: both again. A conflict that stays is told. */
async function despiteRaces<T>(decide: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await decide()
    } catch (error) {
      const isRace = isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN'].includes(error.code)
      if (!isRace || !('id' in error.data || 'owner' in error.data) || tries >= MOST_RACES) throw error
    }
  }
}
