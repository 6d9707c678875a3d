/**
 * Seqs: numbers that only grow. One is given to an id and to no other, also when that entry is gone; undo and move bring
 * their own along.
 */
import { InvalidError } from '../errors.ts'

export class SeqCounter {
  #next: number
  readonly #holderOf: (seq: number) => string | undefined
  readonly #taken = new Map<number, string>()

  /** `holderOf` tells which entry of the state has a seq. */
  constructor(next: number, holderOf: (seq: number) => string | undefined) {
    this.#next = next
    this.#holderOf = holderOf
  }

  /** New seqs start past those that a batch itself brings, wherever in it they stand. */
  reserve(seq: number | undefined): void {
    if (seq !== undefined && Number.isSafeInteger(seq)) this.#next = Math.max(this.#next, seq + 1)
  }

  take(id: string, given: number | undefined): number {
    const seq = given ?? this.#next
    if (!Number.isSafeInteger(seq) || seq < 1)
      throw new InvalidError('seq', `${String(seq)} is not a seq`, '1, 2, 3, …')
    const holder = this.#taken.get(seq) ?? this.#holderOf(seq)
    if (holder !== undefined && holder !== id) {
      throw new InvalidError('seq', `${seq} belongs to ${holder}`, 'one that no other entry has', { holder })
    }
    this.#taken.set(seq, id)
    this.reserve(seq)
    return seq
  }
}
