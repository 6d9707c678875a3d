/** What vectors say of a memory: about one query, and how far the embedding of its entries has come. Types only. */
import type { CallOptions } from '../../ports/store.ts'

/** About one query. Valid inside the same turn of the index. */
export interface MeaningView {
  readonly model: string
  /** Entries that have no vector yet. */
  readonly pending: number
  /** Of its nearest piece; undefined: it has no vector yet. */
  cosine(id: string): number | undefined
  /** The same of many, which is faster than to ask for each; missing where it has none. */
  cosines(ids: readonly string[]): ReadonlyMap<string, number>
  /** The best entries that `accepts` lets through, the best first, exact. */
  best(most: number, accepts: (id: string) => boolean): readonly Near[]
}

export interface Near {
  readonly id: string
  readonly cosine: number
}

export interface EmbedPendingOptions extends CallOptions {
  /** Pieces at most, about; left out: all there are. */
  readonly most?: number
  /** In entries. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface Embedded {
  readonly model: string
  /** Pieces that the model was given. */
  readonly embedded: number
  /** Entries that have vectors now. */
  readonly entries: number
  /** Entries that have none yet. */
  readonly pending: number
}
