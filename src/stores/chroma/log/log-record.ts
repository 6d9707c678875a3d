/**
 * The records of a numbered log as the shelf keeps them: the text where it fits, else a note of its parts; who appended it, as a tag that no
 * two appends share; and what is left where one was taken out of the log. Both ways, without asking the server.
 */
import { DamagedError } from '../../../errors.ts'
import { decodeText, encodeText } from '../bytes.ts'
import { type Label, RECORD_BYTES, type ShelfRecord } from '../server/shelf.ts'
import { type CutParts, cutParts, type PartsNote } from './parts.ts'

export interface LogPlace {
  readonly generation: string
  /** The label that tells its records from those of other sorts. */
  readonly kind: string
  /** An id is this and the position. */
  readonly prefix: string
  /** That each of its records has besides. */
  readonly labels?: Readonly<Record<string, Label>>
}

export interface KnownRecord {
  readonly position: number
  /** Of the append that it is from; a rewriting leaves it. */
  readonly tag: string
}

export interface LogRecord extends KnownRecord {
  readonly text: string
  /** Where a long text is kept. */
  readonly parts?: PartsNote
}

/** Always said, because servers keep a label that a record had before and is not given anew. */
type Form = 'text' | 'parts' | 'erased'

export interface NewRecord {
  readonly record: ShelfRecord
  /** To be added before the record is. */
  readonly parts?: CutParts
}

export function idAt(place: LogPlace, position: number): string {
  return place.prefix + position
}

export function newRecord(place: LogPlace, { position, tag, text }: Omit<LogRecord, 'parts'>): NewRecord {
  const id = idAt(place, position)
  const known = { position, tag }
  if (Buffer.byteLength(text) <= RECORD_BYTES) return { record: { id, text, labels: labelsOf(place, known, 'text') } }
  const parts = cutParts({ generation: place.generation, of: id }, encodeText(text))
  return { record: { id, text: JSON.stringify(parts.note), labels: labelsOf(place, known, 'parts') }, parts }
}

/** Its position stays taken, so that no append that comes late can ever win it. */
export function erasedRecord(place: LogPlace, known: KnownRecord): ShelfRecord {
  return { id: idAt(place, known.position), text: '', labels: labelsOf(place, known, 'erased') }
}

export function isErased(record: ShelfRecord): boolean {
  return formOf(record) === 'erased'
}

export function tagOf({ labels }: ShelfRecord): string {
  return String(labels['tag'])
}

/** The note that a record of a log has in place of its text. */
export function partsOf(record: ShelfRecord): PartsNote | undefined {
  if (formOf(record) !== 'parts') return undefined
  const { id, text } = record
  try {
    return JSON.parse(text) as PartsNote // as newRecord wrote it
  } catch {
    throw damaged(id, 'the note of its parts is no JSON')
  }
}

/** `kept`: its parts, where it has any. */
export function logRecord(
  record: ShelfRecord,
  kept?: { readonly parts: PartsNote; readonly bytes: Uint8Array },
): LogRecord {
  const known = { position: Number(record.labels['n']), tag: tagOf(record) }
  return kept ? { ...known, text: decodeText(kept.bytes), parts: kept.parts } : { ...known, text: record.text }
}

export function damaged(id: string, problem: string): DamagedError {
  return new DamagedError(
    `record ${id}`,
    problem,
    'It was left as it is. Restore the data of the server from a backup, or move the memory back from a copy.',
  )
}

function labelsOf(place: LogPlace, { position, tag }: KnownRecord, form: Form): ShelfRecord['labels'] {
  return { g: place.generation, kind: place.kind, n: position, tag, form, ...place.labels }
}

function formOf({ labels }: ShelfRecord): unknown {
  return labels['form']
}
