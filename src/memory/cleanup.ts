/**
 * Removing what has expired, of what one agent sees and of nothing else. Nothing expired is ever shown, so this only frees room.
 * Compare-and-swap: one whose life is prolonged meanwhile stays. What says when it began or ends in a way that nobody can read is
 * told, and kept.
 */
import { isKeepsakeError } from '../errors.ts'
import type { EntryHead } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { CallOptions, Problem } from '../ports/store.ts'
import { applyAs } from './apply-as.ts'
import { asRead, removals } from './removals.ts'
import type { View } from './view.ts'

export interface CleanupOptions extends CallOptions {
  /** Whether to look for dates that can't be read, which takes a look into every file; default true. */
  readonly unreadable?: boolean
}

export interface CleanedUp {
  readonly deleted: number
  /** As they were. */
  readonly entries: readonly EntryHead[]
  /** What says when it began or ends, but not in a way that can be read: it is not removed for that. */
  readonly unreadable: readonly Problem[]
  readonly warnings: readonly string[]
}

/** Of one change: a memory that was left alone for years has many. */
const MOST_AT_ONCE = 1000
/** Each time that this one comes too late, another one has written. */
const MOST_RACES = 100

export async function cleanUp(view: View, options: CleanupOptions): Promise<CleanedUp> {
  const call = options.signal ? { signal: options.signal } : {}
  const entries: EntryHead[] = []
  const warnings: string[] = []
  const settled = new Set<string>()
  let most = MOST_AT_ONCE
  for (let races = 0; ; ) {
    const expired = (await expiredHeads(view, call)).filter(({ id }) => !settled.has(id)).slice(0, most)
    if (expired.length === 0) break
    try {
      warnings.push(...(await removed(view, expired, call)))
      entries.push(...expired)
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      if (error.code === 'DAMAGED') {
        // A file that a hand has left half done keeps its own entry, not all others: halves lead to it.
        most = Math.ceil(expired.length / 2)
        if (expired.length > 1) continue
        warnings.push(error.message)
      } else if (!['CONFLICT', 'NOT_FOUND'].includes(error.code) || ++races >= MOST_RACES) throw error
      // Someone has written to one of them, or removed it: what is expired now is looked up again.
      else continue
    }
    most = MOST_AT_ONCE
    for (const { id } of expired) settled.add(id)
  }
  return {
    deleted: entries.length,
    entries,
    unreadable: options.unreadable === false ? [] : await undated(view),
    warnings,
  }
}

async function expiredHeads(view: View, call: CallOptions): Promise<readonly EntryHead[]> {
  const now = view.now()
  return (await view.store.heads({ scopes: view.scopes }, call)).filter((head) => isExpired(head, now))
}

async function removed(
  { store, agent }: View,
  heads: readonly EntryHead[],
  call: CallOptions,
): Promise<readonly string[]> {
  const batch = { operations: removals(heads), origin: { by: 'agent', agent } } as const
  return (await applyAs(store, agent, batch, { ...call, expect: asRead(store, heads) })).warnings
}

async function undated({ store, scopes }: View): Promise<readonly Problem[]> {
  const problems = await store.problems({ scopes, everyFile: true })
  return problems.filter((problem) => problem.undated)
}
