/**
 * Vectors, and which of them are nearest to a query: exactly those that a plain scan over all gives, in that order. A row never changes and
 * keeps its number; one that is not wanted any more is removed. It knows owners by number, and no text.
 */
import { InvalidError } from '../../errors.ts'
import { GrowingNumbers } from '../growing.ts'
import { BestOwners, type Nearest } from './best-owners.ts'
import { PlainRows } from './plain-rows.ts'
import { BLOCK_ROWS, type Rows } from './rows.ts'
import { WasmRows } from './wasm-rows.ts'

const MOST_DIMENSIONS = 8192
/** Beyond it, sums of products might not be finite. Vectors of embeddings have the length 1. */
const LARGEST_NUMBER = 1e15

export class VectorIndex {
  readonly dimensions: number
  readonly #rows: Rows
  readonly #owners = new GrowingNumbers()

  /** `rows` is for tests, which hold both makes to each other. */
  constructor(dimensions: number, rows?: Rows) {
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
      throw new InvalidError('dimensions', String(dimensions), `a whole number from 1 to ${MOST_DIMENSIONS}`)
    }
    this.dimensions = dimensions
    this.#rows = rows ?? WasmRows.open(dimensions) ?? new PlainRows(dimensions)
  }

  /** Rows ever added; a row's number never changes. */
  get rows(): number {
    return this.#owners.length
  }

  /** Each row has an owner, a number of the caller's from 0 to 2³² - 1. Several may have the same. */
  add(vector: Float32Array, owner: number): number {
    return this.addAll(vector, [owner])
  }

  /** Many at once, one after the other in one array. Gives the number of the first. */
  addAll(vectors: Float32Array, owners: ArrayLike<number>): number {
    this.#check(vectors, owners.length)
    for (let i = 0; i < owners.length; i++) {
      if ((owners[i] as number) >>> 0 !== owners[i]) {
        throw new InvalidError('owner', String(owners[i]), 'a whole number from 0 to 4294967295')
      }
    }
    const first = this.rows
    this.#rows.add(vectors)
    for (let i = 0; i < owners.length; i++) this.#owners.push(owners[i] as number)
    return first
  }

  remove(row: number): void {
    this.#checkRows(row, 1)
    this.#rows.remove(row)
  }

  /** For saving. Removed rows are there too. */
  copy(from: number, count: number): Float32Array<ArrayBuffer> {
    this.#checkRows(from, count)
    return this.#rows.copy(from, count)
  }

  /** The dot products of these rows with the query, of removed rows too. */
  scores(query: Float32Array, rows: ArrayLike<number>): Float32Array<ArrayBuffer> {
    this.#check(query, 1)
    for (let i = 0; i < rows.length; i++) this.#checkRows(rows[i] as number, 1)
    const scores = new Float32Array(rows.length)
    this.#rows.ask(query)
    for (let done = 0; done < rows.length; done += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows.length - done)
      const { listed } = this.#rows
      for (let i = 0; i < count; i++) listed[i] = rows[done + i] as number
      this.#rows.dots(count)
      scores.set(this.#rows.scores.subarray(0, count), done)
    }
    return scores
  }

  /**
   * The best live row of each of the `most` best owners, and of all who score as much as the last of them: by score, then the lower row.
   * `accepts` is asked only of owners that may be among them, and must not use this index itself.
   */
  top(query: Float32Array, most: number, accepts: (owner: number) => boolean = () => true): readonly Nearest[] {
    this.#check(query, 1)
    if (most < 1 || this.rows === 0) return []
    const best = new BestOwners(most)
    this.#rows.ask(query)
    for (let block = 0; block * BLOCK_ROWS < this.rows; block++) {
      // Not enough accepted ones in whole blocks: then to ask first costs less than to score what is refused.
      const askFirst = block > 0 && !best.full
      const reaching = this.#rows.listReaching(block, best.floor)
      const count = askFirst ? this.#keepAccepted(reaching, accepts) : reaching
      this.#rows.dots(count)
      const { listed, scores } = this.#rows
      for (let i = 0; i < count; i++) {
        const score = scores[i] as number
        if (score < best.floor) continue
        const row = listed[i] as number
        const owner = this.#owners.values[row] as number
        if (askFirst || best.has(owner) || accepts(owner)) best.offer(owner, row, score)
      }
    }
    return best.ranked()
  }

  #keepAccepted(reaching: number, accepts: (owner: number) => boolean): number {
    const { listed } = this.#rows
    let count = 0
    for (let i = 0; i < reaching; i++) {
      const row = listed[i] as number
      if (accepts(this.#owners.values[row] as number)) listed[count++] = row
    }
    return count
  }

  #check(vectors: Float32Array, count: number): void {
    if (vectors.length !== count * this.dimensions) {
      const expected = `${count} × ${this.dimensions} numbers`
      throw new InvalidError('vector', `${vectors.length} numbers`, expected)
    }
    for (let i = 0; i < vectors.length; i++) {
      if (!(Math.abs(vectors[i] as number) <= LARGEST_NUMBER)) {
        throw new InvalidError('vector', `number ${i} is ${vectors[i]}`, `numbers up to ${LARGEST_NUMBER}`)
      }
    }
  }

  #checkRows(from: number, count: number): void {
    if (Number.isInteger(from) && from >= 0 && count >= 0 && from + count <= this.rows) return
    throw new InvalidError('row', `${from}${count === 1 ? '' : `, ${count} of them`}`, `rows below ${this.rows}`)
  }
}
