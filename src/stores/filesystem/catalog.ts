/**
 * All that the journal says, in memory: the head of every entry, who holds which name, and what each file should be.
 * Texts stay in the files. Invariant: applying the same records in order gives the same catalogue in every process.
 */
import type { FileWrite, JournalRecord, Signature } from '../../codec/journal-record.ts'
import { handlesOf } from '../../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import { SeqCounter } from '../../model/seq.ts'
import { KnownFiles, knownFile } from './known-files.ts'
import { hashBytes } from './system.ts'

/** Writes to a file that a crash may have kept from happening. */
export interface Unproved {
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
  readonly #heads = new Map<string, EntryHead>()
  readonly #idsBySeq = new Map<number, string>()
  readonly #handles = new Map<string, string>()
  /** Handles that more than one entry claims, as files made by hand can. */
  readonly #contested = new Set<string>()
  readonly #idsByPath = new Map<string, Set<string>>()
  readonly files: KnownFiles = new KnownFiles()
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

  get size(): number {
    return this.#heads.size
  }

  head(id: string): EntryHead | undefined {
    return this.#heads.get(id)
  }

  heads(): Iterable<EntryHead> {
    return this.#heads.values()
  }

  owner(scope: Scope, handle: string): string | undefined {
    return this.#handles.get(`${scope}\0${handle}`)
  }

  seqs(): SeqCounter {
    return new SeqCounter(this.nextSeq, (seq) => this.#idsBySeq.get(seq))
  }

  idsAt(path: string): ReadonlySet<string> {
    return this.#idsByPath.get(path) ?? NONE
  }

  contested(): ReadonlySet<string> {
    return this.#contested
  }

  put(head: EntryHead): void {
    this.remove(head.id)
    this.#heads.set(head.id, head)
    this.#idsBySeq.set(head.seq, head.id)
    if (head.seq >= this.nextSeq) this.nextSeq = head.seq + 1
    for (const handle of handlesOf(head)) {
      const key = `${head.scope}\0${handle}`
      if (this.#handles.has(key)) this.#contested.add(key)
      else this.#handles.set(key, head.id)
    }
    if (head.path === undefined) return
    const ids = this.#idsByPath.get(head.path)
    if (ids) ids.add(head.id)
    else this.#idsByPath.set(head.path, new Set([head.id]))
  }

  remove(id: string): void {
    const head = this.#heads.get(id)
    if (!head) return
    this.#heads.delete(id)
    this.#idsBySeq.delete(head.seq)
    for (const handle of handlesOf(head)) this.#free(`${head.scope}\0${handle}`, id)
    if (head.path === undefined) return
    const ids = this.#idsByPath.get(head.path)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsByPath.delete(head.path)
  }

  #free(key: string, id: string): void {
    if (this.#handles.get(key) !== id) return
    this.#handles.delete(key)
    if (!this.#contested.delete(key)) return
    // Rare: someone else claimed the name too, and is now its owner; the oldest, if there are several.
    const claimants = [...this.#heads.values()].filter((head) =>
      handlesOf(head).some((handle) => `${head.scope}\0${handle}` === key),
    )
    claimants.sort((a, b) => a.seq - b.seq)
    const heir = claimants[0]
    if (heir) this.#handles.set(key, heir.id)
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
    for (const file of record.files) this.expect(file)
    this.epoch = epoch
    this.number = record.number
    this.turn = record.turn
  }

  /** Notes what a record will do to a file. */
  expect(file: FileWrite): void {
    this.unsynced.add(file.path)
    if ('seen' in file && file.seen) {
      this.unproved.delete(file.path)
      this.#know(file)
      return
    }
    const unproved = this.unproved.get(file.path) ?? { earlier: new Set(), between: [], text: undefined, appends: [] }
    this.unproved.set(file.path, unproved)
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
    this.files.forEach((file, path) => {
      file.signature = undefined
      if (file.hash !== undefined) this.unsigned.add(path)
    })
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
