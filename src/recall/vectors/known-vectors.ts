/**
 * Vectors that were read from the store: searches need much the same ones again, and comparing them here gives the same scores as
 * in every other store. Invariant: the vectors of an entry that changed since they were read are not used.
 */
import type { ReadVectors } from '../../ports/vectors.ts'
import { VectorRows } from './vector-rows.ts'

/** Some 50 MB with 384 dimensions. */
const MAX_ROWS = 32_768

export class KnownVectors {
  readonly dimensions: number
  #rows: VectorRows
  readonly #known = new Set<string>()
  /** The ids of each running read, without those that changed since it began. */
  readonly #loading = new Set<Set<string>>()

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#rows = new VectorRows(dimensions)
  }

  has(id: string): boolean {
    return this.#known.has(id)
  }

  async load(ids: readonly string[], read: () => Promise<ReadonlyMap<string, ReadVectors>>): Promise<void> {
    const wanted = new Set(ids)
    this.#loading.add(wanted)
    try {
      for (const [id, { pieces, isCurrent }] of await read()) {
        if (!isCurrent || !wanted.has(id)) continue
        const vectors = new Map(pieces.map(({ hash, vector }) => [hash, vector]))
        this.#known.add(id)
        if (vectors.size > 0) this.#rows.put(id, '', new Set(vectors.keys()), vectors)
      }
    } finally {
      this.#loading.delete(wanted)
    }
  }

  /** For entries that changed. `undefined`: any entry may have changed. */
  forget(ids: ReadonlySet<string> | undefined): void {
    for (const id of ids ?? [...this.#known]) if (this.#known.delete(id)) this.#rows.setCurrent(id, false)
    for (const wanted of this.#loading) for (const id of ids ?? [...wanted]) wanted.delete(id)
    if (this.#rows.rows <= MAX_ROWS) return
    // Searches read again what they still need.
    this.#rows = new VectorRows(this.dimensions)
    this.#known.clear()
  }

  mean(id: string): Float32Array | undefined {
    return this.#rows.mean(id)
  }

  /** The cosine of the nearest piece of each entry that has vectors. */
  cosines(query: Float32Array, ids: readonly string[]): ReadonlyMap<string, number> {
    return this.#rows.cosines(query, ids)
  }
}
