/** Taking entries away, as long as they are as they were read. Pure. */
import type { Expect, RemoveOperation } from '../model/operation.ts'

export function removals(entries: readonly { readonly id: string }[]): RemoveOperation[] {
  return entries.map(({ id }) => ({ op: 'remove', id }))
}

/** What must still hold when it is done. */
export function asRead(entries: readonly { readonly id: string; readonly revision: string }[]): Expect {
  return Object.fromEntries(entries.map(({ id, revision }) => [id, revision]))
}
