/**
 * Texts and bytes that are longer than a record may be: cut into parts, each a record of its own under a random tag, and a note of a
 * few bytes that whoever keeps them puts where they belong. Until that is done they are nothing: nobody reads parts without a note.
 * Parts never change. Who may remove those that nobody has a note of: they say which record was to hold it.
 */
import { crc32 } from 'node:zlib'
import type { CallOptions } from '../../../ports/store.ts'
import { concatBytes } from '../bytes.ts'
import { RECORD_BYTES, type Shelf, type ShelfRecord } from '../server/shelf.ts'

/** Where the parts are, and what proves that they are whole. */
export interface PartsNote {
  readonly tag: string
  readonly count: number
  /** Of what they come to together. */
  readonly bytes: number
  readonly crc: number
  /** Missing: they are text as it is. */
  readonly form?: 'base64'
}

export interface PartsPlace {
  readonly generation: string
  /**
   * The id of the record that is to hold the note. Where that one is there with another note and never changes, these parts belong to
   * nobody and never will.
   */
  readonly of: string
}

export interface CutParts {
  readonly note: PartsNote
  readonly records: readonly ShelfRecord[]
}

const BYTES_IN_BASE64 = (RECORD_BYTES / 4) * 3
const CONTINUES = 0b1000_0000
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Durable when it returns, and nothing yet to anybody. */
export async function writeParts(
  shelf: Shelf,
  place: PartsPlace,
  bytes: Uint8Array,
  options?: CallOptions,
): Promise<PartsNote> {
  const { note, records } = cutParts(place, bytes)
  await shelf.add(records, options)
  return note
}

/** `undefined`: not one byte is missing or other than it was, or else nothing is told. */
export async function readParts(
  shelf: Shelf,
  generation: string,
  note: PartsNote,
  options?: CallOptions,
): Promise<Uint8Array | undefined> {
  return joinParts(generation, note, await shelf.get(partIds(generation, note), options))
}

export async function removeParts(
  shelf: Shelf,
  generation: string,
  notes: readonly PartsNote[],
  options?: CallOptions,
): Promise<void> {
  const ids = notes.flatMap((note) => partIds(generation, note))
  if (ids.length > 0) await shelf.remove(ids, options)
}

/** What is to be added before the note can be kept. */
export function cutParts({ generation, of }: PartsPlace, bytes: Uint8Array): CutParts {
  const tag = crypto.randomUUID()
  const { texts, form } = cut(bytes)
  const note = { tag, count: texts.length, bytes: bytes.length, crc: crc32(bytes), ...(form ? { form } : {}) }
  const labels = { g: generation, kind: 'p', tag, of }
  const records = texts.map((text, k) => ({ id: partId(generation, tag, k), text, labels }))
  return { note, records }
}

export function partIds(generation: string, { tag, count }: PartsNote): readonly string[] {
  return Array.from({ length: count }, (_, k) => partId(generation, tag, k))
}

/** As `readParts`, of parts that were read already. */
export function joinParts(
  generation: string,
  note: PartsNote,
  records: ReadonlyMap<string, ShelfRecord>,
): Uint8Array | undefined {
  const texts: string[] = []
  for (const id of partIds(generation, note)) {
    const record = records.get(id)
    if (!record) return undefined
    texts.push(record.text)
  }
  const bytes = concatBytes(texts.map((text) => Buffer.from(text, note.form ?? 'utf8')))
  return bytes.length === note.bytes && crc32(bytes) === note.crc ? bytes : undefined
}

function partId(generation: string, tag: string, k: number): string {
  return `${generation}/p/${tag}/${k}`
}

function cut(bytes: Uint8Array): { readonly texts: readonly string[]; readonly form?: 'base64' } {
  return isPlainText(bytes)
    ? { texts: cutAt(bytes, RECORD_BYTES).map((part) => decoder.decode(part)) }
    : { texts: cutAt(bytes, BYTES_IN_BASE64).map((part) => Buffer.from(part).toString('base64')), form: 'base64' }
}

/** A zero byte ends a text for more than one program that a server may keep its texts in. */
function isPlainText(bytes: Uint8Array): boolean {
  try {
    return !decoder.decode(bytes).includes('\0')
  } catch {
    return false
  }
}

/** Never in the middle of a character, where they are characters; at least one, so that there is something to read. */
function cutAt(bytes: Uint8Array, mostBytes: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let from = 0; from < bytes.length || parts.length === 0; ) {
    let to = Math.min(from + mostBytes, bytes.length)
    for (let back = 0; back < 3 && to < bytes.length && ((bytes[to] ?? 0) & 0b1100_0000) === CONTINUES; back++) to--
    parts.push(bytes.subarray(from, to))
    from = to
  }
  return parts
}
