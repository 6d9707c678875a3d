/**
 * An image with an eye on its source and on how much of it is read. It stops being read once the source has gone on: who adopts
 * it builds beside its place, so nothing is there yet, and the next try is of the newer state.
 */
import type { CallOptions, MemoryImage, Movable, Recorded, SessionText, Store } from '../ports/store.ts'
import { sessionId } from './compare-images.ts'

export interface ImageCounts {
  readonly entries: number
  readonly changes: number
  readonly sessions: number
  /** Kept files: documents, and files whose very bytes are kept beside the entries. */
  readonly files: number
}

export interface WatchedImage {
  /** The image as given. */
  readonly source: MemoryImage
  readonly image: MemoryImage
  /** Of what was read to its end. */
  readonly counts: ImageCounts
  /** How many bytes of each transcript were read, by `sessionId`. */
  readonly sessionBytes: ReadonlyMap<string, number>
  /** It was stopped for that; whatever error came of it tells nothing. */
  readonly sourceChanged: boolean
}

/** `from`: left out where it does not matter that the source goes on. */
export function watchedImage(image: MemoryImage, from?: Pick<Store, 'feed'>): WatchedImage {
  const counts = { entries: 0, changes: 0, sessions: 0, files: 0 }
  const sessionBytes = new Map<string, number>()
  const watched = { source: image, image, counts, sessionBytes, sourceChanged: false }

  async function* row<T>(name: keyof ImageCounts, items: AsyncIterable<T>): AsyncGenerator<T> {
    let count = 0
    for await (const item of items) {
      yield item
      count++
    }
    counts[name] = count
    // At the end of each row: whichever is read last, it is looked at after all of it was read.
    if (!from || !(await hasGoneOn(image, from))) return
    watched.sourceChanged = true
    throw new Error('the source has gone on')
  }

  async function* sessions(): AsyncGenerator<SessionText> {
    for await (const session of image.sessions()) {
      sessionBytes.set(sessionId(session), session.text.length)
      yield session
    }
  }

  async function* changes(): AsyncGenerator<Recorded> {
    let count = 0
    for await (const recorded of image.history.changes()) {
      yield recorded
      count++
    }
    counts.changes = count
  }

  watched.image = {
    ...image,
    history: { ...image.history, changes },
    entries: () => row('entries', image.entries()),
    sessions: () => row('sessions', sessions()),
    files: () => row('files', image.files()),
  }
  return watched
}

/** Hands' edits that are not journaled yet are part of an image, as one more change behind the last of the feed. */
async function hasGoneOn({ cursor }: MemoryImage, from: Pick<Store, 'feed'>): Promise<boolean> {
  const now = (await from.feed('now')).cursor
  return now.epoch !== cursor.epoch || now.number > cursor.number
}

/** Closes the image afterwards, even after an error. */
export async function withImage<T>(
  from: Movable,
  call: CallOptions,
  work: (image: MemoryImage) => Promise<T>,
): Promise<T> {
  const image = await from.image(call)
  try {
    return await work(image)
  } finally {
    await image.close()
  }
}

/** How much is in it, where nobody else reads it. */
export async function countImage(image: MemoryImage): Promise<ImageCounts> {
  const { image: read, counts } = watchedImage(image)
  for (const items of [read.history.changes(), read.entries(), read.sessions(), read.files()]) {
    for await (const _ of items);
  }
  return counts
}
