/**
 * Every error Keepsake throws on purpose. A code for programs, a message that says what and where, a hint that says
 * what to do, the facts in `data`. Classes take facts and build the message. Expected outcomes are values, not errors.
 */

export type ErrorCode =
  | 'INVALID'
  | 'NOT_FOUND'
  | 'NAME_TAKEN'
  | 'CONFLICT'
  | 'LOCKED'
  | 'READ_ONLY'
  | 'IO'
  | 'DAMAGED'
  | 'FOREIGN'
  | 'NEWER'
  | 'UNSUPPORTED'
  | 'CLOSED'
  | 'NO_MODEL'
  | 'NO_EMBEDDINGS'
  | 'MODEL'
  | 'TIMEOUT'

export interface ErrorFacts {
  readonly hint?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

const BRAND = 'keepsake.error'

export class KeepsakeError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Readonly<Record<string, unknown>>
  readonly brand: string = BRAND

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'KeepsakeError'
    this.code = code
    this.hint = facts.hint
    this.data = facts.data ?? {}
  }
}

/** Recognises our errors by brand, so that two copies of the package in one program agree. */
export function isKeepsakeError(error: unknown): error is KeepsakeError {
  return typeof error === 'object' && error !== null && 'brand' in error && error.brand === BRAND
}

/** An argument that is not allowed. `allowed` completes the sentence "Allowed: …". */
export class InvalidError extends KeepsakeError {
  constructor(field: string, problem: string, allowed: string, data: Readonly<Record<string, unknown>> = {}) {
    super('INVALID', `${field}: ${problem}`, { hint: `Allowed: ${allowed}.`, data: { field, ...data } })
  }
}

export class NotFoundError extends KeepsakeError {
  constructor(ref: string, near: readonly string[] = []) {
    super('NOT_FOUND', `nothing here is called "${ref}"`, {
      hint:
        near.length > 0
          ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
          : 'List what there is with: keepsake list',
      data: { ref, near },
    })
  }
}

export class NameTakenError extends KeepsakeError {
  constructor(name: string, owner: { readonly id: string; readonly name: string | null; readonly kind: string }) {
    super('NAME_TAKEN', `"${name}" already belongs to the ${owner.kind} "${owner.name ?? owner.id}"`, {
      hint: 'Choose another name, or move an alias over with: keepsake alias REF NAME --take',
      data: { name, owner: owner.id },
    })
  }
}

/** A compare-and-swap that came too late: the entry is not at the revision the writer had read. */
export class ConflictError extends KeepsakeError {
  constructor(id: string, expected: string | null, actual: string | null) {
    const message =
      expected === null
        ? `${id} exists already, at revision ${actual}`
        : actual === null
          ? `${id} is gone; revision ${expected} was expected`
          : `${id} is at revision ${actual}, not ${expected}`
    super('CONFLICT', message, {
      hint: 'Someone changed it since you read it. Read it again, merge, and write with the new revision.',
      data: { id, expected, actual },
    })
  }
}

/** An append that was decided on what a transcript held before others appended to it. */
export class SessionConflictError extends KeepsakeError {
  constructor(key: string, expected: number, actual: number) {
    const session = `session ${JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key)}`
    const message =
      expected === 0
        ? `${session} exists already`
        : actual === 0
          ? `${session} is gone`
          : `${session} ends at ${actual}, not at ${expected}`
    super('CONFLICT', message, {
      hint: 'It changed since you read it. Read what came since, and decide again.',
      data: { session: key, expected, actual },
    })
  }
}

/** Changes that can't be taken back as they stand: later ones build on them, or an undo has done it already. */
export class ConflictingChangesError extends KeepsakeError {
  constructor(changes: readonly number[], later: readonly number[], undoneBy?: number) {
    const what = `change ${changes.join(', ')}`
    if (undoneBy === undefined) {
      super('CONFLICT', `${what} can't be undone alone: change ${later.join(', ')} came later and builds on it`, {
        hint: 'Undo the later ones too (withLater), or write what you want instead.',
        data: { changes, later },
      })
    } else {
      super('CONFLICT', `${what} is undone already, by change ${undoneBy}`, {
        hint: `To bring it back, undo change ${undoneBy}.`,
        data: { changes, undoneBy },
      })
    }
  }
}

export class PartialChangeError extends KeepsakeError {
  constructor(change: number) {
    super('CONFLICT', `change ${change} also changed what belongs to another agent`, {
      hint: 'Undo it as that agent, or write what you want instead.',
      data: { changes: [change] },
    })
  }
}

/** What the change did was purged, so there is nothing left to restore. */
export class PurgedChangeError extends KeepsakeError {
  constructor(change: number) {
    super('CONFLICT', `change ${change} can't be undone: what it did was purged`, {
      hint: 'Write what you want instead.',
      data: { changes: [change] },
    })
  }
}

/** `before`: the newest change before the purge that can be undone, or `null` if there is none; left out if the purge was named by its number. */
export class PurgeNotUndoableError extends KeepsakeError {
  constructor(change: number, before?: number | null) {
    super('CONFLICT', `change ${change} is a purge and can't be undone`, {
      hint:
        before === undefined
          ? 'Write what you want instead.'
          : before === null
            ? 'There is no change before it.'
            : `The change before it is ${before}, which you can undo by its number.`,
      data: { changes: [change], ...(before === undefined ? {} : { before }) },
    })
  }
}

export class UnknownChangeError extends KeepsakeError {
  /** `external`: the newest external edit that could be undone. */
  constructor(message: string, external?: number) {
    const hint =
      external === undefined
        ? 'The log lists all changes.'
        : `External edits are left alone unless you ask for one; the newest is change ${external}.`
    super('NOT_FOUND', message, { hint, data: external === undefined ? {} : { external } })
  }
}

export class LockedError extends KeepsakeError {
  constructor(folder: string, owner: string, waitedMs: number, hint?: string) {
    super('LOCKED', `${folder} is locked by ${owner}; waited ${waitedMs} ms`, {
      hint:
        hint ??
        'If that program is gone for good (another machine, another container), remove the lock folder it names.',
      data: { folder, owner, waitedMs },
    })
  }
}

export class ReadOnlyError extends KeepsakeError {
  constructor(path: string, cause: unknown) {
    const reason = typeof cause === 'string' ? cause : 'the folder or file system is read-only for this user'
    super('READ_ONLY', `${path} can't be written: ${reason}`, {
      hint: 'Reading works. To write, check the owner and mode of the folder, or choose another with --workspace.',
      data: { path },
      cause,
    })
  }
}

/** A system call failed. Wrapped once, at the store. */
export class StorageError extends KeepsakeError {
  constructor(action: string, path: string, cause: unknown, hint: string) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super('IO', `${action} ${path} failed: ${reason}`, { hint, data: { path }, cause })
  }
}

export class DamagedError extends KeepsakeError {
  constructor(path: string, problem: string, hint: string, cause?: unknown) {
    super('DAMAGED', `${path}: ${problem}`, { hint, data: { path }, cause })
  }
}

export class ForeignError extends KeepsakeError {
  constructor(path: string, problem: string) {
    super('FOREIGN', `${path}: ${problem}`, {
      hint: 'It was left as it is. Move it away if it does not belong here.',
      data: { path },
    })
  }
}

export class NewerError extends KeepsakeError {
  constructor(path: string, found: number, known: number) {
    super('NEWER', `${path} has format ${found}; this program knows up to ${known}`, {
      hint: 'It was left as it is. Update keepsake.',
      data: { path, found, known },
    })
  }
}
