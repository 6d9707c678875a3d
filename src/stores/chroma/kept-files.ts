/**
 * Files of a folder that came with a move, documents among them: a record each, found by its path, and what it says in parts, for a file may be
 * long and hold a thousand entries. They are written once, by a move, and only a purge takes some away. To the byte.
 */
import { isListOf, isMapping, isText } from '../../codec/head-shape.ts'
import { InvalidError } from '../../errors.ts'
import type { CallOptions, KeptFile } from '../../ports/store.ts'
import { isDocumentName } from '../disk/documents.ts'
import { decodeText } from '../disk/reading.ts'
import { NEWLINE, parseLine } from '../disk/session-tail.ts'
import { sha256Hex } from '../disk/sha256.ts'
import { damaged } from './log/log-record.ts'
import { type PartsNote, readParts, writeParts } from './log/parts.ts'
import type { Shelf, ShelfRecord } from './server/shelf.ts'

const KIND = 'f'
const HASH_DIGITS = 32

/** Only for a generation that nobody knows of yet. */
export async function writeFiles(
  log: Shelf,
  generation: string,
  files: AsyncIterable<KeptFile>,
  options: CallOptions = {},
): Promise<void> {
  for await (const file of files) {
    const id = idOf(generation, file.path)
    const parts = await writeParts(log, { generation, of: id }, encoded(file), options)
    await log.add([recordOf(generation, { id, path: file.path, parts })], options)
  }
}

/** By path. Each is read when it is asked for. */
export async function* allFiles(log: Shelf, generation: string, options: CallOptions = {}): AsyncGenerator<KeptFile> {
  for (const note of await allNotes(log, generation, options)) {
    const file = await read(log, generation, note, options)
    if (file) yield file
  }
}

/** Those that hold a text of one of these entries go: their bytes can't be cut without knowing them as a folder does. How many it were. */
export async function removeFilesOf(
  log: Shelf,
  generation: string,
  ids: ReadonlySet<string>,
  options: CallOptions = {},
): Promise<number> {
  let removed = 0
  for (const note of await allNotes(log, generation, options)) {
    const { id, path } = note
    const file = await read(log, generation, note, options)
    if (file && !file.entries.some((entry) => ids.has(entry.id))) continue
    // What is cut short from here on is no file any more, and is found again by its record.
    await log.put([recordOf(generation, { id, path })], options)
    await log.remove(await log.findIds({ g: generation, kind: 'p', of: id }, options), options)
    await log.remove([id], options)
    removed++
  }
  return removed
}

export function refuseNoDocument(name: string): void {
  if (isDocumentName(name)) return
  throw new InvalidError('document', `"${name}"`, 'a path of lower-case words that ends in .md')
}

export async function readDocument(
  log: Shelf,
  generation: string,
  name: string,
  options: CallOptions = {},
): Promise<string | undefined> {
  const id = idOf(generation, name)
  const record = (await log.get([id], options)).get(id)
  const file = record && (await read(log, generation, noteIn(record), options))
  return file && decodeText(file.bytes)
}

interface FileNote {
  readonly id: string
  readonly path: string
  /** Missing: it is being removed. */
  readonly parts?: PartsNote
}

async function allNotes(log: Shelf, generation: string, options: CallOptions): Promise<FileNote[]> {
  const records = await log.find({ g: generation, kind: KIND }, options)
  return records.map(noteIn).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function noteIn({ id, text }: ShelfRecord): FileNote {
  try {
    return { id, ...(JSON.parse(text) as Omit<FileNote, 'id'>) } // as recordOf wrote it
  } catch {
    throw damaged(id, 'it does not say which file it is')
  }
}

function recordOf(generation: string, { id, path, parts }: FileNote): ShelfRecord {
  return { id, text: JSON.stringify({ path, parts }), labels: { g: generation, kind: KIND } }
}

async function read(
  log: Shelf,
  generation: string,
  note: FileNote,
  options: CallOptions,
): Promise<KeptFile | undefined> {
  if (!note.parts) return undefined
  const payload = await readParts(log, generation, note.parts, options)
  if (!payload) throw damaged(note.id, `parts of the file ${note.path} are missing, or not as they were written`)
  return decoded(payload, note)
}

/** A line of JSON, and the bytes. */
function encoded({ path, entries, bytes }: KeptFile): Uint8Array {
  const named = entries.map(({ id, revision }) => ({ id, revision }))
  return Buffer.concat([Buffer.from(`${JSON.stringify({ path, entries: named })}\n`), bytes])
}

function decoded(payload: Uint8Array, { id }: FileNote): KeptFile {
  const end = payload.indexOf(NEWLINE)
  const head = parseLine(payload.subarray(0, end))
  if (!isKeptFile(head)) throw damaged(id, 'it does not say which file it is')
  return { path: head.path, entries: head.entries, bytes: payload.subarray(end + 1) }
}

function idOf(generation: string, path: string): string {
  return `${generation}/${KIND}/${sha256Hex(path).slice(0, HASH_DIGITS)}`
}

function isKeptFile(value: unknown): value is Pick<KeptFile, 'path' | 'entries'> {
  const isNamed = (entry: unknown): boolean => isMapping(entry) && isText(entry['id']) && isText(entry['revision'])
  return isMapping(value) && isText(value['path']) && isListOf(value['entries'], isNamed)
}
