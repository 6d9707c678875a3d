/**
 * The journal's line: a checksum, a blank, one JSON object. Lines are read until the first that is not whole; what follows
 * a torn one is cut by whoever holds the lock. Texts stand in a record once: a file's text that ends with the content of
 * an operation, as nearly all do, refers to it.
 */
import type { EntryHead } from '../model/entry.ts'
import type { Change, Operation } from '../model/operation.ts'
import { digest16 } from '../model/revision.ts'

export const JOURNAL_VERSION = 1

/** The first line of every segment. A journal belongs to one workspace, one host and one epoch. */
export interface JournalHeader {
  readonly keepsake: 'journal'
  readonly version: number
  readonly workspace: string
  readonly host: string
  /** File data that was not synced survives a crash of the program, but not a new boot. */
  readonly boot: string
  readonly epoch: string
  /** The inode of this very file: a copy has another. */
  readonly inode: number
  /** When it was begun. */
  readonly at: string
  /** In the first segment of an epoch: the change that it goes on from. Missing: what was there before is in its records. */
  readonly from?: ChangePlace
}

/** One change among those of all epochs: a copied journal may have been written on by both sides. */
export interface ChangePlace {
  readonly epoch: string
  readonly number: number
}

/** What a batch does to one file: a whole new text (or none, for removal), or a text at its end. */
export type FileWrite =
  | {
      readonly path: string
      /** Hashes; `null` for "no file". */
      readonly before: string | null
      readonly after: string | null
      readonly text: string
      /** A hand wrote it; the record only keeps its text. */
      readonly seen?: true
    }
  | { readonly path: string; readonly at: number; readonly append: string }

export interface JournalRecord extends Change {
  /** Batches that shared one sync share a turn: only the files of the last turn can be unwritten. */
  readonly turn: number
  /** For each operation what it changed beyond what it says: revision, path, names that moved. */
  readonly set: readonly Partial<EntryHead>[]
  readonly files: readonly FileWrite[]
  /** Files of earlier records, come to rest since: what tells without reading them that they are as written. */
  readonly signed?: readonly (readonly [path: string, signature: Signature])[]
}

export type Signature = readonly [inode: number, size: number, mtimeMs: number, ctimeMs: number]

export type JournalLine = { readonly header: JournalHeader } | { readonly record: JournalRecord }

export interface JournalPart {
  readonly lines: readonly JournalLine[]
  /** Bytes of whole lines. */
  readonly length: number
  /** `torn`: the rest is the beginning of a line. `damaged`: something whole but wrong, or lines after a bad one. */
  readonly rest: 'none' | 'torn' | 'damaged'
}

/** 16 hex digits of SHA-256: the model's, or a faster one that a store has. */
export type Digest = (text: string) => string

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const NEWLINE = 10
/** Below this a reference costs more to read than it saves. */
const SHORTEST_SHARED = 64

export function encodeHeader(header: JournalHeader, digest: Digest = digest16): Uint8Array {
  return encodeLine(JSON.stringify(header), digest)
}

export function encodeRecord(record: JournalRecord, digest: Digest = digest16): Uint8Array {
  const contents = contentsOf(record.operations)
  const files = record.files.map((file) => shareText(file, contents))
  return encodeLine(JSON.stringify({ ...record, files }), digest)
}

export function decodeJournal(bytes: Uint8Array, digest: Digest = digest16): JournalPart {
  const lines: JournalLine[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(NEWLINE, start)
    const line = end === -1 ? undefined : decodeLine(bytes.subarray(start, end), digest)
    if (!line) {
      // A crash leaves an unfinished line, or NULs where data never reached the disk. All else is damage, not to be cut.
      const torn = end === -1 || bytes.subarray(start).includes(0)
      return { lines, length: start, rest: torn ? 'torn' : 'damaged' }
    }
    lines.push(line)
    start = end + 1
  }
  return { lines, length: start, rest: 'none' }
}

function encodeLine(json: string, digest: Digest): Uint8Array {
  return encoder.encode(`${digest(json)} ${json}\n`)
}

function decodeLine(bytes: Uint8Array, digest: Digest): JournalLine | undefined {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return undefined
  }
  const json = text.slice(17)
  if (text[16] !== ' ' || digest(json) !== text.slice(0, 16)) return undefined
  // The checksum proves that these are bytes that we wrote, so their shape is known.
  const value = JSON.parse(json) as JournalHeader | SharedRecord
  if ('keepsake' in value) return { header: value }
  return { record: { ...value, files: value.files.map((file) => restoreText(file, value.operations)) } }
}

type Shared = readonly [head: string, operation: number, tail: string]
type SharedFile = { readonly path: string; readonly text?: string | Shared; readonly append?: string | Shared }
type SharedRecord = Omit<JournalRecord, 'files'> & { readonly files: readonly SharedFile[] }

/** Long ones by their text without its last line ends, each with the place of its operation. */
interface Contents {
  readonly places: ReadonlyMap<string, number>
  readonly lengths: ReadonlySet<number>
  readonly operations: readonly Operation[]
}

function contentsOf(operations: readonly Operation[]): Contents {
  const places = new Map<string, number>()
  for (const [index, operation] of operations.entries()) {
    const content = contentOf(operation)
    const end = endOfText(content)
    if (end >= SHORTEST_SHARED) places.set(content.slice(0, end), index)
  }
  return { places, lengths: new Set([...places.keys()].map(({ length }) => length)), operations }
}

function shareText(file: FileWrite, contents: Contents): SharedFile {
  if ('append' in file) return { ...file, append: share(file.append, contents) }
  return { ...file, text: share(file.text, contents) }
}

/** A look at each line's start: to search every text for every content would take hours for a batch of many thousands. */
function share(text: string, { places, lengths, operations }: Contents): string | Shared {
  const end = endOfText(text)
  for (let at = 0; end - at >= SHORTEST_SHARED; ) {
    const index = lengths.has(end - at) ? places.get(text.slice(at, end)) : undefined
    const operation = index === undefined ? undefined : operations[index]
    if (index !== undefined && operation && text.startsWith(contentOf(operation), at)) {
      return [text.slice(0, at), index, text.slice(at + contentOf(operation).length)]
    }
    const lineEnd = text.indexOf('\n', at)
    if (lineEnd === -1) break
    at = lineEnd + 1
  }
  return text
}

function endOfText(text: string): number {
  let end = text.length
  while (end > 0 && text[end - 1] === '\n') end--
  return end
}

function restoreText(file: SharedFile, operations: readonly Operation[]): FileWrite {
  const restore = (text: string | Shared | undefined): string => {
    if (text === undefined || typeof text === 'string') return text ?? ''
    const operation = operations[text[1]]
    return text[0] + (operation ? contentOf(operation) : '') + text[2]
  }
  const whole =
    file.append === undefined ? { ...file, text: restore(file.text) } : { ...file, append: restore(file.append) }
  return whole as FileWrite // written by shareText from a FileWrite; only the texts were shortened
}

function contentOf(operation: Operation): string {
  return operation.op === 'add' || operation.op === 'write' ? (operation.content ?? '') : ''
}
