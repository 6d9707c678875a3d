/**
 * Vectors that a store keeps itself, in an index of its own, and searches there: a projection of the entries that somebody with a
 * model brings up to date, and nobody takes for the truth. Types only.
 */
import type { Entry, Scope } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'
import type { CallOptions } from './store.ts'

/** How far the vectors tell of the entries. */
export interface VectorProgress {
  /** `Embed.model`. */
  readonly model: string
  readonly dimensions: number
  /** By which rule texts were cut into pieces. */
  readonly pieces: number
  /** Another one each time that they are begun: what was read of them before that is void. */
  readonly begun: string
  /** Every entry that no change after this one touched has its vectors. Numbers go on through a purge. */
  readonly number: number
  /** While all are made for the first time: so they have up to this seq, and no entry behind it has. */
  readonly upToSeq?: number
  /** Of those that changes up to this number touched, the ones up to this seq have theirs already. */
  readonly partly?: { readonly number: number; readonly upToSeq: number }
  /** Entries that have none after all, because the model did not take their text. Whoever comes next tries them again. */
  readonly without?: readonly string[]
}

export interface PieceVector {
  /** Of the piece's text: what has the same need not be embedded again. */
  readonly hash: string
  readonly vector: Float32Array
}

export interface EntryVectors {
  readonly entry: Entry
  /** None: the entry is there, and is not found by meaning. */
  readonly pieces: readonly PieceVector[]
  /** How many there are to be: until then they serve by their hash alone. */
  readonly of: number
}

export interface StoredVectors {
  readonly pieces: readonly PieceVector[]
  /** They are all there, and of the entry as it is. What came too late is not, and its pieces serve by their hash alone. */
  readonly isCurrent: boolean
}

export interface NearWish extends CallOptions {
  readonly scopes: readonly Scope[]
  readonly kinds: readonly Kind[]
  /** So many pieces are looked at, if the store can; left out: as many as it can in any case. */
  readonly most?: number
}

export interface NearEntries {
  /** Each by its nearest piece, the nearest first. */
  readonly near: readonly { readonly id: string; readonly cosine: number }[]
  /** There are no others in these scopes and of these kinds. */
  readonly isAll: boolean
}

/** Who writes holds the lease `embed`. */
export interface NativeVectors {
  /** `undefined`: there are none yet. FOREIGN where somebody else's stand in their place. */
  progress(options?: CallOptions): Promise<VectorProgress | undefined>
  /** What changes after a number touched, each id once, gone entries too; and up to which number that is. */
  touchedAfter(
    number: number,
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[]; readonly number: number }>
  /** Empties them and begins for another model, or for the first one. */
  begin(progress: VectorProgress, options?: CallOptions): Promise<void>
  advance(progress: VectorProgress, options?: CallOptions): Promise<void>
  /** In place of what these entries had. */
  put(entries: readonly EntryVectors[], options?: CallOptions): Promise<void>
  remove(ids: readonly string[], options?: CallOptions): Promise<void>
  /** Missing where an entry has none. */
  read(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, StoredVectors>>
  nearest(query: Float32Array, wish: NearWish): Promise<NearEntries>
}
