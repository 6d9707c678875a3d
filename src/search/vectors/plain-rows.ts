/** Rows in plain JavaScript, for where WASM SIMD is not to be had: every live row is scored, in the same order of sums as there. */
import { BLOCK_ROWS, LANES, paddedTo, type Rows } from './rows.ts'

export class PlainRows implements Rows {
  readonly listed: Uint32Array<ArrayBuffer> = new Uint32Array(BLOCK_ROWS)
  readonly scores: Float32Array<ArrayBuffer> = new Float32Array(BLOCK_ROWS)
  readonly #dimensions: number
  readonly #stride: number
  readonly #query: Float32Array
  readonly #blocks: Float32Array[] = []
  readonly #live: Uint8Array[] = []
  #count = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
    this.#stride = paddedTo(dimensions)
    this.#query = new Float32Array(this.#stride)
  }

  add(vectors: Float32Array): void {
    for (let at = 0; at < vectors.length; at += this.#dimensions) {
      const row = this.#count++
      if (row % BLOCK_ROWS === 0) {
        this.#blocks.push(new Float32Array(BLOCK_ROWS * this.#stride))
        this.#live.push(new Uint8Array(BLOCK_ROWS))
      }
      this.#block(row).set(vectors.subarray(at, at + this.#dimensions), (row % BLOCK_ROWS) * this.#stride)
      this.#liveness(row)[row % BLOCK_ROWS] = 1
    }
  }

  remove(row: number): void {
    this.#liveness(row)[row % BLOCK_ROWS] = 0
  }

  copy(from: number, count: number): Float32Array<ArrayBuffer> {
    const copied = new Float32Array(count * this.#dimensions)
    for (let i = 0; i < count; i++) {
      const start = ((from + i) % BLOCK_ROWS) * this.#stride
      copied.set(this.#block(from + i).subarray(start, start + this.#dimensions), i * this.#dimensions)
    }
    return copied
  }

  ask(query: Float32Array): void {
    this.#query.set(query)
  }

  listReaching(block: number): number {
    const first = block * BLOCK_ROWS
    const last = Math.min(this.#count, first + BLOCK_ROWS)
    const live = this.#liveness(first)
    let count = 0
    for (let row = first; row < last; row++) if (live[row - first] === 1) this.listed[count++] = row
    return count
  }

  dots(count: number): void {
    for (let i = 0; i < count; i++) this.scores[i] = this.#dot(this.listed[i] as number)
  }

  #dot(row: number): number {
    const values = this.#block(row)
    const query = this.#query
    const start = (row % BLOCK_ROWS) * this.#stride
    const sums = new Float32Array(LANES)
    for (let at = 0; at < query.length; at += LANES) {
      for (let lane = 0; lane < LANES; lane++) {
        const product = Math.fround((values[start + at + lane] as number) * (query[at + lane] as number))
        sums[lane] = (sums[lane] as number) + product
      }
    }
    for (let half = LANES / 2; half >= 1; half /= 2) {
      for (let lane = 0; lane < half; lane++) sums[lane] = (sums[lane] as number) + (sums[lane + half] as number)
    }
    return sums[0] as number
  }

  #block(row: number): Float32Array {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)] as Float32Array
  }

  #liveness(row: number): Uint8Array {
    return this.#live[Math.floor(row / BLOCK_ROWS)] as Uint8Array
  }
}
