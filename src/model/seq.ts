/**
 * Seqs: numbers that only grow. One is given to an id and to no other, also when that entry is gone: below the next one there is
 * none left to give, and only an undo brings an entry's own back.
 */
import { InvalidError } from '../errors.ts'

export class SeqCounter {
  #next: number
  /** Those below were there to be given before this counter was made. */
  readonly #begun: number
  readonly #holderOf: (seq: number) => string | undefined
  readonly #taken = new Map<number, string>()

  /** `holderOf` tells which entry of the state has a seq. */
  constructor(next: number, holderOf: (seq: number) => string | undefined) {
    this.#next = next
    this.#begun = next
    this.#holderOf = holderOf
  }

  /** New seqs start past those that a batch itself brings, wherever in it they stand. */
  reserve(seq: number | undefined): void {
    if (seq !== undefined && Number.isSafeInteger(seq)) this.#next = Math.max(this.#next, seq + 1)
  }

  /** For one batch more: what came before counts as given, and what it takes counts only here. */
  fork(): SeqCounter {
    return new SeqCounter(this.#next, (seq) => this.#taken.get(seq) ?? this.#holderOf(seq))
  }

  /** `isUndo`: what is given is the entry's own of before. */
  take(id: string, given: number | undefined, { isUndo = false }: { readonly isUndo?: boolean } = {}): number {
    const seq = given ?? this.#next
    if (!Number.isSafeInteger(seq) || seq < 1)
      throw new InvalidError('seq', `${String(seq)} is not a seq`, '1, 2, 3, …')
    const holder = this.#taken.get(seq) ?? this.#holderOf(seq)
    if (holder !== undefined && holder !== id) {
      throw new InvalidError('seq', `${seq} belongs to ${holder}`, 'one that no other entry has', { holder })
    }
    if (holder === undefined && seq < this.#begun && !isUndo) {
      throw new InvalidError('seq', `${seq} may have been another entry's`, `${this.#begun} or more, or no seq`)
    }
    this.#taken.set(seq, id)
    this.reserve(seq)
    return seq
  }
}
