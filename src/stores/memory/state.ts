/** The entries as they are now, with who holds which name. Taken over from a draft in one step. */
import { type Draft, handlesOf, type StateView } from '../../model/draft.ts'
import type { Entry, Scope } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import type { Step } from '../../model/operation.ts'
import { SeqCounter } from '../../model/seq.ts'
import type { ScanFilter } from '../../ports/store.ts'
import { deepFreeze } from './deep-freeze.ts'

export class MemoryState implements StateView {
  readonly #entries = new Map<string, Entry>()
  readonly #owners = new Map<string, string>()
  readonly #seqs = new Map<number, string>()
  #lastSeq = 0

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

  #drop(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    for (const handle of handlesOf(entry)) this.#owners.delete(`${entry.scope}\0${handle}`)
    this.#entries.delete(id)
    this.#seqs.delete(entry.seq)
  }

  #put(entry: Entry): void {
    for (const handle of handlesOf(entry)) this.#owners.set(`${entry.scope}\0${handle}`, entry.id)
    this.#entries.set(entry.id, entry)
    this.#seqs.set(entry.seq, entry.id)
  }
}
