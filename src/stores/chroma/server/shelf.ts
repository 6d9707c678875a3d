/**
 * One collection of a server, as far as the store needs it: texts under ids, with a few labels to find them by. Types only: the real one
 * is in chroma-shelf.ts. Two promises carry all that is built on this: `add` leaves a record that is there as it is, and
 * what a call has returned from is read by every later one, here and on other machines.
 */
import type { CallOptions } from '../../../ports/store.ts'

export type Label = string | number

export interface ShelfRecord {
  /** At most 120 bytes. */
  readonly id: string
  /** At most RECORD_BYTES in UTF-8; longer ones are kept in parts (parts.ts). */
  readonly text: string
  /** Few and short: names of at most 20 letters, values of at most 200 bytes. */
  readonly labels: Readonly<Record<string, Label>>
}

/** Every one of these labels has this value. */
export type Where = Readonly<Record<string, Label>>

/** What the smallest server takes in one record, with room for its labels. */
export const RECORD_BYTES = 28_000

export interface Shelf {
  /** How long one request may take; left out where none is sent. */
  readonly requestMs?: number
  /**
   * Those whose id is taken stay as they are: who of several has won tells `get`. Durable when it returns. When it throws with
   * `unknown: true` in the error's data, it may have been done, or may be done yet; so it may when the caller's signal ended it. More
   * than 300 records are several requests, in their order, of which the first ones may be done alone.
   */
  add(records: readonly ShelfRecord[], options?: CallOptions): Promise<void>
  /** In place of what was there; labels of it that are not given anew stay. */
  put(records: readonly ShelfRecord[], options?: CallOptions): Promise<void>
  /** Missing where there is none. */
  get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, ShelfRecord>>
  /** In no order. */
  find(where: Where, options?: CallOptions): Promise<readonly ShelfRecord[]>
  /** As `find`, ids alone. */
  findIds(where: Where, options?: CallOptions): Promise<readonly string[]>
  /** Ids that are not there are no error. */
  remove(ids: readonly string[], options?: CallOptions): Promise<void>
}
