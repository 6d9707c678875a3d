/** Moves a memory from and to a Chroma server: present entries only. A collection that is being filled is marked, and not read. */
import type { Entry } from '../../model/entry.ts'
import type { Adopted, AdoptOptions, CallOptions, MemoryImage, Settings } from '../../ports/store.ts'
import type { ChromaClient, Collection } from './client.ts'
import { serverError } from './errors.ts'
import type { Listing } from './listing.ts'
import { newRecord } from './vectors.ts'

export const SETTINGS_KEY = 'keepsake_settings'
const UNFINISHED_KEY = 'keepsake_unfinished'

export function refuseUnfinished({ place }: ChromaClient, { metadata }: Collection): void {
  if (metadata[UNFINISHED_KEY] === undefined) return
  const hint = 'Run the same move again; it starts over.'
  throw serverError(place, 'CONFLICT', '%s has only part of a memory, because a move to it was interrupted', { hint })
}

/** `seq` counts from 1: the store's own numbers are too large to continue from. */
export async function createImage(
  listing: Listing,
  settings: Settings,
  at: string,
  call: CallOptions,
): Promise<MemoryImage> {
  await listing.refresh(call)
  const cursor = { epoch: listing.epoch, number: 0 }
  const loaded = await listing.load(listing.rows, call)
  const entries = loaded.map((entry, index): Entry => ({ ...entry, seq: index + 1 }))
  return {
    settings,
    cursor,
    nextSeq: entries.length + 1,
    history: { since: at, entries, changes: () => iterate([]) },
    entries: () => iterate(entries),
    sessions: () => iterate([]),
    files: () => iterate([]),
    warnings: ['A memory on a Chroma server has no history and no sessions.'],
    close: async () => undefined,
  }
}

/** `readBuilt`: reads the image of the result. */
export async function adoptImage(
  client: ChromaClient,
  image: MemoryImage,
  readBuilt: () => Promise<MemoryImage>,
  { signal, onProgress, check, withoutHistory = false }: AdoptOptions,
): Promise<Adopted> {
  const call: CallOptions = signal ? { signal } : {}
  if (!withoutHistory) await refuseHistory(client, image)
  const found = await client.find(call, true)
  const { [UNFINISHED_KEY]: leftover, ...kept } = found?.metadata ?? {}
  const settings = { 'hnsw:space': 'cosine', ...kept, [SETTINGS_KEY]: JSON.stringify(image.settings) }
  if (leftover === undefined && (await client.list([], call)).length > 0) {
    const hint = 'Nothing was changed. Use another database: chroma://HOST/DATABASE.'
    throw serverError(client.place, 'CONFLICT', '%s is not empty', { hint })
  }
  const collection = found ?? (await client.create(settings, call))
  await client.setMetadata(collection, { ...settings, [UNFINISHED_KEY]: true }, call)
  try {
    await removeAll(client)
    const entries: Entry[] = []
    for await (const entry of image.entries()) entries.push(entry)
    const records = entries.map((entry) => newRecord(entry, collection))
    await client.write(records, call, (done) => onProgress?.(done, records.length))
    await client.setMetadata(collection, settings, call)
    await check?.(await readBuilt())
  } catch (error) {
    // What can't be removed stays marked, and the next move removes it.
    await client.setMetadata(collection, { ...settings, [UNFINISHED_KEY]: true }).catch(() => undefined)
    await removeAll(client).then(() => client.setMetadata(collection, settings), String)
    throw error
  }
  return { warnings: [] }
}

async function removeAll(client: ChromaClient): Promise<void> {
  await client.remove((await client.list([])).map(({ id }) => id))
}

async function refuseHistory(client: ChromaClient, image: MemoryImage): Promise<void> {
  const left = new Set<string>()
  for await (const _ of image.history.changes()) left.add('history')
  for await (const _ of image.sessions()) left.add('sessions')
  for await (const _ of image.files()) left.add('documents and kept files')
  if (left.size === 0) return
  const hint = 'To leave that behind, add --without-history (withoutHistory). The memory that you move stays as it is.'
  const problem = `%s takes present entries only, and this memory has more: ${[...left].join(', ')}`
  throw serverError(client.place, 'UNSUPPORTED', problem, { hint })
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
