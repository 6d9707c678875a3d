/** What another store tells of its past, as a log of changes of ours keeps it. Pure. */
import type { ChangeRecord } from '../../codec/change-record.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import type { Recorded } from '../../ports/store.ts'
import { beyondOperation, headAfter, headOf } from './head-change.ts'

/** Where it stood in a folder says nothing here. */
export function withoutPlace({ path: _, ...entry }: Entry): Entry {
  return entry
}

/** The change with what each operation did beyond what it says, as far as the first and the last state of an entry tell. */
export function changeRecordOf({ change, touched }: Recorded): ChangeRecord {
  const now = new Map(touched.map(({ id, before }) => [id, before && headOf(withoutPlace(before))]))
  const after = new Map(touched.map((one) => [one.id, one.after && headOf(withoutPlace(one.after))]))
  const last = new Map(change.operations.map(({ id = '' }, index) => [id, index]))
  const set = change.operations.map((operation, index): Partial<EntryHead> => {
    const { id = '' } = operation
    const before = now.get(id)
    const final = last.get(id) === index ? after.get(id) : undefined
    const beyond = final && operation.op !== 'remove' ? beyondOperation(before, operation, final) : {}
    now.set(id, operation.op === 'remove' ? undefined : headAfter(before, operation, beyond))
    return beyond
  })
  return { ...change, set }
}
