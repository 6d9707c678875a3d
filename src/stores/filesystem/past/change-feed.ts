/**
 * The feed of changes, read from the journal itself: from its end back to where the reader is, so that it costs what is new
 * and not what is there. Bounded by the catalogue, so that changes, edits and what a read says are of one moment.
 */
import type { JournalRecord } from '../../../codec/journal-record.ts'
import { isKeepsakeError } from '../../../errors.ts'
import type { Change } from '../../../model/operation.ts'
import type { ChangeFeed, Cursor } from '../../../ports/store.ts'
import type { Journal } from '../journal.ts'
import type { Workspace } from '../workspace.ts'

/** Of a workspace that nobody has written to yet. */
const NO_EPOCH = ''

export type ReadChanges = Omit<ChangeFeed, 'edits' | 'problems'>

export function cursorOf({ state, catalog }: Workspace): Cursor {
  return { epoch: state?.epoch ?? NO_EPOCH, number: catalog.number }
}

export function readChanges(workspace: Workspace, since: Cursor | 'now' | undefined): ReadChanges {
  const cursor = cursorOf(workspace)
  if (since === 'now') return { changes: [], cursor, restarted: false }
  const fresh = since?.epoch === cursor.epoch ? recordsAfter(workspace, since.number) : undefined
  if (fresh) return { changes: fresh.map(changeOf), cursor, restarted: false }
  const records = recordsAfter(workspace, undefined) ?? []
  const continues = since?.epoch === NO_EPOCH && since.number === 0 && (records[0]?.number ?? 1) === 1
  return { changes: records.map(changeOf), cursor, restarted: since !== undefined && !continues }
}

/** Those of this epoch, oldest first; all that are kept, or `undefined` where they do not reach back to a number. */
function recordsAfter(workspace: Workspace, number: number | undefined): JournalRecord[] | undefined {
  const records: JournalRecord[] = []
  let next = workspace.catalog.number
  if (next === number) return records
  for (const record of recordsBackwards(workspace)) {
    if (record.number !== next) break // one between is lost
    records.push(record)
    if (--next === number) return records.reverse()
  }
  return number === undefined ? records.reverse() : undefined
}

/** From the end that the catalogue knows: what others have added since comes with the next look. */
function* recordsBackwards({ journal, state }: Workspace): Generator<JournalRecord> {
  if (!state) return
  const { segment: last, offset } = state.position
  for (const segment of journal.segments().reverse()) {
    if (segment > last) continue
    const epoch = segment === last ? state.epoch : epochOf(journal, segment)
    if (epoch === undefined) continue
    if (epoch !== state.epoch) return
    for (const line of journal.linesBackwards(segment, segment === last ? offset : undefined)) {
      if ('record' in line) yield line.record
    }
  }
}

/** `undefined`: it was never begun. One that nobody can read is of no epoch: what was before it can't be told. */
function epochOf(journal: Journal, segment: string): string | undefined {
  try {
    return journal.headerOf(segment)?.epoch
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return NO_EPOCH
  }
}

export function changeOf(record: JournalRecord): Change {
  const { number, at, origin, operations, reverts, found, supersedes, purged } = record
  return {
    number,
    at,
    origin,
    operations,
    ...(reverts === undefined ? {} : { reverts }),
    ...(found ? { found } : {}),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(purged === undefined ? {} : { purged }),
  }
}
