/**
 * All records with these labels, in pages of what the smallest server gives at once. A page is told by how many are before it, so a record
 * that goes meanwhile would move another past the reader: each page begins with the last record of the one before, and where it does
 * not, all is read again.
 */
import type { Metadata, Where } from 'chromadb'
import { KeepsakeError } from '../../../errors.ts'
import { addressOf } from '../../../model/server-address.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { ServerCollection } from './collection.ts'

export const MOST_RESULTS = 300

export interface Got {
  readonly ids: readonly string[]
  /** As many, or none where none were asked for. */
  readonly metadatas: readonly (Metadata | null)[]
}

/** Inside of a request: what is not as a Chroma server says it is an answer that can't be read. */
export function checkedGot<T extends Got>(answer: T, include: 'metadatas' | 'ids' = 'metadatas'): T {
  const { ids, metadatas } = answer
  const isRight = Array.isArray(ids) && Array.isArray(metadatas)
  if (isRight && (include === 'ids' || metadatas.length === ids.length)) return answer
  throw new Error('it does not say which records there are')
}

export const NOTHING: Got = { ids: [], metadatas: [] }

const TRIES = 10

export async function allPages(
  collection: ServerCollection,
  where: Where | undefined,
  include: 'metadatas' | 'ids',
  options: CallOptions | undefined,
): Promise<Got> {
  for (let tries = 0; tries < TRIES; tries++) {
    const all = await readThrough(collection, where, include, options)
    if (all) return all
  }
  const message = `${addressOf(collection.requests.place)}: "${collection.name}" changed all the time while it was read`
  throw new KeepsakeError('IO', message, { hint: 'Try again when less is removed from it.' })
}

/** `undefined`: records before these are gone meanwhile. */
async function readThrough(
  collection: ServerCollection,
  where: Where | undefined,
  include: 'metadatas' | 'ids',
  options: CallOptions | undefined,
): Promise<Got | undefined> {
  const ids: string[] = []
  const metadatas: (Metadata | null)[] = []
  for (;;) {
    const known = ids.length === 0 ? 0 : 1
    const asked = {
      ...(where === undefined ? {} : { where }),
      ...{ limit: MOST_RESULTS, offset: ids.length - known },
      include: include === 'ids' ? [] : [include],
    }
    const page: Got = await collection.read(
      NOTHING,
      async (there) => checkedGot(await there.get(asked), include),
      options,
    )
    if (known === 1 && page.ids[0] !== ids.at(-1)) return undefined
    ids.push(...page.ids.slice(known))
    metadatas.push(...page.metadatas.slice(known))
    if (page.ids.length < MOST_RESULTS) return { ids, metadatas }
  }
}
