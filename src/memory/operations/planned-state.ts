/**
 * A state to try a batch on: the heads of what an agent's scopes hold, read at once, and the texts of the few entries that a
 * batch is about, read when it comes to them.
 */
import { handlesOf, type StateView } from '../../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import { SeqCounter } from '../../model/seq.ts'

export class PlannedState implements StateView {
  readonly #heads = new Map<string, EntryHead>()
  readonly #entries = new Map<string, Entry>()
  readonly #owners = new Map<string, string>()

  constructor(heads: readonly EntryHead[]) {
    for (const head of heads) {
      this.#heads.set(head.id, head)
      // Of two that hands gave one name, the older one is found by it.
      for (const handle of handlesOf(head)) {
        const place = `${head.scope}\0${handle}`
        if (!this.#owners.has(place)) this.#owners.set(place, head.id)
      }
    }
  }

  /** Without its text for as long as that was not put in: enough to name the owner of a name in an error. */
  get(id: string): Entry | undefined {
    const head = this.#heads.get(id)
    return this.#entries.get(id) ?? (head && { ...head, content: '' })
  }

  head(id: string): EntryHead | undefined {
    return this.#entries.get(id) ?? this.#heads.get(id)
  }

  owner(scope: Scope, handle: string): string | undefined {
    return this.#owners.get(`${scope}\0${handle}`)
  }

  hasText(id: string): boolean {
    return this.#entries.has(id)
  }

  put(entry: Entry): void {
    this.#entries.set(entry.id, entry)
  }

  /** What a new entry will really get is known when it is written. */
  seqs(): SeqCounter {
    const holders = new Map([...this.#heads.values()].map(({ id, seq }) => [seq, id]))
    const last = [...holders.keys()].reduce((most, seq) => Math.max(most, seq), 0)
    return new SeqCounter(last + 1, (seq) => holders.get(seq))
  }
}
