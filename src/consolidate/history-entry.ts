/** The history entry of an archive: it mirrors it, with an id that follows from the archive's, so that it is there once or not at all. */
import type { Metadata } from '../model/entry.ts'
import { derivedId } from '../model/id.ts'
import type { AddOperation, Expect } from '../model/operation.ts'

export function historyEntry(
  agent: string,
  session: string,
  archive: string,
  content: string,
  more: Metadata = {},
): { readonly operation: AddOperation; readonly expect: Expect } {
  const id = derivedId(agent, `history\0${archive}`)
  const operation: AddOperation = {
    op: 'add',
    scope: agent,
    kind: 'history',
    id,
    content,
    metadata: { ...more, archive, session },
  }
  return { operation, expect: { [id]: null } }
}
