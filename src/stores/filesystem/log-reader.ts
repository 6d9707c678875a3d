/**
 * Reading logs, and what was read of them lately: a search reads one entry after the other, often of one log. A log is read
 * again only when the file has changed, or when the catalogue, which has a part in what an entry is, says something else of
 * any entry in it.
 */
import type { Signature } from '../../codec/journal-record.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import { decodeText, sameSignature, statFile } from '../disk/reading.ts'
import type { FileReader, FoundBytes } from './file-reader.ts'
import { readLogEntry } from './file-text.ts'
import type { Place } from './layout.ts'
import { LogEntries } from './log-entries.ts'
import type { Workspace } from './workspace.ts'

const RECENT_LOGS = 64
const NO_ENTRIES = new LogEntries(
  () => [],
  () => true,
)

/** What a log said, and when that holds. */
interface KnownLog {
  readonly entries: LogEntries
  /** That the journal had for it; `undefined` when the file was not as it should be. */
  readonly hash: string | undefined
  readonly signature: Signature
  readonly epoch: string
  /** The last change that it was compared with. */
  number: number
}

export class LogReader {
  readonly #workspace: Workspace
  readonly #files: FileReader
  readonly #logs = new Map<string, KnownLog>()

  constructor(workspace: Workspace, files: FileReader) {
    this.#workspace = workspace
    this.#files = files
  }

  read(place: Place): LogEntries {
    const { path } = place
    const { epoch, number, unproved, files } = this.#workspace.catalog
    const known = this.#logs.get(path)
    if (known?.epoch === epoch && !unproved.has(path) && this.#isAsTold(path, known)) {
      const stats = statFile(this.#workspace.absolute(path))
      if (stats && sameSignature(known.signature, stats)) {
        known.number = number
        return known.entries
      }
    }
    this.#logs.delete(path)
    if (this.#logs.size >= RECENT_LOGS) this.#logs.clear()
    const found = unlessUnreadable(() => this.#files.bytesOf(path))
    if (!found?.bytes) return NO_ENTRIES
    const entries = this.#entriesIn(place, found.bytes, found)
    const hash = found.isAsKnown ? files.get(path)?.hash : undefined
    // What is still to be written may be otherwise though the file stays as it is.
    if (found.signature && !found.unwritten) {
      this.#logs.set(path, { entries, hash, signature: found.signature, epoch, number })
    }
    return entries
  }

  #entriesIn(place: Place, bytes: Uint8Array, { mtimeMs, isAsKnown }: FoundBytes): LogEntries {
    const all = (): readonly Entry[] =>
      unlessUnreadable(() => this.#files.say(place, bytes, mtimeMs, { isAsKnown }).entries) ?? []
    const text = isAsKnown ? decodeText(bytes) : undefined
    const { epoch, number } = this.#workspace.catalog
    const isCurrent = (): boolean =>
      this.#workspace.catalog.epoch === epoch && this.#workspace.catalog.number === number
    if (text === undefined) return new LogEntries(all, isCurrent)
    return new LogEntries(all, isCurrent, (id) => {
      const head = this.#workspace.catalog.head(id)
      return head && readLogEntry(place, text, head)
    })
  }

  #isAsTold(path: string, { entries, hash, number }: KnownLog): boolean {
    const { catalog } = this.#workspace
    if (number === catalog.number) return true
    // What is still to be made of it is made with what the catalogue says by then.
    if (!entries.isWhole && hash !== catalog.files.get(path)?.hash) return false
    for (const entry of entries.made()) if (!isAsTold(entry, catalog.head(entry.id))) return false
    return true
  }
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}

/** An entry that no change tells of has no number yet. */
function isAsTold(entry: Entry, head: EntryHead | undefined): boolean {
  if (!head) return entry.seq === 0
  return (
    entry.seq === head.seq &&
    entry.revision === head.revision &&
    entry.updatedAt === head.updatedAt &&
    entry.origin.by === head.origin.by &&
    entry.origin.session === head.origin.session
  )
}
