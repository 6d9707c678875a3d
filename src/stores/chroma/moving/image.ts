/**
 * Everything that a memory on a server is, as of one moment, for another store to take over. Entries and past are held in RAM; transcripts and
 * kept files are read as they are asked for, up to where they were then. Never writes.
 */
import type { CallOptions, MemoryImage, Settings } from '../../../ports/store.ts'
import { cursorOf } from '../feed.ts'
import { readHistory } from '../history.ts'
import { allFiles } from '../kept-files.ts'
import type { Followed, Replica } from '../replica.ts'
import type { Shelf } from '../server/shelf.ts'
import type { ChromaSessions } from '../sessions/sessions.ts'

export interface ImageGround {
  readonly log: Shelf
  readonly replica: Pick<Replica, 'catchUp'>
  readonly sessions: Pick<ChromaSessions, 'texts'>
  /** Of a memory that is not there yet. */
  readonly settings: () => Settings
}

export async function imageOf(ground: ImageGround, options: CallOptions): Promise<MemoryImage> {
  for (;;) {
    const followed = await ground.replica.catchUp(options)
    const image = followed ? await imageNow(ground, followed, options) : nothing(ground.settings())
    // A purge meanwhile has taken out of the past what the entries still had.
    const now = cursorOf(await ground.replica.catchUp(options))
    if (now.epoch === image.cursor.epoch) return image
  }
}

async function imageNow(
  { log, sessions }: ImageGround,
  followed: Followed,
  options: CallOptions,
): Promise<MemoryImage> {
  const { generation, at, position, settings, state, nextSeq } = followed
  const [entries, cursor] = [state.scan({}), cursorOf(followed)]
  const { changes, ...past } = await readHistory(log, { generation, at, position }, options)
  const texts = await sessions.texts(options)
  return {
    settings,
    cursor,
    nextSeq,
    history: { ...past, changes: () => each(changes) },
    entries: () => each(entries),
    sessions: texts,
    files: () => allFiles(log, generation, options),
    warnings: [],
    close: async () => undefined,
  }
}

function nothing(settings: Settings): MemoryImage {
  const none = (): AsyncIterable<never> => each([])
  const history = { entries: [], changes: none }
  return {
    settings,
    cursor: cursorOf(undefined),
    nextSeq: 1,
    history,
    entries: none,
    sessions: none,
    files: none,
    warnings: [],
    close: async () => undefined,
  }
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
