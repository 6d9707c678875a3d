/**
 * The entries as they are now, with who holds which name; taken over from a draft, or from a record of changes, in one step.
 * Invariant: the same entries have the same holders of names, however they came to be: of several that claim one, as
 * hands can make them, the oldest.
 */
import { type Draft, handlesOf, type StateView } from '../../model/draft.ts'
import type { Entry, Scope } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import type { Step } from '../../model/operation.ts'
import { SeqCounter } from '../../model/seq.ts'
import type { ScanFilter, Touched } from '../../ports/store.ts'
import { deepFreeze } from './deep-freeze.ts'

export class MemoryState implements StateView {
  readonly #entries = new Map<string, Entry>()
  readonly #owners = new Map<string, string>()
  /** Handles that more than one entry claims, and who does. */
  readonly #claims = new Map<string, Set<string>>()
  readonly #seqs = new Map<number, string>()
  #lastSeq = 0

  get size(): number {
    return this.#entries.size
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  head(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  owner(scope: Scope, handle: string): string | undefined {
    return this.#owners.get(`${scope}\0${handle}`)
  }

  held(scope: Scope, handle: string): Entry | undefined {
    const id = this.owner(scope, handle)
    return id === undefined ? undefined : this.#entries.get(id)
  }

  scan(filter: ScanFilter): Entry[] {
    return [...this.#entries.values()].filter((entry) => matchesHead(entry, filter)).sort((a, b) => a.seq - b.seq)
  }

  seqs(): SeqCounter {
    return new SeqCounter(this.nextSeq, (seq) => this.#seqs.get(seq))
  }

  /** No seq from here on was ever given. */
  get nextSeq(): number {
    return this.#lastSeq + 1
  }

  adopt(entries: readonly Entry[], nextSeq: number): void {
    for (const entry of entries) this.#put(deepFreeze(entry))
    this.#lastSeq = nextSeq - 1
  }

  /** All that is given up goes before anything is put, since a batch may hand a name from one entry to another. */
  take(draft: Draft, steps: readonly Step[]): void {
    const changed = [...draft.changed()]
    for (const [id] of changed) this.#drop(id)
    for (const [, entry] of changed) if (entry) this.#put(deepFreeze(entry))
    // By the steps, because the seq of what the batch added and removed again is used up too.
    for (const { after } of steps) this.#lastSeq = Math.max(this.#lastSeq, after?.seq ?? 0)
  }

  /** As `take`, of a change that a log tells. `nextSeq`: past every seq that it gave, also to what it removed again. */
  takeTouched(touched: readonly Touched[], nextSeq: number): void {
    for (const { id } of touched) this.#drop(id)
    for (const { after } of touched) if (after) this.#put(deepFreeze(after))
    this.#lastSeq = Math.max(this.#lastSeq, nextSeq - 1)
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    for (const handle of handlesOf(entry)) this.#free(`${entry.scope}\0${handle}`, id)
    this.#entries.delete(id)
    this.#seqs.delete(entry.seq)
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.id, entry)
    for (const handle of handlesOf(entry)) this.#claim(`${entry.scope}\0${handle}`, entry.id)
    this.#seqs.set(entry.seq, entry.id)
  }

  #claim(key: string, id: string): void {
    const owner = this.#owners.get(key)
    if (owner === undefined || owner === id) this.#owners.set(key, id)
    else this.#settle(key, (this.#claims.get(key) ?? new Set([owner])).add(id))
  }

  #free(key: string, id: string): void {
    const claimants = this.#claims.get(key)
    claimants?.delete(id)
    if (claimants) this.#settle(key, claimants)
    else this.#owners.delete(key)
  }

  #settle(key: string, claimants: Set<string>): void {
    const [oldest = ''] = [...claimants].sort((a, b) => this.#seqOf(a) - this.#seqOf(b))
    this.#owners.set(key, oldest)
    if (claimants.size > 1) this.#claims.set(key, claimants)
    else this.#claims.delete(key)
  }

  #seqOf(id: string): number {
    return this.#entries.get(id)?.seq ?? 0
  }
}
