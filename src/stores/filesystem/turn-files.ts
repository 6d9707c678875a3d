/**
 * Files as a turn will leave them: what is on disk, with the writes that are already planned on top. Only the holder of
 * the lock asks, so nobody of ours changes them meanwhile.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { FileWrite } from '../../codec/journal-record.ts'
import { DamagedError, ForeignError } from '../../errors.ts'
import { decodeText, readBytes, readFileAt, statFile } from '../disk/reading.ts'
import { codeOf, wrapped } from '../disk/system.ts'
import type { TurnFiles } from './projection.ts'

export class PlannedFiles implements TurnFiles {
  readonly #absolute: (path: string) => string
  /** Whole texts that this turn gives files; `null` for removed. */
  readonly #texts = new Map<string, string | null>()
  readonly #ends = new Map<string, { size: number; lastTwo: string }>()

  constructor(absolute: (path: string) => string) {
    this.#absolute = absolute
  }

  text(path: string): string | undefined {
    const planned = this.#texts.get(path)
    if (planned !== undefined) return planned ?? undefined
    const file = readFileAt(this.#absolute(path))
    if (!file) return undefined
    const text = decodeText(file.bytes)
    if (text === undefined)
      throw new DamagedError(path, 'it is not UTF-8 text', 'Mend it by hand; it is left as it is.')
    return text
  }

  end(path: string): { readonly size: number; readonly lastTwo: string } {
    return this.#ends.get(path) ?? endOnDisk(this.#absolute(path))
  }

  exists(path: string): boolean {
    const planned = this.#texts.get(path)
    if (planned !== undefined) return planned !== null
    return this.#ends.has(path) || statFile(this.#absolute(path)) !== undefined
  }

  isPlanned(path: string): boolean {
    return this.#texts.has(path) || this.#ends.has(path)
  }

  /** Appending to what is replaced in the same turn, or the other way round, can't be told apart after a crash. */
  canTake(writes: readonly FileWrite[]): boolean {
    return writes.every((write) => ('append' in write ? !this.#texts.has(write.path) : !this.#ends.has(write.path)))
  }

  take(writes: readonly FileWrite[]): void {
    for (const write of writes) {
      if ('append' in write) {
        const size = write.at + Buffer.byteLength(write.append)
        this.#ends.set(write.path, { size, lastTwo: write.append.slice(-2) })
      } else {
        this.#texts.set(write.path, write.after === null ? null : write.text)
      }
    }
  }
}

function endOnDisk(path: string): { size: number; lastTwo: string } {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { size: 0, lastTwo: '' }
    throw wrapped('reading', path, error)
  }
  try {
    for (;;) {
      const stats = fstatSync(fd)
      if (!stats.isFile()) throw new ForeignError(path, 'it is not a file')
      const { size } = stats
      const last = readBytes(fd, Math.max(0, size - 2), Math.min(2, size))
      // Saved between the two: its end is another one now.
      if (fstatSync(fd).size === size) return { size, lastTwo: Buffer.from(last).toString('latin1') }
    }
  } finally {
    closeSync(fd)
  }
}
