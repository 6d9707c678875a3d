/**
 * An image with an eye on its source and on how much of it is read. It stops being read once the source has gone on: who adopts
 * it builds beside its place, so nothing is there yet, and the next try is of the newer state.
 */
import type { MemoryImage, Recorded, SessionText, Store } from '../ports/store.ts'
import { sessionId } from './compare-images.ts'

export interface ImageCounts {
  readonly entries: number
  readonly changes: number
  readonly sessions: number
  /** Kept files: documents, and files whose very bytes are kept beside the entries. */
  readonly files: number
}

export interface WatchedImage {
  readonly image: MemoryImage
  /** Of what was read to its end. */
  readonly counts: ImageCounts
  /** How many bytes of each transcript were read, by `sessionId`. */
  readonly sessionBytes: ReadonlyMap<string, number>
  /** It was stopped for that; whatever error came of it tells nothing. */
  readonly wentOn: boolean
}

/** `from`: left out where it does not matter that the source goes on. */
export function watchedImage(image: MemoryImage, from?: Pick<Store, 'changes'>): WatchedImage {
  const counts = { entries: 0, changes: 0, sessions: 0, files: 0 }
  const sessionBytes = new Map<string, number>()
  const watched = { image, counts, sessionBytes, wentOn: false }

  async function* row<T>(name: keyof ImageCounts, items: AsyncIterable<T>): AsyncGenerator<T> {
    let count = 0
    for await (const item of items) {
      yield item
      count++
    }
    counts[name] = count
    // At the end of each row: whichever is read last, it is looked at after all of it was read.
    if (!from || !(await hasGoneOn(image, from))) return
    watched.wentOn = true
    throw new Error('the source has gone on')
  }

  async function* sessions(): AsyncGenerator<SessionText> {
    for await (const session of image.sessions()) {
      sessionBytes.set(sessionId(session), session.text.length)
      yield session
    }
  }

  function* changes(): Generator<Recorded> {
    let count = 0
    for (const recorded of image.history.changes) {
      yield recorded
      count++
    }
    counts.changes = count
  }

  watched.image = {
    ...image,
    history: { ...image.history, changes: { [Symbol.iterator]: changes } },
    entries: () => row('entries', image.entries()),
    sessions: () => row('sessions', sessions()),
    files: () => row('files', image.files()),
  }
  return watched
}

/** Hands' edits that are not journaled yet are part of an image, as one more change behind the last of the feed. */
async function hasGoneOn({ cursor }: MemoryImage, from: Pick<Store, 'changes'>): Promise<boolean> {
  const now = (await from.changes('now')).cursor
  return now.epoch !== cursor.epoch || now.number > cursor.number
}

/** How much is in it, where nobody else reads it. */
export async function countImage(image: MemoryImage): Promise<ImageCounts> {
  const { image: read, counts } = watchedImage(image)
  for (const _ of read.history.changes);
  for (const items of [read.entries(), read.sessions(), read.files()]) for await (const _ of items);
  return counts
}
