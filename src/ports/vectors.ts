/** Vectors that a store keeps and searches itself, beside its entries. They can be made again from the entries. Types only. */
import type { Entry, Scope } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'
import type { CallOptions } from './store.ts'

/** What all vectors of a memory were made with. Vectors of another model are never compared with them. */
export interface VectorModel {
  /** `Embed.model`. */
  readonly name: string
  readonly dimensions: number
  /** The version of the rule by which texts are cut into pieces. */
  readonly pieces: number
}

export interface PieceVector {
  /** Of the piece's text: a piece with the same hash need not be embedded again. */
  readonly hash: string
  readonly vector: Float32Array
}

export interface EntryVectors {
  readonly id: string
  /** Of the entry that the vectors were made from. */
  readonly revision: string
  /** None: the entry has no text that a model reads, or the model refused it. It is not found by meaning, and not pending. */
  readonly pieces: readonly PieceVector[]
  /** The model refused the text. */
  readonly isRefused?: true
}

export interface VectorStatus {
  /** Missing while there are no vectors. */
  readonly model?: VectorModel
  /** Entries of the given scopes that have no vectors of their present revision. */
  readonly pending: readonly string[]
  /** Entries of the given scopes whose text, as it is now, the model refused. */
  readonly refused: readonly string[]
}

export interface PutVectorsOptions extends CallOptions {
  /** What the vectors were made with. */
  readonly model: VectorModel
}

export interface ReadVectors {
  readonly pieces: readonly PieceVector[]
  /** False: they are of an earlier revision. */
  readonly isCurrent: boolean
}

export interface NearestRequest extends CallOptions {
  readonly scopes: readonly Scope[]
  readonly kinds: readonly Kind[]
  /** How many entries are wanted. A store may return fewer. */
  readonly limit: number
}

export interface NearestEntries {
  /** Each entry by its nearest piece: the nearest entry first, ties by id. */
  readonly near: readonly { readonly id: string; readonly cosine: number }[]
  /** There are no other entries with vectors in these scopes and of these kinds. */
  readonly isAll: boolean
}

/** Only the process that holds the lease `embed` writes; any process may search. Only vectors of an entry's present revision are ever used. */
export interface NativeVectors {
  /** How many pieces of an entry the store can keep. Missing: all of them. */
  readonly maxPieces?: number | undefined
  /** What searches the vectors, for people to read: "pgvector 0.8.0" or "Keepsake's exact scan". */
  describe(options?: CallOptions): Promise<string>
  status(scopes: readonly Scope[], options?: CallOptions): Promise<VectorStatus>
  /**
   * Deletes all vectors; the next ones are of this model. If only its `pieces` differ from the present model's, the store may keep them
   * for `read`, as those of an earlier revision.
   */
  reset(model: VectorModel, options?: CallOptions): Promise<void>
  /** Entries of all agents without vectors of their present revision, in the order of `seq`, after the given one. Fewer than `limit`: the last. */
  pending(afterSeq: number, limit: number, options?: CallOptions): Promise<readonly Entry[]>
  /**
   * Replaces the vectors of these entries. Skips an entry that is not at the given revision any more.
   *
   * @throws CONFLICT if the vectors are of another model by now.
   */
  put(vectors: readonly EntryVectors[], options: PutVectorsOptions): Promise<void>
  /** Deletes vectors of entries that are gone. Missing: they go with their entries. */
  prune?(options?: CallOptions): Promise<void>
  /** The vectors of these entries, also those of an earlier revision, whose pieces can be used again. Entries without any are missing. */
  read(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, ReadVectors>>
  nearest(query: Float32Array, request: NearestRequest): Promise<NearestEntries>
}
