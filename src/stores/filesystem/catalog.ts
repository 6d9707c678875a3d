/**
 * All that the journal says, in memory: the head of every entry, who holds which name, and what each file should be.
 * Texts stay in the files. What a checkpoint tells stays packed; the maps here hold what came after it, and win.
 * Invariant: applying the same records in order gives the same catalogue in every process.
 */
import type { FileWrite, JournalRecord, Signature } from '../../codec/journal-record.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import type { HeadFilter } from '../../model/filter.ts'
import type { Operation } from '../../model/operation.ts'
import { SeqCounter } from '../../model/seq.ts'
import { knownFile } from './known-file.ts'
import { KnownFiles } from './known-files.ts'
import type { PackedFiles } from './packed-files.ts'
import { handleKey, handleKeys, type PackedHeads } from './packed-heads.ts'
import { hashBytes } from './reading.ts'

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

export class Catalog {
  readonly #packed: PackedHeads | undefined
  /** Packed heads that were removed or replaced since. */
  readonly #outdated = new Set<string>()
  readonly #heads = new Map<string, EntryHead>()
  readonly #idsBySeq = new Map<number, string | null>()
  readonly #handles = new Map<string, string | null>()
  /** Handles that more than one entry claims, as files made by hand can. */
  readonly #contested: Set<string>
  readonly #idsByPath = new Map<string, Set<string>>()
  readonly files: KnownFiles
  /** Files touched by records that no checkpoint covers: their data may not be on disk yet. */
  readonly unsynced: Set<string> = new Set()
  /** Files whose hash is known, and no signature yet: whoever checks them must read them. */
  readonly unsigned: Set<string> = new Set()
  /** By path; see Unproved. Only of the last turn, unless the machine was started anew since. */
  readonly unproved: Map<string, Unproved> = new Map()
  nextSeq = 1
  /** Of the last change. */
  epoch = ''
  number = 0
  turn = 0

  constructor(heads?: PackedHeads, files?: PackedFiles) {
    this.#packed = heads
    this.#contested = new Set(heads?.contested.keys())
    this.files = new KnownFiles(files)
  }

  get size(): number {
    return (this.#packed?.size ?? 0) - this.#outdated.size + this.#heads.size
  }

  head(id: string): EntryHead | undefined {
    return this.#heads.get(id) ?? (this.#outdated.has(id) ? undefined : this.#packed?.head(id))
  }

  /** All of them, or all of some scopes and kinds and perhaps more. */
  *heads(filter: HeadFilter = {}): Generator<EntryHead> {
    for (const head of this.#packed?.matching(filter) ?? []) if (!this.#outdated.has(head.id)) yield head
    yield* this.#heads.values()
  }

  /** Those that have entries, or had some. */
  scopes(): ReadonlySet<Scope> {
    return new Set([...(this.#packed?.scopes() ?? []), ...[...this.#heads.values()].map(({ scope }) => scope)])
  }

  owner(scope: Scope, handle: string): string | undefined {
    return this.ownerOf(handleKey(scope, handle))
  }

  /** By a handle with its scope (see handleKey). */
  ownerOf(key: string): string | undefined {
    const owner = this.#handles.get(key)
    return owner === undefined ? this.#packed?.owner(key) : (owner ?? undefined)
  }

  seqs(): SeqCounter {
    return new SeqCounter(this.nextSeq, (seq) => {
      const id = this.#idsBySeq.get(seq)
      return id === undefined ? this.#packed?.holderOf(seq) : (id ?? undefined)
    })
  }

  idsAt(path: string): ReadonlySet<string> {
    return this.#idsByPath.get(path) ?? (this.#packed ? new Set(this.#packed.idsAt(path)) : NONE)
  }

  contested(): ReadonlySet<string> {
    return this.#contested
  }

  put(head: EntryHead): void {
    this.remove(head.id)
    this.#heads.set(head.id, head)
    this.#idsBySeq.set(head.seq, head.id)
    if (head.seq >= this.nextSeq) this.nextSeq = head.seq + 1
    for (const key of handleKeys(head)) {
      if (this.ownerOf(key) !== undefined) this.#contested.add(key)
      else this.#handles.set(key, head.id)
    }
    if (head.path !== undefined) this.#changeableIdsAt(head.path).add(head.id)
  }

  remove(id: string): void {
    const head = this.head(id)
    if (!head) return
    if (!this.#heads.delete(id)) this.#outdated.add(id)
    this.#idsBySeq.set(head.seq, null)
    for (const key of handleKeys(head)) this.#free(key, id)
    if (head.path !== undefined) this.#changeableIdsAt(head.path).delete(id)
  }

  #changeableIdsAt(path: string): Set<string> {
    const ids = this.#idsByPath.get(path) ?? new Set(this.#packed?.idsAt(path))
    this.#idsByPath.set(path, ids)
    return ids
  }

  #free(key: string, id: string): void {
    const owner = this.ownerOf(key)
    if (owner === id) this.#handles.set(key, null)
    if (!this.#contested.delete(key)) return
    // Rare: someone else claims the name too. Of those the oldest is now its owner, if this one was.
    const claimants = [...this.heads()].filter((head) => handleKeys(head).includes(key))
    claimants.sort((a, b) => a.seq - b.seq)
    const heir = owner === id ? claimants[0]?.id : owner
    if (heir !== undefined) this.#handles.set(key, heir)
    if (claimants.length > 1) this.#contested.add(key)
  }

  /** Takes in one record of the journal. `sameBoot`: what an earlier turn wrote to files is there, though not synced. */
  replay(record: JournalRecord, epoch: string, sameBoot: boolean): void {
    for (const [index, operation] of record.operations.entries()) {
      if (operation.op === 'remove') this.remove(operation.id)
      else this.put(headAfter(this.head(operation.id ?? ''), operation, record.set[index] ?? {}))
    }
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

const NONE: ReadonlySet<string> = new Set()

/** What the head is after an operation: what it was, what the operation says, what else it changed. */
export function headAfter(before: EntryHead | undefined, operation: Operation, set: Partial<EntryHead>): EntryHead {
  return { ...before, ...fieldsOf(operation), ...set } as EntryHead // `add` and `set` together name every field
}

/** The inverse: what must be noted beside an operation so that headAfter gives `after`. */
export function beyondOperation(
  before: EntryHead | undefined,
  operation: Operation,
  after: EntryHead,
): Partial<EntryHead> {
  const said: Record<string, unknown> = { ...before, ...fieldsOf(operation) }
  const differing = Object.entries(headOf(after)).filter(
    ([key, value]) => JSON.stringify(said[key]) !== JSON.stringify(value),
  )
  return Object.fromEntries(differing)
}

export function headOf(entry: EntryHead | Entry): EntryHead {
  if (!('content' in entry)) return entry
  const { content: _, ...head } = entry
  return head
}

function fieldsOf(operation: Operation): Partial<EntryHead> {
  switch (operation.op) {
    case 'add': {
      const { op: _, content: __, ...fields } = operation
      return fields as Partial<EntryHead>
    }
    case 'write': {
      const { op: _, content: __, ...fields } = operation
      return fields
    }
    case 'rename':
      return { name: operation.name }
    default:
      return {}
  }
}
