/** Entries as they are at one moment, beside those that were read before it: for who has worked on them meanwhile. */
import type { Entry } from '../../model/entry.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { CallOptions, Store } from '../../ports/store.ts'

type Read = readonly { readonly entry: Entry }[]

export interface Looked {
  /** Another one after each purge. */
  readonly epoch: string
  /** By id, of those that are there. */
  readonly revisions: ReadonlyMap<string, string>
}

export async function lookAt(store: Store, some: Read, call: CallOptions): Promise<Looked> {
  // One look at the store serves both.
  const once = oneQuestion(call)
  const { epoch } = (await store.feed('now', once)).cursor
  const heads = await store.heads({ ids: new Set(some.map(({ entry }) => entry.id)) }, once)
  return { epoch, revisions: new Map(heads.map(({ id, revision }) => [id, revision])) }
}

/** Ids of those that are gone. After a purge it may be another one that has the id. */
export function goneSince(some: Read, before: Looked, after: Looked): readonly string[] {
  const isPurged = before.epoch !== after.epoch
  const gone = some.filter(({ entry: { id, revision } }) => {
    const now = after.revisions.get(id)
    return now === undefined || (isPurged && now !== revision)
  })
  return gone.map(({ entry }) => entry.id)
}
