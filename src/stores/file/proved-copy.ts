/** Reads all that is in a file, so that every checksum in it is looked at: before a copy is trusted, and after one was made. */
import { KeepsakeError } from '../../errors.ts'
import type { MemoryImage } from '../../ports/store.ts'
import { statFile } from '../disk/reading.ts'
import { fileStore } from './store.ts'

export type OnProgress = (doing: string, done: number, total: number) => void

/** Writes nothing. */
export async function withImage<T>(path: string, use: (image: MemoryImage) => Promise<T>): Promise<T> {
  if (!statFile(path)) {
    throw new KeepsakeError('NOT_FOUND', `there is no file ${path}`, { hint: 'Check the path.', data: { path } })
  }
  const store = fileStore({ path })
  try {
    return await use(await store.image())
  } finally {
    await store.close()
  }
}

/** Every text, change, transcript and file of it. How many entries there are. */
export async function proved(image: MemoryImage, onProgress?: OnProgress): Promise<number> {
  let entries = 0
  for await (const _ of image.entries()) entries++
  const { number } = image.cursor
  for (const { change } of image.history.changes) onProgress?.('Checking the copy', change.number, number)
  for await (const _ of image.sessions());
  for await (const _ of image.files());
  return entries
}
