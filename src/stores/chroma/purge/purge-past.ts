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
import { readSnapshot, removeSnapshots, type Snapshot, snapshotNotes, writeSnapshot } from '../snapshots.ts'

export interface Scrub {
  readonly ids: ReadonlySet<string>
  /** The position of the purge's own record: what is told behind it is told anew. */
  readonly before: number
}

/** Every text that they ever had, as far as it is told anywhere. */
export async function textsInPast(
  log: Shelf,
  generation: string,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<readonly string[]> {
  const texts = new Set<string>()
  for (const { told } of await recordsAbout(log, generation, ids, options)) {
    for (const change of told.changes) for (const text of contentsIn(change, ids)) texts.add(text)
  }
  for (const { entries } of await basesAbout(log, generation, ids, options)) {
    for (const { id, content } of entries) if (ids.has(id)) texts.add(content)
  }
  texts.delete('')
  return [...texts]
}

/** Until a look at all of it finds nothing more. */
export async function scrubPast(log: Shelf, generation: string, scrub: Scrub, options: CallOptions): Promise<void> {
  while ((await scrubOnce(log, generation, scrub, options)) > 0);
}

/** How much there was to be rewritten. */
async function scrubOnce(
  log: Shelf,
  generation: string,
  { ids, before }: Scrub,
  options: CallOptions,
): Promise<number> {
  const folded = await snapshotNotes(log, generation, 'z', options)
  const outdated = folded.filter(({ position }) => position < before)
  await removeSnapshots(log, generation, outdated, options)
  const bases = (await basesAbout(log, generation, ids, options)).filter(({ position }) => position < before)
  for (const base of bases) {
    const entries = base.entries.filter(({ id }) => !ids.has(id))
    await writeSnapshot(log, generation, 'b', { ...base, entries }, options)
  }
  const records = (await recordsAbout(log, generation, ids, options)).filter(({ record }) => record.position < before)
  for (const { record, told } of records) {
    const changes = told.changes.map((change) => withoutIds(change, ids))
    await changesLog(log, generation).rewrite(record, encodeLog({ ...told, changes }), options)
  }
  return bases.length + records.length
}

interface AboutThem {
  readonly record: LogRecord
  readonly told: LogText
}

/** By its kind, not by its positions: also what a retention that was cut short has left before the base. */
async function recordsAbout(
  log: Shelf,
  generation: string,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<AboutThem[]> {
  const about: AboutThem[] = []
  for (const kept of await log.find({ g: generation, kind: 'c' }, options)) {
    const record = await openRecord(log, generation, kept, options)
    if (!record || !mentions(record.text, ids)) continue
    const told = decodeLog(record.text, recordName(generation, record.position))
    if (told.changes.some(({ operations }) => operations.some(({ id }) => id !== undefined && ids.has(id)))) {
      about.push({ record, told })
    }
  }
  return about
}

/** Ids stand in the JSON as they are, so a text without one of them is not about them. */
function mentions(text: string, ids: ReadonlySet<string>): boolean {
  for (const id of ids) if (text.includes(id)) return true
  return false
}

async function basesAbout(
  log: Shelf,
  generation: string,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<Snapshot[]> {
  const about: Snapshot[] = []
  for (const note of await snapshotNotes(log, generation, 'b', options)) {
    const base = await readSnapshot(log, generation, note, options)
    if (base?.entries.some(({ id }) => ids.has(id))) about.push(base)
  }
  return about
}

function contentsIn({ operations }: ChangeRecord, ids: ReadonlySet<string>): string[] {
  return operations.flatMap((operation) => {
    const isTheirs = operation.id !== undefined && ids.has(operation.id)
    if (!isTheirs || (operation.op !== 'add' && operation.op !== 'write')) return []
    return operation.content ?? []
  })
}
