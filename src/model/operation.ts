/**
 * The closed set of writes. Every interface turns what it is asked for into a batch of these; stores apply a batch all or
 * nothing. Operations name entries by id, so that a rename between reading and writing can't redirect them.
 */

import type { Entry, Metadata, Origin, Scope } from './entry.ts'
import type { Kind } from './kinds.ts'

export interface AddOperation {
  readonly op: 'add'
  readonly scope: Scope
  readonly kind: Kind
  readonly content: string
  /** Without one, kinds that have names get one from the first words. */
  readonly name?: string | null
  readonly key?: string
  readonly aliases?: readonly string[]
  readonly description?: string
  readonly metadata?: Metadata
  /** `null`: never. Left out: as the kind says. */
  readonly expiresAt?: string | null
  /** Given by undo, move and import, which bring an entry back as it was. */
  readonly id?: string
  readonly seq?: number
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly origin?: Origin
}

export interface WriteOperation {
  readonly op: 'write'
  readonly id: string
  readonly content?: string
  readonly description?: string
  readonly metadata?: Metadata
  readonly expiresAt?: string | null
}

export interface RenameOperation {
  readonly op: 'rename'
  readonly id: string
  readonly name: string
}

export interface AliasOperation {
  readonly op: 'alias'
  readonly id: string
  readonly alias: string
  /** `bind` (default) refuses a name that another entry holds, `take` moves an alias over, `drop` gives one up. */
  readonly mode?: 'bind' | 'take' | 'drop'
}

export interface RemoveOperation {
  readonly op: 'remove'
  readonly id: string
}

export type Operation = AddOperation | WriteOperation | RenameOperation | AliasOperation | RemoveOperation

export interface Batch {
  readonly operations: readonly Operation[]
  readonly origin: Origin
  /** The numbers of the changes that this one takes back. */
  readonly reverts?: readonly number[]
}

/** Ids to the revision the writer has read; `null` for "must not exist". */
export type Expect = Readonly<Record<string, string | null>>

/** One applied batch, as the journal and the change feed tell it. Operations are complete: ids, names and times filled in. */
export interface Change {
  /** 0: the store keeps no history. */
  readonly number: number
  readonly at: string
  readonly origin: Origin
  readonly operations: readonly Operation[]
  readonly reverts?: readonly number[]
  /** Nobody did this: it was there already when the record of changes began. */
  readonly found?: true
  /**
   * A hand's edit that took the place of what this change was to write: a crash had come between, so nobody knows whether the
   * person ever saw that.
   */
  readonly supersedes?: number
  /** It is a purge: the scopes of what it removed. Nothing else of that is kept. */
  readonly purged?: readonly Scope[]
}

/** Whether the store keeps it in its history: only then is its number valid. */
export function isLogged(change: Change | undefined): change is Change {
  return change !== undefined && change.number > 0
}

/** What one operation did. `after` is missing when it removed, `before` when it added. */
export interface Step {
  readonly operation: Operation
  readonly before?: Entry
  readonly after?: Entry
}
