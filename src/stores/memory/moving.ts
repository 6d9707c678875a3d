/**
 * How a memory comes into RAM and leaves it again. An image is taken at once, so that nothing that comes later is part of it;
 * what is adopted is read to its end before the first of it is kept.
 */
import type { Entry } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { KeptFile, MemoryImage, Recorded, SessionText, Settings } from '../../ports/store.ts'
import type { MemoryFeed } from './feed.ts'
import type { MemorySessions } from './sessions.ts'
import type { MemoryState } from './state.ts'

export interface MemoryParts {
  readonly state: MemoryState
  readonly feed: MemoryFeed
  readonly sessions: MemorySessions
  readonly files: KeptFiles
}

/** By path. */
export type KeptFiles = Map<string, KeptFile>

export function imageOf({ state, feed, sessions, files }: MemoryParts, settings: Settings): MemoryImage {
  const [entries, texts] = [state.scan({}), sessions.texts()]
  const { changes, ...past } = feed.history()
  const kept = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    settings,
    cursor: feed.cursor,
    nextSeq: state.nextSeq,
    history: { ...past, changes: () => each(changes) },
    entries: () => each(entries),
    sessions: () => each(texts),
    files: () => each(kept),
    warnings: [],
    close: async () => undefined,
  }
}

export function isEmpty({ state, feed, sessions, files }: MemoryParts): boolean {
  return feed.cursor.number === 0 && state.nextSeq === 1 && sessions.texts().length === 0 && files.size === 0
}

/** Everything of an image, as copies of our own. */
export interface WholeImage {
  readonly image: MemoryImage
  readonly base: readonly Entry[]
  readonly changes: readonly Recorded[]
  readonly entries: readonly Entry[]
  readonly sessions: readonly SessionText[]
  readonly files: readonly KeptFile[]
}

export async function readWhole(image: MemoryImage, signal: AbortSignal | undefined): Promise<WholeImage> {
  return {
    image,
    base: image.history.entries.map(ownEntry),
    changes: (await all(image.history.changes(), signal)).map(ownRecorded),
    entries: (await all(image.entries(), signal)).map(ownEntry),
    // Refused here, before anything is kept.
    sessions: (await all(image.sessions(), signal)).map((one) => ({ ...one, scope: normalizeAgentId(one.scope) })),
    files: (await all(image.files(), signal)).map((file) => structuredClone(file)),
  }
}

export function keep(whole: WholeImage, { state, feed, sessions, files }: MemoryParts): void {
  const { image } = whole
  const { since } = image.history
  state.adopt(whole.entries, image.nextSeq)
  feed.adopt({ ...(since === undefined ? {} : { since }), entries: whole.base }, whole.changes, image.cursor.number)
  sessions.adopt(whole.sessions)
  for (const file of whole.files) files.set(file.path, file)
}

/** Where it stood in another store says nothing here. */
function ownEntry({ path: _, ...entry }: Entry): Entry {
  return structuredClone(entry)
}

function ownRecorded({ change, touched }: Recorded): Recorded {
  return {
    change: structuredClone(change),
    touched: touched.map(({ id, before, after }) => ({
      id,
      ...(before ? { before: ownEntry(before) } : {}),
      ...(after ? { after: ownEntry(after) } : {}),
    })),
  }
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

async function all<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) {
    signal?.throwIfAborted()
    found.push(item)
  }
  return found
}
