/** Writes all of it at a place, in one call unless the system takes less. */
import { writeSync } from 'node:fs'

export function writeAllAt(fd: number, bytes: Uint8Array, place: number): void {
  let done = 0
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, place + done)
}
