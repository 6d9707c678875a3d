/**
 * Rows in WASM SIMD. A first pass over codes of one byte finds the few rows that may reach the floor, with a proven bound; only these are
 * scored. Memory grows in place, a block at a time: no row is ever copied.
 */
import { KeepsakeError } from '../../errors.ts'
import { type EncodedQuery, encodeQuery } from './encode-query.ts'
import { type Kernels, type Memory, openKernels, pagesOf } from './kernels.ts'
import { BLOCK_ROWS, paddedTo, type Rows } from './rows.ts'

/** Products too small for f32 are lost from a score: less than this in all. */
const LOST_TO_UNDERFLOW = 1e-40
/** What WASM can address. */
const MOST_BYTES = 2 ** 32

export class WasmRows implements Rows {
  listed: Uint32Array
  scores: Float32Array
  readonly #kernels: Kernels
  readonly #memory: Memory
  readonly #dimensions: number
  readonly #stride: number
  /** Rows that may be copied as one: a padded row has a gap behind it. */
  readonly #together: number
  readonly #places: Places
  #numbers: Float32Array
  /** Missing until rows are listed by it: who only scores some does without. */
  #query: EncodedQuery | undefined
  #longest = 0
  #count = 0

  /** Missing where there is no WASM SIMD. */
  static open(dimensions: number): WasmRows | undefined {
    const places = placesFor(paddedTo(dimensions))
    const opened = openKernels(places.blocks)
    return opened && new WasmRows(dimensions, places, opened.kernels, opened.memory)
  }

  private constructor(dimensions: number, places: Places, kernels: Kernels, memory: Memory) {
    this.#dimensions = dimensions
    this.#stride = paddedTo(dimensions)
    this.#together = this.#stride === dimensions ? BLOCK_ROWS : 1
    this.#places = places
    this.#kernels = kernels
    this.#memory = memory
    this.listed = new Uint32Array(memory.buffer, places.listed, BLOCK_ROWS)
    this.scores = new Float32Array(memory.buffer, places.scores, BLOCK_ROWS)
    this.#numbers = new Float32Array(memory.buffer)
  }

  add(vectors: Float32Array): void {
    const added = vectors.length / this.#dimensions
    this.#makeRoomFor(this.#count + added)
    for (let done = 0; done < added; ) {
      const row = this.#count
      const place = row % BLOCK_ROWS
      const count = Math.min(added - done, BLOCK_ROWS - place)
      this.#write(vectors.subarray(done * this.#dimensions, (done + count) * this.#dimensions), row)
      const { codes, scales, radii } = this.#blockOf(row)
      const codesAt = codes + place * this.#stride
      const scalesAt = scales + place * 4
      const radiiAt = radii + place * 4
      const largest = this.#kernels.encode(this.#rowAt(row), count, this.#stride, codesAt, scalesAt, radiiAt)
      this.#longest = Math.max(this.#longest, largest * Math.sqrt(this.#dimensions))
      this.#count += count
      done += count
    }
  }

  remove(row: number): void {
    this.#numbers[this.#radiusAt(row)] = Number.NaN
  }

  copy(from: number, count: number): Float32Array<ArrayBuffer> {
    const copied = new Float32Array(count * this.#dimensions)
    for (let done = 0; done < count; ) {
      const many = Math.min(this.#together, count - done, BLOCK_ROWS - ((from + done) % BLOCK_ROWS))
      const start = this.#rowAt(from + done) / 4
      copied.set(this.#numbers.subarray(start, start + many * this.#dimensions), done * this.#dimensions)
      done += many
    }
    return copied
  }

  ask(query: Float32Array): void {
    this.#numbers.set(query, this.#places.query / 4)
    this.#query = undefined
  }

  listReaching(block: number, floor: number): number {
    const first = block * BLOCK_ROWS
    const { codes, scales, radii } = this.#blockOf(first)
    this.#query ??= this.#encoded()
    const { unit, reach, slack } = this.#query
    const rows = Math.min(BLOCK_ROWS, this.#count - first)
    const lowest = floor - slack * this.#longest - LOST_TO_UNDERFLOW
    const { queryCodes, listed } = this.#places
    return this.#kernels.listReaching(
      codes,
      scales,
      radii,
      rows,
      first,
      this.#stride,
      queryCodes,
      unit,
      reach,
      lowest,
      listed,
    )
  }

  dots(count: number): void {
    const { listed, query, blocks, blockBytes, scores } = this.#places
    this.#kernels.dots(listed, count, query, this.#stride, blocks, blockBytes, scores)
  }

  #encoded(): EncodedQuery {
    const start = this.#places.query / 4
    const query = this.#numbers.subarray(start, start + this.#dimensions)
    return encodeQuery(query, new Int16Array(this.#memory.buffer, this.#places.queryCodes, query.length))
  }

  /** Rows of one block, from one on. */
  #write(vectors: Float32Array, row: number): void {
    const step = this.#together * this.#dimensions
    for (let at = 0; at < vectors.length; at += step) {
      this.#numbers.set(vectors.subarray(at, at + step), this.#rowAt(row + at / this.#dimensions) / 4)
    }
  }

  #makeRoomFor(rows: number): void {
    const { blocks, blockBytes } = this.#places
    const has = this.#memory.buffer.byteLength
    const missing = blocks + Math.ceil(rows / BLOCK_ROWS) * blockBytes - has
    if (missing <= 0) return
    try {
      // Pages that nobody has touched take no room, but to grow costs the same for many as for one: an eighth more each time.
      this.#memory.grow(pagesOf(Math.max(missing, Math.min(has / 8, MOST_BYTES - has))))
    } catch (cause) {
      throw new KeepsakeError('UNSUPPORTED', `there is no room for ${rows} vectors of ${this.#dimensions} numbers`, {
        hint: 'One index holds up to 4 GB. Use a model with fewer dimensions, or free some memory.',
        cause,
      })
    }
    // Growing detaches the views of before.
    this.listed = new Uint32Array(this.#memory.buffer, this.#places.listed, BLOCK_ROWS)
    this.scores = new Float32Array(this.#memory.buffer, this.#places.scores, BLOCK_ROWS)
    this.#numbers = new Float32Array(this.#memory.buffer)
  }

  #blockOf(row: number): { readonly codes: number; readonly scales: number; readonly radii: number } {
    const start = this.#places.blocks + Math.floor(row / BLOCK_ROWS) * this.#places.blockBytes
    const codes = start + BLOCK_ROWS * this.#stride * 4
    const scales = codes + BLOCK_ROWS * this.#stride
    return { codes, scales, radii: scales + BLOCK_ROWS * 4 }
  }

  #rowAt(row: number): number {
    const start = this.#places.blocks + Math.floor(row / BLOCK_ROWS) * this.#places.blockBytes
    return start + (row % BLOCK_ROWS) * this.#stride * 4
  }

  #radiusAt(row: number): number {
    return this.#blockOf(row).radii / 4 + (row % BLOCK_ROWS)
  }
}

/** Where things lie in the memory, in bytes. */
interface Places {
  readonly query: number
  readonly queryCodes: number
  readonly listed: number
  readonly scores: number
  readonly blocks: number
  readonly blockBytes: number
}

function placesFor(stride: number): Places {
  const queryCodes = stride * 4
  const listed = queryCodes + stride * 2
  const scores = listed + BLOCK_ROWS * 4
  const blocks = Math.ceil((scores + BLOCK_ROWS * 4) / 64) * 64
  return { query: 0, queryCodes, listed, scores, blocks, blockBytes: BLOCK_ROWS * (stride * 5 + 8) }
}
