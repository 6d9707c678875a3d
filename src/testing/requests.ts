/** Short forms of what the cases ask a store for. */
import { planUndo, type UndoRequest } from '../history/undo.ts'
import { UndoHistory } from '../history/undo-history.ts'
import type { Entry, Origin, Scope } from '../model/entry.ts'
import type { AddOperation, Batch, Change, Expect, Operation } from '../model/operation.ts'
import type { Applied, Cursor, ScanFilter, Store } from '../ports/store.ts'
import { ok, present } from './assert.ts'
import type { Trial } from './harness.ts'

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
  let feed = await store.feed(since)
  while (feed.changes.length > 0) {
    changes.push(...feed.changes)
    const { number } = feed.cursor
    feed = await store.feed(feed.cursor)
    ok((feed.changes[0]?.number ?? number + 1) > number, `the feed after change ${number} goes back`)
  }
  return { changes, cursor: feed.cursor }
}

/** An entry without the courtesy of its path, for comparing it with one from another store. */
export function withoutPath({ path: _, ...entry }: Entry): Entry {
  return entry
}

/** Undoes changes of any agent, and returns their numbers. */
export async function undo(trial: Trial, request: UndoRequest): Promise<readonly number[]> {
  trial.pass(1500)
  const { batch, expect } = await undoOf(trial.store, request, trial.now())
  await trial.store.apply(batch, { expect })
  return batch.reverts ?? []
}

export async function undoOf(
  store: Store,
  request: UndoRequest,
  now: string,
): Promise<{ readonly batch: Batch; readonly expect: Expect }> {
  const history = new UndoHistory(store, await everyScope(store))
  const { operations, expect, undone } = await planUndo(history, request, now)
  const reverts = undone.map(({ change }) => change.number)
  return { batch: { operations, origin: { ...MAIN, by: 'undo' }, reverts }, expect }
}

export async function everyScope(store: Store): Promise<readonly Scope[]> {
  const touched = (await store.changes()).flatMap((recorded) => recorded.touched)
  return [...new Set(touched.flatMap(({ before, after }) => (after ?? before)?.scope ?? []))]
}
