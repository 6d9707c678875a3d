/** Short forms of what the cases ask a store for. */
import type { Entry, Origin } from '../model/entry.ts'
import type { AddOperation, Change, Expect, Operation } from '../model/operation.ts'
import type { Applied, Cursor, ScanFilter, Store } from '../ports/store.ts'
import { ok, present } from './assert.ts'

export const MAIN: Origin = { by: 'agent', agent: 'main' }

/** The n-th of a row of ids that no store makes itself. */
export function givenId(n: number): string {
  return `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

export function note(name: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'note', name, content: `about ${name}`, ...more }
}

export function topic(name: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'world', kind: 'topic', name, content: `about ${name}`, ...more }
}

export function context(key: string, content: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'context', key, content, ...more }
}

export function experience(content: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'experience', content, ...more }
}

export function apply(store: Store, operations: readonly Operation[], expect?: Expect): Promise<Applied> {
  return store.apply({ operations, origin: MAIN }, expect === undefined ? {} : { expect })
}

/** Applies one operation and gives the entry it touched. */
export async function applyOne(store: Store, operation: Operation, expect?: Expect): Promise<Entry> {
  const { entries } = await apply(store, [operation], expect)
  return present(entries.at(-1), `the entry that "${operation.op}" touched`)
}

export async function scanned(store: Store, filter?: ScanFilter): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of filter === undefined ? store.scan() : store.scan(filter)) entries.push(entry)
  return entries
}

/** The feed to its end, in as many pages as the store likes. */
export async function changesSince(store: Store, since?: Cursor): Promise<{ changes: Change[]; cursor: Cursor }> {
  const changes: Change[] = []
  let feed = await store.changes(since)
  while (feed.changes.length > 0) {
    changes.push(...feed.changes)
    const { number } = feed.cursor
    feed = await store.changes(feed.cursor)
    ok((feed.changes[0]?.number ?? number + 1) > number, `the feed after change ${number} goes back`)
  }
  return { changes, cursor: feed.cursor }
}

/** An entry without the courtesy of its path, for comparing it with one from another store. */
export function withoutPath({ path: _, ...entry }: Entry): Entry {
  return entry
}
