/**
 * What operations do to entries, as a record of changes tells it: each operation, and beside it what it changed beyond what it
 * says (revision, times, names that moved). Replayed in order, it gives the same entries in every process.
 */
import type { Entry, EntryHead } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import type { Touched } from '../../ports/store.ts'

/** What of a record says what became of entries. */
export interface EntryChanges {
  readonly operations: readonly Operation[]
  readonly set: readonly Partial<EntryHead>[]
}

/** What the head is after an operation: what it was, what the operation says, what else it changed. */
export function headAfter(before: EntryHead | undefined, operation: Operation, set: Partial<EntryHead>): EntryHead {
  return { ...before, ...fieldsOf(operation), ...set } as EntryHead // `add` and `set` together name every field
}

/** The inverse: what must be noted beside an operation so that headAfter gives `after`. */
export function beyondOperation(
  before: EntryHead | undefined,
  operation: Operation,
  after: EntryHead,
): Partial<EntryHead> {
  const said: Record<string, unknown> = { ...before, ...fieldsOf(operation) }
  const differing = Object.entries(headOf(after)).filter(
    ([key, value]) => JSON.stringify(said[key]) !== JSON.stringify(value),
  )
  return Object.fromEntries(differing)
}

export function headOf(entry: EntryHead | Entry): EntryHead {
  if (!('content' in entry)) return entry
  const { content: _, ...head } = entry
  return head
}

function fieldsOf(operation: Operation): Partial<EntryHead> {
  switch (operation.op) {
    case 'add': {
      const { op: _, content: __, ...fields } = operation
      return fields as Partial<EntryHead>
    }
    case 'write': {
      const { op: _, content: __, ...fields } = operation
      return fields
    }
    case 'rename':
      return { name: operation.name }
    default:
      return {}
  }
}

/** Brings the entries to where a record left them; what it did to each. */
export function take(entries: Map<string, Entry>, record: EntryChanges): Touched[] {
  const before = new Map<string, Entry | undefined>()
  for (const [index, operation] of record.operations.entries()) {
    const id = operation.id ?? ''
    const now = entries.get(id)
    // Behind a gap in the record: what it was before can't be told, and so can't what it became.
    if (!now && operation.op !== 'add') continue
    if (!before.has(id)) before.set(id, now)
    if (operation.op === 'remove') {
      entries.delete(id)
      continue
    }
    const head = headAfter(now, operation, record.set[index] ?? {})
    const said = operation.op === 'add' || operation.op === 'write' ? operation.content : undefined
    entries.set(id, { ...head, content: said ?? now?.content ?? '' })
  }
  return [...before].map(([id, was]) => {
    const is = entries.get(id)
    return { id, ...(was ? { before: was } : {}), ...(is ? { after: is } : {}) }
  })
}
