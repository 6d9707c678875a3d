/**
 * Purging: deletes the entry, earlier entries of the same name, copies in the history, its vectors, and its texts in the agent's own
 * sessions. The result lists every other place with the same words.
 */
import type { Entry, Scope } from '../model/entry.ts'
import type { CallOptions, Purged, Store, Touched } from '../ports/store.ts'
import { vectorsBeforePurge } from './embedding.ts'
import type { Past } from './past.ts'
import type { Searching } from './searching.ts'

export interface PurgedEntry extends Purged {
  readonly entry: Entry
  readonly warnings: readonly string[]
}

export interface Purging {
  readonly store: Store
  /** The agent that runs the purge. */
  readonly agent: Scope
  readonly past: Past
  readonly searches: () => Promise<Searching>
  /** What conversations must be told, before and after; each says what could not be. */
  readonly sessions: {
    announcePurge(touched: readonly Touched[], options: CallOptions): Promise<readonly string[]>
    follow(touched: readonly Touched[], options: CallOptions): Promise<readonly string[]>
  }
}

/** `ref`: as the entry was called by who wants it gone. */
export async function purgeEntry(
  { store, agent, past, searches, sessions }: Purging,
  entry: Entry,
  ref: string,
  options: CallOptions,
): Promise<PurgedEntry> {
  // What was called so before and is gone is purged with it: nobody would think of looking for that one apart.
  const purgedWith = await past.findRemovedByName(ref, options)
  const touched = [entry, ...purgedWith].map((before): Touched => ({ id: before.id, before }))
  const archives = touched.filter(({ before }) => before?.kind === 'archive').map(({ id }) => id)
  const mirrors = await past.mirrorsOf(new Set(archives), options)
  const untold = await sessions.announcePurge(touched, options)
  const vectors = await vectorsBeforePurge(await searches(), store)
  const ids = [...new Set([...touched.map(({ id }) => id), ...mirrors])]
  const purged = await store.purge(ids, { ...options, origin: { by: 'agent', agent } })
  await vectors?.putBack()
  const cleaned = mirrors.length === 0 ? [] : ['the history, where its entry said the same']
  const warnings = new Set([...untold, ...(await sessions.follow(touched, options))])
  return { entry, ...purged, cleaned: [...cleaned, ...purged.cleaned], warnings: [...warnings] }
}
