/** Images of a memory, read to their end, so that two can be compared, and made by hand, so that a store can be given an odd one. */
import type { Entry } from '../model/entry.ts'
import type { KeptFile, MemoryImage, Movable, Recorded, SessionText, Settings, Store } from '../ports/store.ts'
import { withoutPath } from './requests.ts'

/** Everything that an image tells, `path` apart, which is a courtesy, and the epoch, which each store begins for itself. */
export interface CollectedImage {
  readonly settings: Settings
  readonly number: number
  readonly nextSeq: number
  readonly since: string | undefined
  readonly base: readonly Entry[]
  readonly changes: readonly Recorded[]
  readonly entries: readonly Entry[]
  readonly sessions: readonly SessionText[]
  readonly files: readonly KeptFile[]
}

export async function collected(image: MemoryImage): Promise<CollectedImage> {
  const { settings, cursor, nextSeq, history } = image
  return {
    settings,
    number: cursor.number,
    nextSeq,
    since: history.since,
    base: history.entries.map(withoutPath).sort((a, b) => a.seq - b.seq),
    changes: (await listed(history.changes())).map(recordedWithoutPaths),
    entries: (await listed(image.entries())).map(withoutPath),
    sessions: (await listed(image.sessions())).map(({ scope, key, text }) => ({ scope, key, text: plain(text) })),
    files: (await listed(image.files())).map((file) => ({ ...file, bytes: plain(file.bytes) })),
  }
}

export function imageFrom(made: CollectedImage): MemoryImage {
  const { settings, number, nextSeq, since, base, changes } = made
  return {
    settings,
    cursor: { epoch: 'made by hand', number },
    nextSeq,
    history: { ...(since === undefined ? {} : { since }), entries: base, changes: () => each(changes) },
    entries: () => each(made.entries),
    sessions: () => each(made.sessions),
    files: () => each(made.files),
    warnings: [],
    close: async () => undefined,
  }
}

/** A store whose harness says that it can be moved. */
export function asMovable(store: Store): Store & Movable {
  const maybe: Store & Partial<Movable> = store
  if (!maybe.image || !maybe.adopt)
    throw new Error('its harness says that it can be moved, but it has no image or adopt')
  return maybe as Store & Movable // it has both
}

export async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

function recordedWithoutPaths({ change, touched }: Recorded): Recorded {
  const each = touched.map(({ id, before, after }) => ({
    id,
    ...(before ? { before: withoutPath(before) } : {}),
    ...(after ? { after: withoutPath(after) } : {}),
  }))
  return { change, touched: each.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

/** A store may hand out bytes of a class of its own. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
