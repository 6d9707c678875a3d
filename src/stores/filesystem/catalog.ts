/**
 * All that the journal says, in memory: the head of every entry, who holds which name (head-catalog.ts), and what each file
 * should be. Texts stay in the files.
 */
import type { FileWrite, JournalRecord, Signature } from '../../codec/journal-record.ts'
import { HeadCatalog } from '../disk/head-catalog.ts'
import type { PackedHeads } from '../disk/packed-heads.ts'
import { hashBytes } from '../disk/reading.ts'
import { knownFile } from './known-file.ts'
import { KnownFiles } from './known-files.ts'
import type { PackedFiles } from './packed-files.ts'

/** Writes to a file that a crash may have kept from happening. */
export interface Unproved {
  /** The number of the last of them. */
  change: number
  /** Hashes of states on the way; `null` for "no file". */
  readonly earlier: Set<string | null>
  /** Whole texts on the way: a power cut may leave a part of any of them. */
  readonly between?: string[]
  /** What was added before the first whole text, and the hash that the file had with all of it. */
  lead?: { readonly appends: readonly Append[]; readonly after: string | null }
  /** The last whole text; `null` when the file is to be gone, `undefined` when it was only appended to. */
  text: string | null | undefined
  readonly appends: Append[]
}

interface Append {
  readonly at: number
  readonly append: string
}

export class Catalog extends HeadCatalog {
  readonly files: KnownFiles
  /** Files touched by records that no checkpoint covers: their data may not be on disk yet. */
  readonly unsynced: Set<string> = new Set()
  /** Files whose hash is known, and no signature yet: whoever checks them must read them. */
  readonly unsigned: Set<string> = new Set()
  /** By path; see Unproved. Only of the last turn, unless the machine was started anew since. */
  readonly unproved: Map<string, Unproved> = new Map()
  turn = 0

  constructor(heads?: PackedHeads, files?: PackedFiles) {
    super(heads)
    this.files = new KnownFiles(files)
  }

  /** Takes in one record of the journal. `sameBoot`: what an earlier turn wrote to files is there, though not synced. */
  replay(record: JournalRecord, epoch: string, sameBoot: boolean): void {
    this.takeEntries(record)
    if (sameBoot && record.turn !== this.turn) this.unproved.clear()
    for (const [path, signature] of record.signed ?? []) this.sign(path, signature)
    for (const file of record.files) this.#expect(file, record.number)
    this.epoch = epoch
    this.number = record.number
    this.turn = record.turn
  }

  /** Notes what a record will do to a file. */
  #expect(file: FileWrite, change: number): void {
    this.unsynced.add(file.path)
    if ('seen' in file && file.seen) {
      this.unproved.delete(file.path)
      this.#know(file)
      return
    }
    const fresh: Unproved = { change, earlier: new Set(), between: [], text: undefined, appends: [] }
    const unproved = this.unproved.get(file.path) ?? fresh
    this.unproved.set(file.path, unproved)
    unproved.change = change
    if ('append' in file) {
      unproved.appends.push(file)
      this.files.set(file.path, knownFile(undefined, file.at + Buffer.byteLength(file.append)))
      this.unsigned.delete(file.path)
      return
    }
    unproved.earlier.add(file.before)
    if (unproved.text !== undefined) unproved.earlier.add(unproved.text === null ? null : hashBytes(unproved.text))
    const added = unproved.appends.map(({ append }) => append).join('')
    if (unproved.text === undefined) unproved.lead = { appends: [...unproved.appends], after: file.before }
    else if (unproved.text !== null || added !== '') unproved.between?.push((unproved.text ?? '') + added)
    unproved.appends.length = 0
    unproved.text = file.after === null ? null : file.text
    this.#know(file)
  }

  #know(file: Extract<FileWrite, { readonly text: string }>): void {
    if (file.after === null) {
      this.files.delete(file.path)
      this.unsigned.delete(file.path)
    } else {
      this.files.set(file.path, knownFile(file.after, Buffer.byteLength(file.text)))
      this.unsigned.add(file.path)
    }
  }

  /** From here on the file need not be read as long as it has this signature. */
  sign(path: string, signature: Signature | undefined): void {
    const known = this.files.get(path)
    if (!known) return
    known.signature = signature
    if (signature) this.unsigned.delete(path)
  }

  /** Forgets what was learned of the files themselves: after a copy, every one must be looked at. */
  distrustFiles(): void {
    this.unproved.clear()
    for (const [path, file] of this.files) {
      file.signature = undefined
      if (file.hash !== undefined) this.unsigned.add(path)
    }
  }
}
