/**
 * What makes vectors of texts must do: one function, and a name that tells which vectors may be compared with each other. Types
 * only.
 */
import type { CallOptions } from './store.ts'

export interface Embed {
  /** Which vectors these are. Those of another name are another set, never compared with these. */
  readonly model: string
  /**
   * One for each text, in their order: finite numbers, of length 1, all of one dimension. The same text gives the same vector.
   * `MODEL` with `refused: true` in its data: one of the texts may be what it does not take; the others are tried without it. With
   * `mayPass: true` besides: or something else was at fault, so that such a text is tried again later.
   */
  embed(texts: readonly string[], options?: CallOptions): Promise<readonly Float32Array[]>
  /** Whether it tells texts like this apart. One that does not goes by words, unless meaning is all that was asked for. Missing: it reads all. */
  reads?(text: string): boolean
  /** What it holds, such as a worker, ends. */
  close(): Promise<void>
}

/** Where vectors come from. A model takes a second and hundreds of megabytes, so it is loaded when it is first wanted. */
export interface EmbedSource {
  /** As `Embed.model` will be: known without loading, so that kept vectors are found. */
  readonly model: string
  /** Missing until it is loaded, for who will not wait. */
  readonly loaded: Embed | undefined
  /** Why it could not be loaded, the last time that was tried: for who leaves the loading to others. */
  readonly failure?: Error | undefined
  /** One and the same for all callers. `NO_EMBEDDINGS`: there is none, and the hint says what to install; asked again, it looks again. */
  load(options?: CallOptions): Promise<Embed>
  close(): Promise<void>
}
