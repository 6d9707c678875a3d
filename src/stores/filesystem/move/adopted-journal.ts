/**
 * Another store's past as a journal of ours: the same changes with their numbers, times and origins. What files held along the way
 * nobody can tell; what they hold at the end stands with the last change that touched them, so that what comes after it can be
 * undone to the byte. Numbers that do not follow each other are epochs of their own, as the journal has it.
 */
import { encodeRecord, type FileWrite, type JournalRecord } from '../../../codec/journal-record.ts'
import { DamagedError } from '../../../errors.ts'
import type { Entry, EntryHead } from '../../../model/entry.ts'
import { newId } from '../../../model/id.ts'
import { instant } from '../../../model/time.ts'
import type { History, MemoryImage, Recorded } from '../../../ports/store.ts'
import { beyondOperation, headAfter } from '../../disk/head-change.ts'
import { thisProcess } from '../../disk/owner.ts'
import { hashBytes, statFile } from '../../disk/reading.ts'
import { addOf } from '../hand-edit.ts'
import { digest, type Journal, type Position } from '../journal.ts'
import type { Layout } from '../layout.ts'
import { UNTOLD } from '../past/exact-undo.ts'
import { mayLieAt } from './places.ts'

const SEGMENT_BYTES = 8 * 1024 * 1024
const SEGMENT_MS = 7 * 86_400_000
const WRITTEN_AT_ONCE = 1000

/** A file of entries as it is at the end. */
export interface FinalFile {
  readonly path: string
  readonly text: string
  readonly ids: readonly string[]
}

export interface JournalParts {
  readonly image: MemoryImage
  readonly layout: Layout
  /** Of all entries at the end, by id. */
  readonly paths: ReadonlyMap<string, string>
  readonly files: readonly FinalFile[]
  readonly nowMs: number
  readonly onRecord: () => void
}

export interface WrittenJournal {
  readonly epoch: string
  readonly position: Position
}

export interface LastTouches {
  /** The number of the last change that touched each entry; entries that no change touched are missing. */
  readonly touches: ReadonlyMap<string, number>
  /** The number of changes. */
  readonly count: number
}

/** Throws where the changes do not come to the entries: such a memory is damaged. */
export async function lastTouches(history: History, entries: readonly Entry[]): Promise<LastTouches> {
  const touches = new Map<string, number>()
  let count = 0
  const revisions = new Map(history.entries.map(({ id, revision }) => [id, revision]))
  for await (const { change, touched } of history.changes()) {
    count++
    for (const { id, after } of touched) {
      touches.set(id, change.number)
      if (after) revisions.set(id, after.revision)
      else revisions.delete(id)
    }
  }
  const differs = entries.find(({ id, revision }) => revisions.get(id) !== revision)
  if (differs || revisions.size !== entries.length) {
    const what = differs
      ? `entry ${differs.id} is not what its changes made of it`
      : 'its changes tell of other entries'
    throw new DamagedError('the memory to be moved', what, 'Nothing was written. Look at it with: keepsake doctor')
  }
  return { touches, count }
}

/** `journal`: an empty one. */
export async function writeJournal(
  journal: Journal,
  { touches }: LastTouches,
  parts: JournalParts,
): Promise<WrittenJournal> {
  const { image, onRecord } = parts
  const telling = new Telling(touches, parts)
  const segments = new Segments(journal, image.settings.id, parts.nowMs)
  const { since } = image.history
  let last: number | undefined
  for await (const recorded of image.history.changes()) {
    const { number, at, found } = recorded.change
    if (last === undefined) {
      await segments.begin(at)
      // What was found is there since then anyway.
      const isFound = found === true && since === at && image.history.entries.length === 0
      if (since !== undefined && !isFound) await segments.writeBase(telling.base(number - 1))
    } else if (number !== last + 1) await segments.beginEpoch(at, last)
    await segments.add(telling.record(recorded))
    last = number
    onRecord()
  }
  if (last === undefined) {
    await segments.begin(since ?? instant(parts.nowMs))
    if (since !== undefined) await segments.writeBase(telling.base(image.cursor.number))
  } else if (last !== image.cursor.number) await segments.beginEpoch(instant(parts.nowMs), last)
  return segments.end()
}

/** What the records say. */
class Telling {
  readonly #touches: LastTouches['touches']
  readonly #parts: JournalParts
  /** By the number of the change that they stand with; 0: with the base. */
  readonly #files = new Map<number, FileWrite[]>()
  /** Where each entry lies as far as it was told. */
  readonly #told = new Map<string, string>()

  constructor(touches: LastTouches['touches'], parts: JournalParts) {
    this.#touches = touches
    this.#parts = parts
    for (const { path, text, ids } of parts.files) {
      const number = ids.reduce((most, id) => Math.max(most, touches.get(id) ?? 0), 0)
      const file: FileWrite = { path, before: UNTOLD, after: hashBytes(text), text, seen: true }
      this.#files.set(number, [...(this.#files.get(number) ?? []), file])
    }
  }

  record({ change, touched }: Recorded): JournalRecord {
    const { number } = change
    const now = new Map<string, EntryHead | undefined>()
    const last = new Map(change.operations.map(({ id }, index) => [id, index]))
    const after = new Map<string, Entry>()
    for (const one of touched) {
      if (one.before) now.set(one.id, this.#placed(one.before, this.#told.get(one.id)))
      if (one.after) after.set(one.id, this.#placed(one.after, this.#pathIn(one.after, number)))
    }
    const set = change.operations.map((operation, index): Partial<EntryHead> => {
      const id = operation.id ?? ''
      const before = now.get(id)
      const entry = after.get(id)
      if (operation.op === 'remove') {
        now.delete(id)
        return {}
      }
      if (last.get(id) === index && entry) return beyondOperation(before, operation, entry)
      now.set(id, headAfter(before, operation, {}))
      return {}
    })
    for (const { id } of touched) {
      const path = after.get(id)?.path
      if (path === undefined) this.#told.delete(id)
      else this.#told.set(id, path)
    }
    return { ...change, turn: number, set, files: this.#files.get(number) ?? [] }
  }

  /** One record a file, so that none is longer than it must be. */
  base(number: number): JournalRecord[] {
    const { since = '', entries } = this.#parts.image.history
    const texts = new Map((this.#files.get(0) ?? []).map((file) => [file.path, file]))
    const byPath = new Map<string, Entry[]>()
    for (const path of texts.keys()) byPath.set(path, [])
    for (const given of entries) {
      const entry = this.#placed(given, this.#pathIn(given, 0))
      if (entry.path !== undefined) this.#told.set(entry.id, entry.path)
      const beside = byPath.get(entry.path ?? '')
      if (beside) beside.push(entry)
      else byPath.set(entry.path ?? '', [entry])
    }
    // A base that stands for nothing must still say since when.
    if (byPath.size === 0) byPath.set('', [])
    return [...byPath].map(([path, there]): JournalRecord => {
      const operations = there.map(addOf)
      const file = texts.get(path)
      return {
        number,
        turn: number,
        at: since,
        origin: { by: 'hand' },
        operations,
        set: there.map((entry, index) => beyondOperation(undefined, operations[index] ?? addOf(entry), entry)),
        files: file ? [file] : [],
      }
    })
  }

  /** At the end where its file is, before that where it was said to lie. */
  #pathIn(entry: Entry, number: number): string | undefined {
    const { paths, layout, image } = this.#parts
    const final = (this.#touches.get(entry.id) ?? 0) === number ? paths.get(entry.id) : undefined
    if (final !== undefined) return final
    const { path } = entry
    if (path !== undefined && mayLieAt(layout, image.settings.timezone, entry, path)) return path
    return this.#told.get(entry.id)
  }

  #placed({ path: _, ...entry }: Entry, path: string | undefined): Entry {
    return path === undefined ? entry : { ...entry, path }
  }
}

/** The segments as they are written. */
class Segments {
  readonly #journal: Journal
  readonly #workspace: string
  readonly #nowMs: number
  #epoch: string
  #position: Position = { segment: '', offset: 0 }
  #begunMs = 0
  #waiting: JournalRecord[] = []

  constructor(journal: Journal, workspace: string, nowMs: number) {
    this.#journal = journal
    this.#workspace = workspace
    this.#nowMs = nowMs
    this.#epoch = newId(nowMs)
  }

  async begin(at: string, fromNumber?: number): Promise<void> {
    await this.#flush()
    const from = fromNumber === undefined ? {} : { from: { epoch: this.#epoch, number: fromNumber } }
    if (fromNumber !== undefined) this.#epoch = newId(this.#nowMs)
    const { host, boot } = thisProcess()
    const facts = { workspace: this.#workspace, host, boot, epoch: this.#epoch, at, ...from }
    const { name, path } = await this.#journal.start(facts)
    this.#position = { segment: name, offset: statFile(path)?.size ?? 0 }
    this.#begunMs = Date.parse(at)
  }

  async beginEpoch(at: string, after: number): Promise<void> {
    await this.begin(at, after)
  }

  async writeBase(records: readonly JournalRecord[]): Promise<void> {
    const bytes = Buffer.concat(records.map((record) => encodeRecord(record, digest)))
    await this.#journal.rewrite(this.#journal.basePathOf(this.#position.segment), () => bytes)
  }

  async add(record: JournalRecord): Promise<void> {
    const isOld = Date.parse(record.at) - this.#begunMs > SEGMENT_MS
    if (isOld || this.#position.offset > SEGMENT_BYTES) await this.begin(record.at)
    this.#waiting.push(record)
    if (this.#waiting.length >= WRITTEN_AT_ONCE) await this.#flush()
  }

  async end(): Promise<WrittenJournal> {
    await this.#flush()
    this.#journal.close()
    return { epoch: this.#epoch, position: this.#position }
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#position = await this.#journal.append(this.#position, this.#waiting)
    this.#waiting = []
  }
}
