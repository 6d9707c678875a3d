/**
 * Vectors that a store keeps itself, as far as they were read from it: a search asks for much the same again, and to compare them here
 * gives the same figures as in every other store. Invariant: what was touched since it was read is not known any more. Bounded: when it is
 * full, it begins anew.
 */
import type { PieceVector } from '../../ports/vectors.ts'
import { VectorRows } from './vector-rows.ts'

/** Some 50 MB with 384 numbers each. */
const MOST_ROWS = 32_768

export class KnownVectors {
  #rows: VectorRows
  readonly #known = new Set<string>()

  constructor(dimensions: number) {
    this.#rows = new VectorRows(dimensions)
  }

  get dimensions(): number {
    return this.#rows.dimensions
  }

  has(id: string): boolean {
    return this.#known.has(id)
  }

  /** As they were read; who has none there is known to have none. */
  take(ids: readonly string[], read: ReadonlyMap<string, readonly PieceVector[]>): void {
    for (const id of ids) {
      const fresh = new Map(read.get(id)?.map(({ hash, vector }) => [hash, vector]))
      this.#known.add(id)
      if (fresh.size > 0) this.#rows.put(id, '', new Set(fresh.keys()), fresh)
    }
  }

  forget(id: string): void {
    if (this.#known.delete(id)) this.#rows.setCurrent(id, false)
  }

  /** What a search still wants, it reads again. */
  tidy(): void {
    if (this.#rows.rows <= MOST_ROWS) return
    this.#rows = new VectorRows(this.dimensions)
    this.#known.clear()
  }

  mean(id: string): Float32Array | undefined {
    return this.#rows.mean(id)
  }

  /** Of the nearest piece of each that is known to have vectors. */
  cosines(query: Float32Array, ids: readonly string[]): ReadonlyMap<string, number> {
    return this.#rows.cosines(query, ids)
  }
}
