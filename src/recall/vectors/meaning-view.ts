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
  /** At least the `most` nearest that `accepts` lets through, with all that are as near as the last of them: exact, in no order. */
  best(most: number, accepts: (id: string) => boolean): readonly Near[]
}

export interface Near {
  readonly id: string
  readonly cosine: number
}

export interface EmbedPendingOptions extends CallOptions {
  /** About how long to embed; left out: until all is done. */
  readonly forMs?: number
  /** `IO` or `READ_ONLY` where vectors can't be kept. Else they are made all the same, for this process alone. */
  readonly mustKeep?: boolean
  /** All of them, in place of those that another model made. `UNSUPPORTED` where the vectors of each model lie apart. */
  readonly anew?: boolean
  /** In entries. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface Embedded {
  readonly model: string
  /** Pieces that the model was given. */
  readonly embedded: number
  /** Entries that have vectors now. */
  readonly entries: number
  /** Entries that have none yet, and will get them. */
  readonly pending: number
  /** Entries that have none because the model does not take their text; missing where there are none. */
  readonly refused?: readonly RefusedEntry[]
  /** What compares the vectors if the store keeps them: `pgvector 0.8.0`, `Keepsake's exact scan`. */
  readonly searchedBy?: string
  /** Another process is embedding, so this call did nothing. */
  readonly isElsewhere?: boolean
  /** False: what was made could not be written down, so only this process has it. */
  readonly kept: boolean
}

/**
 * It is found by its words. It is tried again by the next process, when its text changes, and after some minutes where something
 * else may have been at fault.
 */
export interface RefusedEntry {
  readonly id: string
  readonly name: string | null
  /** A sentence. */
  readonly reason: string
}
