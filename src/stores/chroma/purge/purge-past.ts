/**
 * The past without some entries: records of the log and bases of it are rewritten in their places, without what they tell of these. The
 * changes stay, with their numbers, so that nothing looks lost. Everything that lies there is looked at, also what is not read any more.
 */
import { type Scope, WORLD } from '../../../model/entry.ts'
import { entryTexts, type PurgedText } from '../../../model/redaction.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { changesLog, decodeLog, encodeLog, type LogText, recordName } from '../changes-log.ts'
import { cutMeanwhile, withoutIds } from '../history.ts'
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

/** Each takes out what the last one was kept from, or others brought back. */
const MOST_ROUNDS = 16

/** Who was purged, and the position of the last record that says so: what is told of them before it must go. */
export type Gone = ReadonlyMap<string, number>

/** What the memory tells of its past, wherever it lies, and who was purged in it. */
interface ToldPast {
  readonly gone: Gone
  /** The agent that ran the purge, by the id of each purged entry. */
  readonly askedBy: ReadonlyMap<string, Scope>
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
): Promise<{ readonly gone: Gone; readonly texts: readonly PurgedText[] }> {
  const past = await toldPast(log, generation, options)
  return { gone: past.gone, texts: textsIn(past) }
}

function textsIn({ askedBy, records, snapshots }: ToldPast): readonly PurgedText[] {
  const scopes = new Map<string, Scope>()
  const contents = new Map<string, Set<string>>()
  const note = (id: string, texts: readonly string[]): void =>
    void contents.set(id, new Set([...(contents.get(id) ?? []), ...texts]))
  for (const { snapshot, ids } of snapshots) {
    for (const entry of snapshot.entries.filter(({ id }) => ids.has(id))) {
      scopes.set(entry.id, entry.scope)
      note(entry.id, entryTexts(entry))
    }
  }
  for (const { told, ids } of records) {
    for (const operation of told.changes.flatMap(({ operations }) => operations)) {
      const { op, id } = operation
      if (id === undefined || !ids.has(id) || (op !== 'add' && op !== 'write')) continue
      if (op === 'add') scopes.set(id, operation.scope)
      note(id, entryTexts(operation))
    }
  }
  return [...contents].flatMap(([id, texts]) => {
    // If the scope is gone, an earlier purge was interrupted after it had redacted the sessions.
    const scope = scopes.get(id) ?? WORLD
    const agent = scope === WORLD ? (askedBy.get(id) ?? WORLD) : scope
    return [...texts].map((text) => ({ agent, text }))
  })
}

/** How many of those who were purged are still told of: a purge that was cut short has left them. */
export async function unfinishedPurges(log: Shelf, generation: string, options: CallOptions): Promise<number> {
  const { records, snapshots } = await toldPast(log, generation, options)
  return new Set([...records, ...snapshots].flatMap(({ ids }) => [...ids])).size
}

/** What is done with the texts that are about to go, before nobody can tell them any more. */
export type LookFor = (texts: readonly PurgedText[]) => Promise<void>

/**
 * Until a look at all of it finds nothing more of anybody who was ever purged. So two that do it at once need not know of each other:
 * what one brings back, because it has read before the other wrote, it finds itself when it looks again.
 */
export async function scrubPast(log: Shelf, generation: string, lookFor: LookFor, options: CallOptions): Promise<void> {
  for (let rounds = 0; (await scrubOnce(log, generation, lookFor, options)) > 0; rounds++) {
    if (rounds === MOST_ROUNDS) throw cutMeanwhile(generation)
  }
}

/** How much there was to be rewritten. */
async function scrubOnce(log: Shelf, generation: string, lookFor: LookFor, options: CallOptions): Promise<number> {
  const past = await toldPast(log, generation, options)
  const { gone, records, snapshots } = past
  await lookFor(textsIn(past))
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
    const fresh = await writeSnapshot(log, generation, 'b', { ...snapshot, entries }, options)
    // Who removes what belongs to nobody may have met its parts before the record that names them.
    const isThere = (await readSnapshot(log, generation, fresh, options)) !== undefined
    await removeSnapshots(log, generation, [isThere ? note : fresh], options)
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
    const ids = goneInRecord(gone, one.record.position, one.told)
    return ids.size > 0 ? { ...one, ids } : []
  })
  const askedBy = new Map(
    all.flatMap(({ told: { gone: ids = [], agent } }) =>
      agent === undefined ? [] : ids.map((id) => [id, agent] as const),
    ),
  )
  const snapshots = gone.size === 0 ? [] : await snapshotsAbout(log, generation, gone, options)
  return { gone, askedBy, records, snapshots }
}

export function goneIn(records: readonly Omit<ToldRecord, 'ids'>[]): Gone {
  const gone = new Map<string, number>()
  for (const { record, told } of records) {
    for (const id of told.gone ?? []) gone.set(id, Math.max(gone.get(id) ?? 0, record.position))
  }
  return gone
}

/** Of whom a record tells that was purged behind it. */
export function goneInRecord(gone: Gone, position: number, { changes }: LogText): ReadonlySet<string> {
  const ids = changes.flatMap(({ operations }) => operations.flatMap(({ id }) => id ?? []))
  return goneOf(gone, position, ids)
}

/** Who of these was purged behind a position. */
export function goneOf(gone: Gone, position: number, ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.filter((id) => (gone.get(id) ?? 0) > position))
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
    const snapshot = await readSnapshot(log, generation, note, options)
    const all = snapshot?.entries.map(({ id }) => id) ?? []
    const ids = goneOf(gone, note.position, all)
    if (snapshot && ids.size > 0) about.push({ note, snapshot, ids })
  }
  return about
}
