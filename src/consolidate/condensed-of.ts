/** What a compaction has come to, in the words of condensing; and two of them as one. Pure. */
import type { Compacted } from '../memory.ts'
import type { Consolidated, MemoryOutcome } from './consolidated.ts'
import type { MemoryDecision } from './decide-memory.ts'
import { reviewIn } from './reviews.ts'
import type { Run } from './run.ts'

/** What one of several pieces did to MEMORY.md is done to it; what waits is told by the review. */
const OUTCOMES: readonly MemoryOutcome[] = ['merged', 'updated', 'for review', 'unchanged']

export function condensedOf({ session }: Run, compacted: Compacted, decision?: MemoryDecision): Consolidated {
  const { archive, entries = [], marker, change, warnings } = compacted
  const review = archive && reviewIn(archive)
  return {
    session: session.key,
    outcome: 'condensed',
    history: entries.filter(({ kind }) => kind === 'history'),
    archives: archive ? [archive] : [],
    ...(marker ? { marker } : {}),
    memory: decision?.outcome ?? 'unchanged',
    ...(review ? { review } : {}),
    changes: change ? [change] : [],
    warnings: [...(decision?.warnings ?? []), ...warnings],
  }
}

/** One piece after the other: the last one says how it ended. */
export function together(one: Consolidated, next: Consolidated): Consolidated {
  return {
    ...one,
    ...next,
    history: [...one.history, ...next.history],
    archives: [...one.archives, ...next.archives],
    memory: OUTCOMES.find((outcome) => [one.memory, next.memory].includes(outcome)) ?? 'unchanged',
    changes: [...one.changes, ...next.changes],
    warnings: [...new Set([...one.warnings, ...next.warnings])],
  }
}
