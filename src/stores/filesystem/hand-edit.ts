/**
 * A change that a person made in a file, as operations. The file has won already; this only tells what happened, so that
 * it can be journaled, shown and undone like any other change.
 */
import type { Entry, EntryHead } from '../../model/entry.ts'
import type { AddOperation, Operation } from '../../model/operation.ts'
import { revisionOf } from '../../model/revision.ts'

/** What happened to one entry: several operations may be needed to tell it. */
export interface HandEdit {
  readonly before?: EntryHead
  readonly after?: Entry
  readonly operations: readonly Operation[]
  /** The hash of the text that says so; `null` for no file. */
  readonly source?: string | null
}

export function handEdit(before: EntryHead | undefined, after: Entry | undefined): HandEdit | undefined {
  if (!before && !after) return undefined
  if (!after) return before && { before, operations: [{ op: 'remove', id: before.id }] }
  if (!before) return { after, operations: [addOf(after)] }
  // An entry can't change its kind or its scope: a file that was moved across is a new entry under the old id.
  if (before.scope !== after.scope || before.kind !== after.kind) {
    return { before, after, operations: [{ op: 'remove', id: before.id }, addOf(after)] }
  }
  const operations = [...renameOf(before, after), ...aliasesOf(before, after), ...writeOf(before, after)]
  if (operations.length > 0) return { before, after, operations }
  if (before.path === after.path) return undefined
  return { before, after, operations: [{ op: 'rename', id: after.id, name: after.name ?? '' }] }
}

export function addOf(entry: Entry): AddOperation {
  const { revision: _, path: __, ...fields } = entry
  return { op: 'add', ...fields }
}

function renameOf(before: EntryHead, after: Entry): Operation[] {
  if (before.name === after.name || after.name === null) return []
  return [{ op: 'rename', id: after.id, name: after.name }]
}

function aliasesOf(before: EntryHead, after: Entry): Operation[] {
  const dropped = before.aliases.filter((alias) => !after.aliases.includes(alias))
  const bound = after.aliases.filter((alias) => !before.aliases.includes(alias))
  return [
    ...dropped.map((alias): Operation => ({ op: 'alias', id: after.id, alias, mode: 'drop' })),
    ...bound.map((alias): Operation => ({ op: 'alias', id: after.id, alias })),
  ]
}

function writeOf(before: EntryHead, after: Entry): Operation[] {
  const patch = {
    // The old text is gone from the disk, but its revision tells whether this is it.
    ...(revisionOf({ ...before, content: after.content }) === before.revision ? {} : { content: after.content }),
    ...(before.description === after.description ? {} : { description: after.description }),
    ...(same(before.metadata, after.metadata) ? {} : { metadata: after.metadata }),
    ...(before.expiresAt === after.expiresAt ? {} : { expiresAt: after.expiresAt }),
  }
  return Object.keys(patch).length === 0 ? [] : [{ op: 'write', id: after.id, ...patch }]
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
