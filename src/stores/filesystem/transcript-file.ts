/**
 * A transcript's file as a source of lines. It is opened for one look: what is appended meanwhile belongs to the next. A failed
 * append takes back what it wrote: whoever was reading that begins anew.
 */
import { readBytes, readOpened } from '../disk/reading.ts'
import type { LineSource } from '../disk/session-file.ts'

class Shrunk extends Error {}

/** What `read` makes of it; `undefined` when there is no such file. */
export function lookInto<T>(path: string, read: (source: LineSource) => T): T | undefined {
  return readOpened(path, (fd, { size }) => {
    try {
      return { made: read(sourceOf(fd, size)) }
    } catch (error) {
      if (error instanceof Shrunk) return undefined
      throw error
    }
  })?.made
}

function sourceOf(fd: number, size: number): LineSource {
  return {
    size,
    bytes(from, to) {
      const bytes = readBytes(fd, from, to - from)
      if (bytes.length < to - from) throw new Shrunk()
      return bytes
    },
  }
}
