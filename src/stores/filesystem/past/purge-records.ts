/**
 * Takes entries out of the records of a journal: what was done to them, and their text out of every file's text. The records
 * stay, with their numbers, so that nothing looks lost; only these entries are gone from them. Pure.
 * Records are given oldest first: whose a file was, and how long, follows from the ones before.
 */
import type { FileWrite, JournalRecord } from '../../../codec/journal-record.ts'
import { type LogFile, parseLog, replaceBlocks } from '../../../codec/log.ts'
import type { EntryHead } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import type { Operation } from '../../../model/operation.ts'
import { headAfter } from '../../disk/head-change.ts'
import { hashBytes } from '../../disk/reading.ts'
import { flavourOf } from '../file-text.ts'
import { type Layout, mirrorPath, type Place, placeOf } from '../layout.ts'

/** A text of a log without some entries. */
export type WithoutEntries = (place: Place, text: string) => string

export class RecordPurge {
  readonly #ids: ReadonlySet<string>
  readonly #layout: Layout
  readonly #withoutEntries: WithoutEntries
  /** Pages and cards: which of the entries lies there, as far as we have read. */
  readonly #owned = new Map<string, string>()
  /** Where one of them ever lay. */
  readonly #places = new Map<string, Place>()
  readonly #heads = new Map<string, EntryHead>()
  /** How many bytes shorter a log is by what was taken out of it. */
  readonly #shorter = new Map<string, number>()

  constructor(ids: ReadonlySet<string>, layout: Layout, withoutEntries: WithoutEntries) {
    this.#ids = ids
    this.#layout = layout
    this.#withoutEntries = withoutEntries
  }

  purged(record: JournalRecord): JournalRecord {
    const before = new Map(this.#owned)
    for (const [index, operation] of record.operations.entries()) {
      if (operation.id !== undefined && this.#ids.has(operation.id)) {
        this.#follow(operation, record.set[index] ?? {})
      }
    }
    const keep = record.operations.map(({ id }) => id === undefined || !this.#ids.has(id))
    return {
      ...record,
      operations: record.operations.filter((_, index) => keep[index]),
      set: record.set.filter((_, index) => keep[index]),
      files: record.files.flatMap((file) => this.#purgedFile(file, before)),
      // A path has the entry's name in it; a file without a signature is read, which is all that this costs.
      ...(record.signed ? { signed: record.signed.filter(([path]) => !this.#places.has(path)) } : {}),
    }
  }

  #follow(operation: Operation, set: Partial<EntryHead>): void {
    const id = operation.id ?? ''
    if (operation.op === 'remove' || set.path !== undefined) {
      for (const [path, owner] of this.#owned) if (owner === id) this.#owned.delete(path)
    }
    if (operation.op === 'remove') return
    const head = headAfter(this.#heads.get(id), operation, set)
    this.#heads.set(id, head)
    const isLog = KINDS[head.kind]?.shape === 'log'
    for (const path of [head.path, isLog ? mirrorPath(this.#layout, head) : undefined]) {
      if (path === undefined) continue
      this.#places.set(path, placeOf(this.#layout, head, path))
      if (!isLog) this.#owned.set(path, id)
    }
  }

  #purgedFile(file: FileWrite, before: ReadonlyMap<string, string>): FileWrite[] {
    const place = this.#places.get(file.path)
    if (place && KINDS[place.kind].shape === 'log') return this.#purgedLog(file, place)
    const [then, now] = [before.has(file.path), this.#owned.has(file.path)]
    // A text that was merely found belongs to who had the file before; one that was written, to who has it after.
    const isTheirs = 'seen' in file ? then || now : now || (then && !('append' in file) && file.after === null)
    return isTheirs ? [] : [file]
  }

  #purgedLog(file: FileWrite, place: Place): FileWrite[] {
    const shorter = this.#shorter.get(file.path) ?? 0
    if ('append' in file) {
      const append = this.#withoutAppended(file.append, place)
      const cut = Buffer.byteLength(file.append) - Buffer.byteLength(append)
      this.#shorter.set(file.path, shorter + cut)
      return append === '' ? [] : [{ ...file, at: file.at - shorter, append }]
    }
    if (file.after === null) {
      this.#shorter.delete(file.path)
      return [file]
    }
    const text = this.#withoutEntries(place, file.text)
    this.#shorter.set(file.path, Buffer.byteLength(file.text) - Buffer.byteLength(text))
    return [{ ...file, text, after: hashBytes(text) }]
  }

  /** What we append names its ids. */
  #withoutAppended(text: string, place: Place): string {
    const log = parseLog(text, flavourOf(place.kind))
    return withoutBlocks(log, (index) => this.#ids.has(log.blocks[index]?.entry.id ?? ''))
  }
}

export function withoutBlocks(log: LogFile, isTheirs: (index: number) => boolean): string {
  const gone = log.blocks.flatMap((_, index) => (isTheirs(index) ? [index] : []))
  if (gone.length === log.blocks.length && log.blocks.length > 0) return ''
  return replaceBlocks(log, new Map(gone.map((index) => [index, undefined])))
}
