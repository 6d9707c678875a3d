/**
 * The vectors that one memory searches, world and own: kept in step with the index, asked about a query, and made where they are
 * missing. Types, and the name of the lease: vectors lie in the store's derived data (kept-meaning.ts), or the store keeps and
 * searches them itself (native-index.ts).
 */
import type { KeepsakeError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import type { Kind } from '../../model/kinds.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { ScopeIndex } from '../scope-index.ts'
import type { Embedded, EmbedPendingOptions, MeaningView, RefusedEntry } from './meaning-view.ts'

/** Whoever has it writes vectors. */
export const EMBED_LEASE = 'embed'

export interface Meaning {
  readonly source: EmbedSource
  /** Entries without a vector, as of the last `follow`. */
  readonly pending: number
  /** Entries with vectors, as of the last `follow`. */
  readonly entries: number
  /** Entries with a text that the model does not take, as of the last `follow`. */
  readonly refused: readonly RefusedEntry[]
  /** Why the vectors can't be asked at present, as of the last call. */
  readonly obstacle: KeepsakeError | undefined
  /** What compares the vectors if the store does, such as `pgvector 0.8.0`; as of the last `follow`. */
  readonly searchedBy: string | undefined
  /** Whether it was such an obstacle: then a search may go on without them. */
  isObstacle(error: unknown): error is KeepsakeError
  /** Whether an entry has vectors, as of the last `follow`. `undefined`: it has nothing that a model reads. */
  has(id: string): boolean | undefined
  /** One for each of these that has any: the mean of its pieces, of length 1. Never loads a model. */
  vectorsOf(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, Float32Array>>
  /** Reads what is kept, which `follow` does too: for who would not keep a turn of the index waiting for it. */
  open(): Promise<void>
  /** Called by `RecallIndex.inStep(use, { meaning })`, after the index has followed. */
  follow(indexes: readonly ScopeIndex[], options?: CallOptions): Promise<void>
  queryVector(text: string, options?: CallOptions): Promise<Float32Array>
  ask(query: Float32Array, wish: AskWish): Promise<Asking>
  /** What the last `follow` told of. Never inside `use` of `inStep`. */
  embedPending(options?: EmbedPendingOptions): Promise<Embedded>
}

export interface AskWish extends CallOptions {
  readonly scopes: readonly Scope[]
  readonly kinds: readonly Kind[]
}

/** About one query. */
export interface Asking {
  /** Of all that the last view was to look at, what is nearest may be missing: they are too many. */
  readonly isPartial: boolean
  /** Valid inside the turn of the index in which it is taken. */
  view(): MeaningView
  /** Gets what the last view lacked, outside of any turn. False: it lacked nothing, or nothing more is to be had. */
  more(): Promise<boolean>
}
