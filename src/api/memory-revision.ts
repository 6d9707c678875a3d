/** One value for the state of a whole memory. A client compares it to find out whether the data it has loaded is still current. */
import { createHash } from 'node:crypto'
import type { EntryHead } from '../model/entry.ts'
import type { Store } from '../ports/store.ts'

const DIGITS = 16

/** Changes with every change by any agent, external edits included. `heads`: those of all entries. */
export async function memoryRevision(store: Store, heads: readonly EntryHead[]): Promise<string> {
  const { epoch, number } = (await store.feed('now')).cursor
  const hash = createHash('sha256').update(`${epoch} ${number}`)
  for (const { id, revision } of heads) hash.update(id).update(revision)
  return hash.digest('hex').slice(0, DIGITS)
}
