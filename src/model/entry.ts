/**
 * The one thing Keepsake keeps: an entry. Plain data, the same in every store and on every interface.
 * Deliberately absent: where its bytes are. `path` is a courtesy of stores that have files.
 */
import type { Kind } from './kinds.ts'

/** `world`, or the id of one agent (always lower case). */
export type Scope = string

export const WORLD: Scope = 'world'

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }
export type Metadata = { readonly [key: string]: JsonValue }

/** `user`: a person, on the page or through its API. `hand`: an external edit of a file. */
export const ORIGINS = ['agent', 'user', 'hand', 'consolidation', 'raw-fallback', 'import', 'undo'] as const

export type OriginBy = (typeof ORIGINS)[number]

/** Who wrote it. */
export interface Origin {
  readonly by: OriginBy
  readonly agent?: string
  readonly session?: string
}

/** An entry without its text: what a catalogue holds in memory for each of a hundred thousand. */
export interface EntryHead {
  readonly id: string
  /** Monotonic within a store, never given to another id. */
  readonly seq: number
  /** 16 hex digits over all that a person would call its content; see revision.ts. */
  readonly revision: string
  readonly scope: Scope
  readonly kind: Kind
  /** Log entries have none. */
  readonly name: string | null
  /** Only `context` has one: unique by agent, outside the set of names. */
  readonly key?: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly metadata: Metadata
  /** ISO-8601 UTC with `Z`, as are all times. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string | null
  readonly origin: Origin
  /** Relative to the workspace, with forward slashes; only from stores that have files. */
  readonly path?: string
}

export interface Entry extends EntryHead {
  readonly content: string
}
