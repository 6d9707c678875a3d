/**
 * The journal on disk: numbered segments of checked lines. Reading follows it from a position; writing, under the
 * workspace lock only, appends whole records with one write and one sync.
 * Invariant: a descriptor whose sync failed is never used again, and nothing is appended after a line that is not whole.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import {
  decodeJournal,
  encodeHeader,
  encodeRecord,
  JOURNAL_VERSION,
  type JournalHeader,
  type JournalLine,
  type JournalPart,
  type JournalRecord,
} from '../../codec/journal-record.ts'
import { DamagedError, ForeignError, NewerError } from '../../errors.ts'
import { hashBytes, readBytes, readFileAt, statFile, TICK_MS } from '../disk/reading.ts'
import {
  attempt,
  codeOf,
  FILE_MODE,
  fixMode,
  makeFolder,
  randomHex,
  removeFile,
  syncData,
  syncFolder,
  wrapped,
  writeAll,
} from '../disk/system.ts'

/** A place between two lines. */
export interface Position {
  /** The segment's name. */
  readonly segment: string
  readonly offset: number
}

export interface Segment {
  readonly name: string
  readonly path: string
  readonly header: JournalHeader
  readonly inode: number
}

const MOST_HEADER_BYTES = 1024
const BACKWARD_BYTES = 64 * 1024
const NEWLINE = 10

/**
 * A number that orders them, and a tag that tells apart what two copies of one folder, brought together again by a sync
 * program, both called the next.
 */
const SEGMENT_NAME = /^\d{8}-[0-9a-f]{8}\.jsonl$/

export type HeaderFacts = Omit<JournalHeader, 'keepsake' | 'version' | 'inode'>

export class Journal {
  readonly folder: string
  #writing: { readonly fd: number; readonly segment: string } | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** The names of the segments there are, in order. */
  segments(): string[] {
    let names: string[]
    try {
      names = readdirSync(this.folder)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw wrapped('reading', this.folder, error)
    }
    return names.filter((name) => SEGMENT_NAME.test(name)).sort()
  }

  /** The names after one. A folder that was at rest when it was last listed, and has not changed since, has no new ones. */
  segmentsAfter(segment: string): string[] {
    const changed = statFile(this.folder)?.mtimeMs
    if (changed === this.#atRest?.changed && segment === this.#atRest?.last) return []
    const names = this.segments()
    const isAtRest = changed !== undefined && Date.now() - changed > TICK_MS && segment === names.at(-1)
    this.#atRest = isAtRest ? { changed, last: segment } : undefined
    return names.filter((name) => name > segment)
  }

  /** When the folder last changed, and the last segment in it then. */
  #atRest: { readonly changed: number; readonly last: string } | undefined

  pathOf(segment: string): string {
    return join(this.folder, segment)
  }

  /**
   * The lines of a segment from an offset on, and its inode. `undefined` when there is no such segment. A segment that
   * holds something that is no journal of ours is an error, and is left as it is.
   */
  read(segment: string, offset: number): (JournalPart & { readonly inode: number; readonly size: number }) | undefined {
    const path = this.pathOf(segment)
    const fd = openToRead(path)
    if (fd === undefined) return undefined
    try {
      const { size, ino } = fstatSync(fd)
      const part = decodeJournal(readBytes(fd, offset, Math.max(0, size - offset)), digest)
      if (offset === 0) refuseForeign(path, part)
      return { ...part, inode: ino, size }
    } catch (error) {
      throw wrapped('reading', path, error)
    } finally {
      closeSync(fd)
    }
  }

  /**
   * The lines that are whole, the last one first: whoever wants the newest few need not read the rest. `end` is a place
   * between two lines; without one, the end of the segment.
   */
  *linesBackwards(segment: string, end?: number): Generator<JournalLine> {
    const path = this.pathOf(segment)
    const fd = openToRead(path)
    if (fd === undefined) return
    try {
      let at = end ?? fstatSync(fd).size
      let rest: Uint8Array = new Uint8Array()
      for (let step = BACKWARD_BYTES; at > 0; step *= 2) {
        const start = Math.max(0, at - step)
        const bytes = Buffer.concat([readBytes(fd, start, at - start), rest])
        // What stands before the first line's end began further back.
        const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1 || bytes.length
        for (let stop = bytes.length; stop > first; ) {
          const begin = stop < 2 ? first : Math.max(first, bytes.lastIndexOf(NEWLINE, stop - 2) + 1)
          const [line] = decodeJournal(bytes.subarray(begin, stop), digest).lines
          if (line) yield line
          stop = begin
        }
        rest = bytes.subarray(0, first)
        at = start
      }
    } catch (error) {
      throw wrapped('reading', path, error)
    } finally {
      closeSync(fd)
    }
  }

  /** The highest number that any readable record has; reads everything, and is asked only when an epoch begins. */
  highestNumber(): number {
    const lines = this.segments().flatMap((segment) => this.read(segment, 0)?.lines ?? [])
    return Math.max(0, ...lines.map((line) => ('record' in line ? line.record.number : 0)))
  }

  /** Just the first line of a segment, which may be long; refuses what is no journal of ours. */
  headerOf(segment: string): JournalHeader | undefined {
    const path = this.pathOf(segment)
    const fd = openToRead(path)
    if (fd === undefined) return undefined
    try {
      const part = decodeJournal(readBytes(fd, 0, MOST_HEADER_BYTES), digest)
      refuseForeign(path, part)
      const [first] = part.lines
      return first && 'header' in first ? first.header : undefined
    } catch (error) {
      throw wrapped('reading', path, error)
    } finally {
      closeSync(fd)
    }
  }

  /** Whether what came before a segment was folded into a base. */
  hasBase(segment: string): boolean {
    return statFile(this.basePathOf(segment)) !== undefined
  }

  basePathOf(segment: string): string {
    return join(this.folder, segment.replace(/\.jsonl$/, '.base'))
  }

  /** What was there before a segment: one record a file, all of it added. */
  readBase(segment: string): readonly JournalRecord[] {
    const path = this.basePathOf(segment)
    const bytes = readFileAt(path)?.bytes ?? new Uint8Array()
    const { lines, rest } = decodeJournal(bytes, digest)
    if (rest !== 'none') {
      throw new DamagedError(path, 'it is not whole', 'The past before it is lost; the files are not touched by this.')
    }
    return lines.flatMap((line) => ('record' in line ? [line.record] : []))
  }

  /** Starts a segment: its header is durable, and so is its name, when this returns. */
  async start(facts: HeaderFacts): Promise<Segment> {
    this.close()
    makeFolder(this.folder)
    const number = Number.parseInt(this.segments().at(-1) ?? '0', 10) + 1
    const segment = `${String(number).padStart(8, '0')}-${randomHex()}.jsonl`
    const path = this.pathOf(segment)
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL
    const fd = attempt('starting the journal', path, () => openSync(path, flags, FILE_MODE))
    try {
      fixMode(fd, FILE_MODE)
      const inode = fstatSync(fd).ino
      const header: JournalHeader = { keepsake: 'journal', version: JOURNAL_VERSION, ...facts, inode }
      writeAll(fd, encodeHeader(header, digest))
      await syncData(fd)
      await syncFolder(this.folder)
      this.#writing = { fd, segment }
      return { name: segment, path, header, inode }
    } catch (error) {
      closeSync(fd)
      try {
        removeFile(path)
      } catch {
        // an empty segment harms nobody: it is passed over
      }
      throw wrapped('starting the journal', path, error)
    }
  }

  /**
   * Appends records at a position that is the end of the last segment; durable when it returns. Whatever fails, the journal
   * is put back to where it was as far as the disk allows, and the next append goes to a new segment.
   */
  async append(position: Position, records: readonly JournalRecord[]): Promise<Position> {
    const path = this.pathOf(position.segment)
    const { fd } = this.#open(position.segment)
    const bytes = Buffer.concat(records.map((record) => encodeRecord(record, digest)))
    try {
      writeAll(fd, bytes)
      await syncData(fd)
      // A journal that was removed or moved away meanwhile is one that nobody will find.
      if (statFile(path)?.ino !== fstatSync(fd).ino) throw new Error('it was removed while it was written')
      return { segment: position.segment, offset: position.offset + bytes.length }
    } catch (error) {
      this.#abandon(position)
      throw wrapped('writing the journal', path, error)
    }
  }

  /** Gives a closed segment, or a base, other lines. Durable, all or nothing. */
  async rewrite(path: string, lines: (inode: number) => Uint8Array): Promise<void> {
    const temporary = `${path}.new`
    removeFile(temporary)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const fd = attempt('writing the journal', path, () => openSync(temporary, flags, FILE_MODE))
    try {
      fixMode(fd, FILE_MODE)
      writeAll(fd, lines(fstatSync(fd).ino))
      await syncData(fd)
      renameSync(temporary, path)
    } catch (error) {
      removeFile(temporary)
      throw wrapped('writing the journal', path, error)
    } finally {
      closeSync(fd)
    }
    await syncFolder(this.folder)
  }

  /** Cuts what a crash left after the last whole line. Only for the holder of the lock. */
  cut(position: Position): void {
    const path = this.pathOf(position.segment)
    attempt('mending the journal', path, () => {
      const fd = openSync(path, constants.O_WRONLY)
      try {
        ftruncateSync(fd, position.offset)
      } finally {
        closeSync(fd)
      }
    })
  }

  /** Whether the open segment may be appended to; `false` after a failure. */
  canAppendTo(segment: string): boolean {
    return !this.#abandoned.has(segment)
  }

  readonly #abandoned = new Set<string>()

  #abandon(position: Position): void {
    this.#abandoned.add(position.segment)
    const fd = this.#writing?.fd
    this.#writing = undefined
    if (fd === undefined) return
    try {
      ftruncateSync(fd, position.offset)
    } catch {
      // The record stays, whole or torn: the next writer cuts it, or takes it as a change that nobody was promised.
    } finally {
      closeSync(fd)
    }
  }

  #open(segment: string): { readonly fd: number } {
    if (this.#writing?.segment === segment) return this.#writing
    this.close()
    const path = this.pathOf(segment)
    const fd = attempt('opening', path, () => openSync(path, constants.O_WRONLY | constants.O_APPEND))
    this.#writing = { fd, segment }
    return this.#writing
  }

  close(): void {
    if (this.#writing) closeSync(this.#writing.fd)
    this.#writing = undefined
  }
}

/** The same as the model's digest16, by the system's own code. */
export function digest(text: string): string {
  return hashBytes(text).slice(0, 16)
}

/** `undefined` when there is no such file, or no more: old segments are folded away. */
function openToRead(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw wrapped('reading', path, error)
  }
}

function refuseForeign(path: string, part: JournalPart): void {
  const first = part.lines[0]
  if (!first) {
    if (part.rest === 'damaged') throw new ForeignError(path, 'this is not a journal of Keepsake')
    return
  }
  if (!('header' in first)) throw new ForeignError(path, 'this journal has no beginning')
  const { version } = first.header
  if (version > JOURNAL_VERSION) throw new NewerError(path, version, JOURNAL_VERSION)
}
