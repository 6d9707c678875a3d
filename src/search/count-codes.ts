/** Gives each distinct vector of counts by field a number, in the order in which they come. */

import { singleField } from './bm25.ts'
import { GrowingNumbers } from './growing.ts'

export class CountCodes {
  readonly counts: GrowingNumbers = new GrowingNumbers()
  size = 0
  readonly #fields: number
  readonly #codes = new Map<number | string, number>()

  constructor(fields: number) {
    this.#fields = fields
  }

  codeOf(counts: ArrayLike<number>, at: number): number {
    const key = this.#key(counts, at)
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    for (let field = 0; field < this.#fields; field++) this.counts.push(counts[at + field] ?? 0)
    this.#codes.set(key, this.size)
    return this.size++
  }

  /** A number for the common case of one field, because a text is several times as dear to make and to look up. */
  #key(counts: ArrayLike<number>, at: number): number | string {
    const single = singleField(counts, at, this.#fields)
    if (single >= 0) return (counts[at + single] ?? 0) * this.#fields + single
    let key = ''
    for (let field = 0; field < this.#fields; field++) key += `${counts[at + field]},`
    return key
  }
}
