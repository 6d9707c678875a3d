/**
 * All entries as of one position of the log, so that nobody has to read the log from its beginning: `z`, to load from, and `b`, the base
 * of the kept past. The texts stand in parts; the record with their note commits. A snapshot never changes, and no two share an id, so
 * whoever comes late takes away its own alone. The newest that can be read counts; others may be taken away while somebody reads them.
 */

import { isCount, isHead, isListOf, isMapping, isText, isTime } from '../../codec/head-shape.ts'
import type { Entry } from '../../model/entry.ts'
import type { CallOptions } from '../../ports/store.ts'
import { decodeText, encodeText } from './bytes.ts'
import { damagedRecord } from './changes-log.ts'
import { type PartsNote, readParts, removeParts, writeParts } from './log/parts.ts'
import { parsed } from './parsed.ts'
import type { LogPoint } from './root.ts'
import type { Shelf, ShelfRecord } from './server/shelf.ts'

export type SnapshotKind = 'z' | 'b'

export interface Snapshot extends LogPoint {
  readonly epoch: string
  /** Of a base: from when on it is known what was there. */
  readonly since?: string
  readonly entries: readonly Entry[]
}

/** Where one is kept, without its entries. */
export interface SnapshotNote extends Omit<Snapshot, 'entries'> {
  readonly id: string
  readonly kind: SnapshotKind
  /** How many. */
  readonly entries: number
  readonly parts: PartsNote
}

/** Durable when it returns. */
export async function writeSnapshot(
  log: Shelf,
  generation: string,
  kind: SnapshotKind,
  { entries, ...told }: Snapshot,
  options?: CallOptions,
): Promise<SnapshotNote> {
  const id = `${generation}/${kind}/${told.position}/${crypto.randomUUID()}`
  const parts = await writeParts(log, { generation, of: id }, encodeText(JSON.stringify(entries)), options)
  const note = { ...told, entries: entries.length, parts }
  await log.add([{ id, text: JSON.stringify(note), labels: { g: generation, kind, n: told.position } }], options)
  return { ...note, id, kind }
}

/** The newest first. */
export async function snapshotNotes(
  log: Shelf,
  generation: string,
  kind: SnapshotKind,
  options?: CallOptions,
): Promise<readonly SnapshotNote[]> {
  const records = await log.find({ g: generation, kind }, options)
  return records.map((record) => decodeNote(record, kind)).sort((a, b) => b.position - a.position)
}

/** `undefined`: it was taken away while it was read, or what is left of it is damaged. */
export async function readSnapshot(
  log: Shelf,
  generation: string,
  { id, kind: _, parts, entries: count, ...told }: SnapshotNote,
  options?: CallOptions,
): Promise<Snapshot | undefined> {
  const bytes = await readParts(log, generation, parts, options)
  const entries: unknown = bytes && JSON.parse(decodeText(bytes))
  if (entries === undefined) return undefined
  if (isListOf<Entry>(entries, isEntry) && entries.length === count) return { ...told, entries }
  throw damagedRecord(`record ${id} of keepsake-log`)
}

/** The records first: nobody is led to parts that are gone. */
export async function removeSnapshots(
  log: Shelf,
  generation: string,
  notes: readonly SnapshotNote[],
  options?: CallOptions,
): Promise<void> {
  if (notes.length === 0) return
  await log.remove(
    notes.map(({ id }) => id),
    options,
  )
  const parts = notes.map((note) => note.parts)
  await removeParts(log, generation, parts, options)
}

function decodeNote({ id, text }: ShelfRecord, kind: SnapshotKind): SnapshotNote {
  const record = `record ${id} of keepsake-log`
  const value = parsed(text)
  if (!isMapping(value)) throw damagedRecord(record)
  const { position, number, nextSeq, epoch, since, entries, parts } = value
  const isRight =
    [position, number, nextSeq, entries].every(isCount) &&
    isText(epoch) &&
    (since === undefined || isTime(since)) &&
    isMapping(parts) &&
    isText(parts['tag']) &&
    [parts['count'], parts['bytes'], parts['crc']].every(isCount)
  if (!isRight) throw damagedRecord(record)
  return { ...(value as unknown as Omit<SnapshotNote, 'id' | 'kind'>), id, kind } // each of its fields was looked at
}

function isEntry(value: unknown): boolean {
  return isHead(value) && 'content' in value && isText(value.content)
}
