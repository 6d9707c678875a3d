/**
 * Where the vectors of an index lie, and the two loops over them. There are two makes, one in WASM SIMD and one in plain JavaScript, and
 * they give the same scores to the bit: products and sums are rounded to f32 in one fixed order (see `dots`).
 */

/** Rows that are asked about together. Memory grows by so many. */
export const BLOCK_ROWS = 1024

/** Numbers that are multiplied at once: a row is padded with zeros to a multiple of it. */
export const LANES = 16

export interface Rows {
  /** Whole rows of finite numbers, one after the other. They are numbered on from the last one. */
  add(vectors: Float32Array): void
  remove(row: number): void
  /** Of removed ones too. */
  copy(from: number, count: number): Float32Array<ArrayBuffer>

  /** The query of the calls that follow. */
  ask(query: Float32Array): void
  /**
   * Lists the live rows of one block that may score `floor` or more, in ascending order, and says how many. One that does is never left
   * out; one that does not may be listed.
   */
  listReaching(block: number, floor: number): number
  /** The row numbers that `listReaching` wrote and `dots` reads: room for one block. Valid until the next call of `add`. */
  readonly listed: Uint32Array
  /**
   * Scores of the first so many listed rows, in `scores`. Sixteen sums run side by side, sum j over the products of the numbers j, j + 16,
   * j + 32 and so on; then they are added in halves: j with j + 8, with j + 4, with j + 2, with j + 1.
   */
  dots(count: number): void
  readonly scores: Float32Array
}

export function paddedTo(dimensions: number): number {
  return Math.ceil(dimensions / LANES) * LANES
}
