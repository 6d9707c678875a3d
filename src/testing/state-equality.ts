/**
 * When two stores hold the same memory. In full: every field, in the order of `seq`; `path` apart, which is a courtesy of
 * stores that have files. Without `.state/`: what the files alone can tell (seq, times and origin are then made anew).
 */
import type { Entry } from '../model/entry.ts'
import { requireOptions } from '../model/options.ts'
import { difference } from './assert.ts'

export interface StateEqualityOptions {
  /** `.state/` was deleted in between: compare what the files hold, in no order. */
  readonly withoutState?: boolean
}

export function equalState(a: readonly Entry[], b: readonly Entry[], options: StateEqualityOptions = {}): boolean {
  requireOptions(options, 'equalState', { withoutState: true })
  return stateDifference(a, b, options) === undefined
}

/** The first difference in words, for the message of a failing test. */
export function stateDifference(
  actual: readonly Entry[],
  expected: readonly Entry[],
  options: StateEqualityOptions = {},
): string | undefined {
  requireOptions(options, 'stateDifference', { withoutState: true })
  const view = options.withoutState ? heldByFiles : full
  return difference(view(actual), view(expected), 'state')
}

function full(entries: readonly Entry[]): Readonly<Record<string, unknown>> {
  const bySeq = [...entries].sort((a, b) => a.seq - b.seq)
  return { order: bySeq.map(({ id }) => id), ...byId(entries.map(({ path: _, ...entry }) => entry)) }
}

function heldByFiles(entries: readonly Entry[]): Readonly<Record<string, unknown>> {
  return byId(
    entries.map(({ id, scope, kind, name, key, aliases, description, content, metadata, expiresAt }) => ({
      id,
      scope,
      kind,
      name,
      // The key is to a context what the name is to a note.
      ...(key === undefined ? {} : { key }),
      aliases: [...aliases].sort(),
      description,
      content,
      metadata,
      expiresAt,
    })),
  )
}

/** By id, so that a message names the entry; a list, so that an id that occurs twice is seen. */
function byId<T extends { readonly id: string }>(entries: readonly T[]): Record<string, T[]> {
  const out: Record<string, T[]> = {}
  for (const entry of entries) out[entry.id] = [...(out[entry.id] ?? []), entry]
  return out
}
