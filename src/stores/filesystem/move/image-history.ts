/**
 * The past of a folder as it is handed to another store: what the journal tells, and what it does not as one change more, so that
 * together they come to what is there. Read from the journal whenever it is asked for; one that was cut meanwhile is an error.
 */
import { isDeepStrictEqual } from 'node:util'
import { StorageError } from '../../../errors.ts'
import type { Entry } from '../../../model/entry.ts'
import type { Operation } from '../../../model/operation.ts'
import type { Cursor, History, Recorded, Touched } from '../../../ports/store.ts'
import { handEdit } from '../hand-edit.ts'
import { isOutside } from '../layout.ts'
import { cursorOf } from '../past/change-feed.ts'
import { readHistory } from '../past/history.ts'
import type { Workspace } from '../workspace.ts'

export interface ImagedHistory {
  readonly history: History
  readonly cursor: Cursor
}

/** `present`: all entries there are. `edited`: when hands did last what nobody has journaled. */
export function imagedHistory(workspace: Workspace, present: readonly Entry[], edited: string): ImagedHistory {
  const told = readHistory(workspace)
  const last = new Map(told.entries.map((entry) => [entry.id, entry]))
  let count = 0
  let at = edited
  for (const { change, touched } of told.changes) {
    count++
    if (change.at > at) at = change.at
    for (const { id, after } of touched) {
      if (after) last.set(id, after)
      else last.delete(id)
    }
  }
  const cursor = cursorOf(workspace)
  const isNew = count === 0 && last.size === 0
  const pending = pendingChange(last, present, cursor.number + 1, at, isNew)
  const since = told.since ?? (pending && isNew ? at : undefined)
  return {
    cursor: pending ? { epoch: cursor.epoch, number: pending.change.number } : cursor,
    history: {
      ...(since === undefined ? {} : { since }),
      entries: told.entries.map(withoutOutside),
      changes: () => changesOf(workspace, told, count, pending),
    },
  }
}

async function* changesOf(
  workspace: Workspace,
  told: ReturnType<typeof readHistory>,
  count: number,
  pending: Recorded | undefined,
): AsyncGenerator<Recorded> {
  let read = 0
  for (const { change, touched } of told.changes) {
    read++
    yield { change, touched: touched.map(plainTouched) }
  }
  if (read !== count) {
    const problem = `it had ${count} changes and has ${read} by now`
    throw new StorageError('reading', workspace.journal.folder, problem, 'Its past was cut meanwhile. Try again.')
  }
  if (pending) yield pending
}

/** What hands did since, as one change. `isNew`: nobody has ever written here. */
function pendingChange(
  last: ReadonlyMap<string, Entry>,
  present: readonly Entry[],
  number: number,
  at: string,
  isNew: boolean,
): Recorded | undefined {
  const operations: Operation[] = []
  const touched: Touched[] = []
  const there = new Set<string>()
  for (const after of present) {
    const { id } = after
    there.add(id)
    const before = last.get(id)
    if (before && isDeepStrictEqual({ ...before }, { ...after })) continue
    operations.push(...(handEdit(before, after)?.operations ?? [{ op: 'write', id }]))
    touched.push({ id, ...(before ? { before } : {}), after })
  }
  for (const [id, before] of last) {
    if (there.has(id)) continue
    operations.push({ op: 'remove', id })
    touched.push({ id, before })
  }
  if (operations.length === 0) return undefined
  const change = { number, at, origin: { by: 'hand' as const }, operations, ...(isNew ? { found: true as const } : {}) }
  return { change, touched: touched.map(plainTouched) }
}

function plainTouched({ id, before, after }: Touched): Touched {
  return {
    id,
    ...(before ? { before: withoutOutside(before) } : {}),
    ...(after ? { after: withoutOutside(after) } : {}),
  }
}

/** A path outside the workspace is this machine's own affair. */
export function withoutOutside(entry: Entry): Entry {
  if (entry.path === undefined || !isOutside(entry.path)) return entry
  const { path: _, ...rest } = entry
  return rest
}
