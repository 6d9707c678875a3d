/** Taking entries away, as long as they are as they were read. Pure. */
import { KeepsakeError } from '../errors.ts'
import type { Expect, RemoveOperation } from '../model/operation.ts'
import type { Store } from '../ports/store.ts'

export function removals(entries: readonly { readonly id: string }[]): RemoveOperation[] {
  return entries.map(({ id }) => ({ op: 'remove', id }))
}

/** Refuses `expect` before anything is read, so that no result looks checked when it isn't. */
export function refuseWithoutCompare({ capabilities }: Pick<Store, 'capabilities'>): void {
  if (capabilities.expect === true) return
  throw new KeepsakeError('UNSUPPORTED', `expect: ${capabilities.expect}`, {
    hint: 'Leave out expect (--expect). Nothing was written.',
    data: { field: 'expect' },
  })
}

/** Expects the entries to be at the revisions that were read. Empty if the store can't check that. */
export function asRead(
  { capabilities }: Pick<Store, 'capabilities'>,
  entries: readonly { readonly id: string; readonly revision: string }[],
): Expect {
  if (capabilities.expect !== true) return {}
  return Object.fromEntries(entries.map(({ id, revision }) => [id, revision]))
}
