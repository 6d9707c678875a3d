/**
 * The collection of vectors, as far as the store needs it: one record for each piece of an entry, found by nearness. Types: the real
 * one is in chroma-vectors.ts. What is in it is a projection: nobody takes it for the truth, and it may be made anew.
 */
import type { CallOptions } from '../../../ports/store.ts'

export type VectorLabel = string | number | boolean

export type VectorMetadata = Readonly<Record<string, VectorLabel>>

export interface VectorRecord {
  /** At most 120 bytes. */
  readonly id: string
  readonly vector: Float32Array
  /** At most 16,384 bytes in UTF-8. Left out: what the record had, if it is there. */
  readonly document?: string
  /** At most 32 of them: names of at most 36 bytes, values of at most 4,096. */
  readonly metadata: VectorMetadata
}

export interface StoredVector {
  readonly vector: Float32Array
  readonly metadata: VectorMetadata
}

export interface NearVector {
  readonly id: string
  readonly cosine: number
}

/** Each of these has this value, or one of those in a list. */
export type VectorWhere = Readonly<Record<string, string | number | readonly (string | number)[]>>

/** What every server gives in one answer. */
export const MOST_NEAR = 300

/** Where there is no such collection, everything reads as empty; `put` alone needs one, which `begin` makes. */
export interface VectorShelf {
  /** In place of what was there. A vector of another dimension than those that are there is refused, with all of its call. */
  put(records: readonly VectorRecord[], options?: CallOptions): Promise<void>
  /** Missing where there is none. */
  get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, StoredVector>>
  /** In no order. */
  ids(where: VectorWhere, options?: CallOptions): Promise<readonly string[]>
  /** Ids that are not there are no error. */
  remove(ids: readonly string[], options?: CallOptions): Promise<void>
  /** The nearest first. More than MOST_NEAR a server may refuse. A filter costs time: none where it would leave nothing out. */
  nearest(
    query: Float32Array,
    most: number,
    where: VectorWhere | undefined,
    options?: CallOptions,
  ): Promise<readonly NearVector[]>
  count(options?: CallOptions): Promise<number>
  /** Of all that was put into it since it began. */
  dimensions(options?: CallOptions): Promise<number | undefined>
  /** Away with all of it, and an empty one in its place that says this of itself. */
  begin(metadata: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<void>
  /** `undefined`: there is no such collection. */
  metadata(options?: CallOptions): Promise<Readonly<Record<string, unknown>> | undefined>
}
