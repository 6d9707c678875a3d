/** What a write may be told, and which of it makes no sense for which kind. */
import { InvalidError } from '../errors.ts'
import type { Metadata } from '../model/entry.ts'
import { aKind, KINDS, type Kind } from '../model/kinds.ts'
import type { CallOptions } from '../ports/store.ts'

export interface WriteOptions extends CallOptions {
  /** The revision that the writer has read; the write fails with CONFLICT when it is no longer current. `null`: must be new. */
  readonly expect?: string | null
  /** The session that this comes from. */
  readonly session?: string
}

export interface RememberOptions extends WriteOptions {
  readonly name?: string
  readonly description?: string
  readonly kind?: Kind
  readonly key?: string
  readonly aliases?: readonly string[]
  readonly metadata?: Metadata
  /** `30d`, `12h`, `90m`, `45s`. */
  readonly ttl?: string
}

/** `key`: of a context; without one it replaces nothing. */
export type StoreOptions = Pick<RememberOptions, 'metadata' | 'key' | 'ttl' | 'session' | 'expect' | 'signal'>

export function defaultKind({ name, key }: RememberOptions): Kind {
  if (key !== undefined) return 'context'
  return name === undefined ? 'experience' : 'note'
}

export function requireExpect(expect: unknown): void {
  if (expect === undefined || expect === null || typeof expect === 'string') return
  throw new InvalidError('expect', `${JSON.stringify(expect)} is no revision`, 'a revision, or null for "must be new"')
}

/** What an option would have no effect on must not look as if it had one. */
export function refuseIdleOptions(kind: Kind, { name, key, ttl, expect }: RememberOptions): void {
  const { naming, fixedName, ttl: mayExpire } = KINDS[kind]
  if (key !== undefined && naming !== 'key') {
    throw new InvalidError('key', `${aKind(kind)} has no key`, 'a key for context only')
  }
  if (key !== undefined && name !== undefined) {
    throw new InvalidError('name', 'a context has a key and no name besides', 'one of name and key')
  }
  if (name !== undefined && fixedName !== undefined && name !== fixedName) {
    throw new InvalidError('name', `the ${kind} of an agent is called ${fixedName}`, fixedName)
  }
  if (ttl !== undefined && !mayExpire) throw new InvalidError('ttl', `${aKind(kind)} never expires`, 'no ttl')
  // A fact is known again without a name, by what it says.
  const isUncalled = name === undefined && key === undefined
  const isAlwaysNew = naming === 'none' || (naming !== 'fixed' && isUncalled && kind !== 'fact')
  if (typeof expect === 'string' && isAlwaysNew) {
    throw new InvalidError('expect', `a new ${kind} has no earlier revision`, 'a revision where a name or key is given')
  }
}

export function requireName({ name }: RememberOptions, kind: Kind): string {
  if (name === undefined) throw new InvalidError('name', `a ${kind} needs one`, 'a name of 1 to 200 characters')
  return name
}
