/**
 * The past without some entries: records of the log and bases of it are rewritten in their places, without what they tell of these. The
 * changes stay, with their numbers, so that nothing looks lost. Everything that lies there is looked at, also what is not read any more.
 */
import type { ChangeRecord } from '../../../codec/change-record.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { changesLog, decodeLog, encodeLog, type LogText, recordName } from '../changes-log.ts'
import { withoutIds } from '../history.ts'
import { openRecord } from '../log/log-reader.ts'
import type { LogRecord } from '../log/numbered-log.ts'
import type { Shelf } from '../server/shelf.ts'
import {
  readSnapshot,
  removeSnapshots,
  type Snapshot,
  type SnapshotNote,
  snapshotNotes,
  writeSnapshot,
} from '../snapshots.ts'

/** Who was purged, and the position of the last record that says so: what is told of them before it must go. */
export type Gone = ReadonlyMap<string, number>

/** What the memory tells of its past, wherever it lies, and who was purged in it. */
interface ToldPast {
  readonly gone: Gone
  /** Those that tell of somebody who is gone. */
  readonly records: readonly ToldRecord[]
  readonly snapshots: readonly ToldSnapshot[]
}

interface ToldRecord {
  readonly record: LogRecord
  readonly told: LogText
  readonly ids: ReadonlySet<string>
}

interface ToldSnapshot {
  readonly note: SnapshotNote
  readonly snapshot: Snapshot
  readonly ids: ReadonlySet<string>
}

/** Every text that those had who are gone, as far as it is still told anywhere; and who they are. */
export async function goneInPast(
  log: Shelf,
  generation: string,
  options: CallOptions,
): Promise<{ readonly gone: Gone; readonly texts: readonly string[] }> {
  const { gone, records, snapshots } = await toldPast(log, generation, options)
  const texts = new Set<string>()
  for (const { told, ids } of records) {
    for (const change of told.changes) for (const text of contentsIn(change, ids)) texts.add(text)
  }
  for (const { snapshot, ids } of snapshots) {
    for (const { id, content } of snapshot.entries) if (ids.has(id)) texts.add(content)
  }
  texts.delete('')
  return { gone, texts: [...texts] }
}

/** How many of those who were purged are still told of: a purge that was cut short has left them. */
export async function unfinishedPurges(log: Shelf, generation: string, options: CallOptions): Promise<number> {
  const { records, snapshots } = await toldPast(log, generation, options)
  return new Set([...records, ...snapshots].flatMap(({ ids }) => [...ids])).size
}

/**
 * Until a look at all of it finds nothing more of anybody who was ever purged. So two that do it at once need not know of each other:
 * what one brings back, because it has read before the other wrote, it finds itself when it looks again.
 */
export async function scrubPast(log: Shelf, generation: string, options: CallOptions): Promise<void> {
  while ((await scrubOnce(log, generation, options)) > 0);
}

/** How much there was to be rewritten. */
async function scrubOnce(log: Shelf, generation: string, options: CallOptions): Promise<number> {
  const { gone, records, snapshots } = await toldPast(log, generation, options)
  const purgedAt = Math.max(0, ...gone.values())
  const folded = await snapshotNotes(log, generation, 'z', options)
  await removeSnapshots(
    log,
    generation,
    folded.filter(({ position }) => position < purgedAt),
    options,
  )
  const bases = snapshots.filter(({ note }) => note.kind === 'b')
  for (const { note, snapshot, ids } of bases) {
    const entries = snapshot.entries.filter(({ id }) => !ids.has(id))
    await writeSnapshot(log, generation, 'b', { ...snapshot, entries }, options)
    await removeSnapshots(log, generation, [note], options)
  }
  for (const { record, told, ids } of records) {
    const changes = told.changes.map((change) => withoutIds(change, ids))
    await changesLog(log, generation).rewrite(record, encodeLog({ ...told, changes }), options)
  }
  return bases.length + records.length
}

/** By kinds, not by positions: also what a retention that was cut short has left before the base. */
async function toldPast(log: Shelf, generation: string, options: CallOptions): Promise<ToldPast> {
  const all: Omit<ToldRecord, 'ids'>[] = []
  for (const kept of await log.find({ g: generation, kind: 'c' }, options)) {
    const record = await openRecord(log, generation, kept, options)
    if (record) all.push({ record, told: decodeLog(record.text, recordName(generation, record.position)) })
  }
  const gone = goneIn(all)
  const records = all.flatMap((one) => {
    const ids = goneBehind(gone, one.record.position)
    const isAbout = ({ operations }: ChangeRecord): boolean => operations.some(({ id = '' }) => ids.has(id))
    return one.told.changes.some(isAbout) ? { ...one, ids } : []
  })
  return { gone, records, snapshots: gone.size === 0 ? [] : await snapshotsAbout(log, generation, gone, options) }
}

function goneIn(records: readonly Omit<ToldRecord, 'ids'>[]): Gone {
  const gone = new Map<string, number>()
  for (const { record, told } of records) {
    for (const id of told.gone ?? []) gone.set(id, Math.max(gone.get(id) ?? 0, record.position))
  }
  return gone
}

async function snapshotsAbout(
  log: Shelf,
  generation: string,
  gone: Gone,
  options: CallOptions,
): Promise<ToldSnapshot[]> {
  const kinds = await Promise.all((['b', 'z'] as const).map((kind) => snapshotNotes(log, generation, kind, options)))
  const about: ToldSnapshot[] = []
  for (const note of kinds.flat()) {
    const ids = goneBehind(gone, note.position)
    const snapshot = ids.size === 0 ? undefined : await readSnapshot(log, generation, note, options)
    if (snapshot?.entries.some(({ id }) => ids.has(id))) about.push({ note, snapshot, ids })
  }
  return about
}

/** Who was purged behind a position. */
function goneBehind(gone: Gone, position: number): ReadonlySet<string> {
  return new Set([...gone].filter(([, at]) => position < at).map(([id]) => id))
}

function contentsIn({ operations }: ChangeRecord, ids: ReadonlySet<string>): string[] {
  return operations.flatMap((operation) => {
    const isTheirs = operation.id !== undefined && ids.has(operation.id)
    if (!isTheirs || (operation.op !== 'add' && operation.op !== 'write')) return []
    return operation.content ?? []
  })
}
