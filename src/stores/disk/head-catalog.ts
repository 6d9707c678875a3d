/**
 * The head of every entry, and who holds which name. What a snapshot tells stays packed; the maps here hold what came after
 * it, and win. Texts are elsewhere.
 * Invariant: taking in the same records in order gives the same catalogue in every process.
 */
import type { EntryHead, Scope } from '../../model/entry.ts'
import type { HeadFilter } from '../../model/filter.ts'
import { SeqCounter } from '../../model/seq.ts'
import { type EntryChanges, headAfter } from './head-change.ts'
import { handleKey, handleKeys, type PackedHeads } from './packed-heads.ts'

export class HeadCatalog {
  readonly #packed: PackedHeads | undefined
  /** Packed heads that were removed or replaced since. */
  readonly #outdated = new Set<string>()
  readonly #heads = new Map<string, EntryHead>()
  readonly #idsBySeq = new Map<number, string | null>()
  readonly #handles = new Map<string, string | null>()
  /** Handles that more than one entry claims, as files made by hand can. */
  readonly #contested: Set<string>
  readonly #idsByPath = new Map<string, Set<string>>()
  nextSeq = 1
  /** Of the last change. */
  epoch = ''
  number = 0

  constructor(heads?: PackedHeads) {
    this.#packed = heads
    this.#contested = new Set(heads?.contested.keys())
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

  /** Takes in what a record did to entries. */
  takeEntries({ operations, set }: EntryChanges): void {
    for (const [index, operation] of operations.entries()) {
      const before = this.head(operation.id ?? '')
      if (operation.op === 'remove') this.remove(operation.id)
      // As `take` has it: what was never added can't become anything.
      else if (before || operation.op === 'add') this.put(headAfter(before, operation, set[index] ?? {}))
    }
  }
}

const NONE: ReadonlySet<string> = new Set()
