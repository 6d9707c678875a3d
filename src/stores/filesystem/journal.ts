/**
 * The journal on disk: numbered segments of checked lines. Reading follows it from a position; writing, under the
 * workspace lock only, appends whole records with one write and one sync.
 * Invariant: a descriptor whose sync failed is never used again, and nothing is appended after a line that is not whole.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  decodeJournal,
  encodeHeader,
  encodeRecord,
  JOURNAL_VERSION,
  type JournalHeader,
  type JournalPart,
  type JournalRecord,
} from '../../codec/journal-record.ts'
import { ForeignError, NewerError } from '../../errors.ts'
import {
  attempt,
  codeOf,
  FILE_MODE,
  fixMode,
  hashBytes,
  makeFolder,
  readBytes,
  removeFile,
  statFile,
  syncData,
  syncFolder,
  wrapped,
  writeAll,
} from './system.ts'

/** A place between two lines. */
export interface Position {
  readonly segment: number
  readonly offset: number
}

export interface Segment {
  readonly number: number
  readonly path: string
  readonly header: JournalHeader
  readonly inode: number
}

const MOST_HEADER_BYTES = 1024

export type HeaderFacts = Pick<JournalHeader, 'workspace' | 'host' | 'boot' | 'epoch'>

export class Journal {
  readonly folder: string
  #writing: { readonly fd: number; readonly segment: number } | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** The numbers of the segments there are, ascending. */
  segments(): number[] {
    let names: string[]
    try {
      names = readdirSync(this.folder)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw wrapped('reading', this.folder, error)
    }
    return names
      .flatMap((name) => (/^\d{8}\.jsonl$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .sort((a, b) => a - b)
  }

  pathOf(segment: number): string {
    return join(this.folder, `${String(segment).padStart(8, '0')}.jsonl`)
  }

  /**
   * The lines of a segment from an offset on, and its inode. `undefined` when there is no such segment. A segment that
   * holds something that is no journal of ours is an error, and is left as it is.
   */
  read(segment: number, offset: number): (JournalPart & { readonly inode: number; readonly size: number }) | undefined {
    const path = this.pathOf(segment)
    let fd: number
    try {
      fd = openSync(path, constants.O_RDONLY)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw wrapped('reading', path, error)
    }
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

  /** The highest number that any readable record has; reads everything, and is asked only when an epoch begins. */
  highestNumber(): number {
    const lines = this.segments().flatMap((segment) => this.read(segment, 0)?.lines ?? [])
    return Math.max(0, ...lines.map((line) => ('record' in line ? line.record.number : 0)))
  }

  /** Just the first line of a segment, which may be long; refuses what is no journal of ours. */
  headerOf(segment: number): JournalHeader | undefined {
    const path = this.pathOf(segment)
    return attempt('reading', path, () => {
      const fd = openSync(path, constants.O_RDONLY)
      try {
        const part = decodeJournal(readBytes(fd, 0, MOST_HEADER_BYTES), digest)
        refuseForeign(path, part)
        const [first] = part.lines
        return first && 'header' in first ? first.header : undefined
      } finally {
        closeSync(fd)
      }
    })
  }

  /** Starts a segment: its header is durable, and so is its name, when this returns. */
  async start(segment: number, facts: HeaderFacts): Promise<Segment> {
    this.close()
    makeFolder(this.folder)
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
      return { number: segment, path, header, inode }
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
  canAppendTo(segment: number): boolean {
    return !this.#abandoned.has(segment)
  }

  readonly #abandoned = new Set<number>()

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

  #open(segment: number): { readonly fd: number } {
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
function digest(text: string): string {
  return hashBytes(text).slice(0, 16)
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
