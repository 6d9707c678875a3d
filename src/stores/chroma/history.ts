/**
 * The past: what was there at its beginning, and every change since with what it did, read from the base and the log. Reading only; all of it
 * is read before any is told, so a purge or a cut meanwhile does not change what is told.
 */
import type { ChangeRecord } from '../../codec/change-record.ts'
import { DamagedError, KeepsakeError } from '../../errors.ts'
import type { LoadedHistory } from '../../history/queries.ts'
import type { Entry } from '../../model/entry.ts'
import type { CallOptions, Recorded } from '../../ports/store.ts'
import { take } from '../disk/head-change.ts'
import { changesLog, decodeLog, type LogText, recordName } from './changes-log.ts'
import { changeOf, type Followed } from './followed-memory.ts'
import type { LogRecord } from './log/numbered-log.ts'
import type { LogPoint } from './root.ts'
import type { Shelf } from './server/shelf.ts'
import { readSnapshot, type Snapshot, type SnapshotNote, snapshotNotes } from './snapshots.ts'

/** Up to where the past is wanted, of which memory. */
export type PastEnd = Pick<Followed, 'generation' | 'at' | 'position'>

/** The base, if the past was ever cut off, and the log behind it. */
export interface Past {
  readonly base: Snapshot | undefined
  readonly records: readonly PastRecord[]
}

export interface PastRecord {
  readonly record: LogRecord
  readonly text: LogText
}

/** So often it is read again while others cut it off. */
export const MOST_READINGS = 8

export async function readHistory(
  shelf: Shelf,
  followed: PastEnd | undefined,
  options?: CallOptions,
): Promise<LoadedHistory> {
  if (!followed) return { entries: [], changes: [] }
  const { base, records } = await readPast(shelf, followed, options)
  const gone = new Set<string>()
  const texts = records.toReversed().map(({ text }) => {
    for (const id of text.gone ?? []) gone.add(id)
    return gone.size === 0 ? text.changes : text.changes.map((change) => withoutIds(change, gone))
  })
  const changes = texts.reverse().flat()
  const entries = (base?.entries ?? []).filter(({ id }) => !gone.has(id))
  return {
    ...(base?.since === undefined ? {} : { since: base.since }),
    entries,
    changes: { [Symbol.iterator]: () => replayed(entries, changes) },
  }
}

/** As it stands on the server: what a purge took away may still be told of in it. */
export async function readPast(shelf: Shelf, end: PastEnd, { signal }: CallOptions = {}): Promise<Past> {
  const options = signal ? { signal } : {}
  // As it was when it was asked for: what is followed moves on.
  const { generation, at, position } = end
  const log = changesLog(shelf, generation)
  let isBaseMissing = false
  for (let readings = 0; readings < MOST_READINGS; readings++) {
    const notes = await snapshotNotes(shelf, generation, 'b', options)
    const base = await firstReadable(shelf, generation, notes, options)
    isBaseMissing = notes.length > 0 && base === undefined
    if (isBaseMissing) continue
    const from = base?.position ?? at.position
    const most = Math.max(0, position - from)
    const records = most === 0 ? [] : await log.read(from, { most, ...options })
    if (!records || records.length < most) continue
    const texts = records.map((record) => decodeLog(record.text, recordName(generation, record.position)))
    return { base, records: records.map((record, index) => ({ record, text: texts[index] ?? { changes: [] } })) }
  }
  throw isBaseMissing ? damagedBase(generation) : cutMeanwhile(generation)
}

async function firstReadable(
  shelf: Shelf,
  generation: string,
  notes: readonly SnapshotNote[],
  options: CallOptions,
): Promise<Snapshot | undefined> {
  for (const note of notes) {
    const snapshot = await readSnapshot(shelf, generation, note, options)
    if (snapshot) return snapshot
  }
  return undefined
}

/** Where the kept past begins: the first change that is kept is the one behind this. */
export async function beginningOfPast(
  shelf: Shelf,
  { generation, at }: Omit<PastEnd, 'position'>,
  options?: CallOptions,
): Promise<LogPoint> {
  const [base] = await snapshotNotes(shelf, generation, 'b', options)
  return base ?? at
}

export function cutMeanwhile(generation: string): KeepsakeError {
  return new KeepsakeError('IO', `the past of the memory ${generation} was cut off again and again while it was read`, {
    hint: 'Nothing was lost that was to be kept. Try again.',
  })
}

function damagedBase(generation: string): DamagedError {
  return new DamagedError(
    `the memory ${generation}`,
    'the base of its past can not be read',
    'Nothing was changed, and the entries are not touched by it. Put the data of the server back from a backup to see the past.',
  )
}

function* replayed(base: readonly Entry[], changes: readonly ChangeRecord[]): Generator<Recorded> {
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  for (const change of changes) yield { change: changeOf(change), touched: take(entries, change) }
}

/** The change stays, with its number; what it did to these is gone from it. */
export function withoutIds(change: ChangeRecord, ids: ReadonlySet<string>): ChangeRecord {
  const kept = change.operations.flatMap(({ id }, index) => (id !== undefined && ids.has(id) ? [] : [index]))
  if (kept.length === change.operations.length) return change
  return {
    ...change,
    operations: change.operations.filter((_, index) => kept.includes(index)),
    set: change.set.filter((_, index) => kept.includes(index)),
  }
}
