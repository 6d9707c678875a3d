/**
 * What this store reads of the file system: bytes with the state that they were read in, and the signs by which a file is known to
 * be as it was. Links are not followed, and nothing but a plain file is read.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import type { Signature } from '../../codec/journal-record.ts'
import { isKeepsakeError, StorageError } from '../../errors.ts'
import { sha256Hex } from './sha256.ts'
import { codeOf, wrapped } from './system.ts'

/** File times tick in steps of some milliseconds: a signature taken sooner than this after a change proves nothing. */
export const TICK_MS = 50

const NO_ENTRY_IS_FINE = { throwIfNoEntry: false } as const
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Allocate = (length: number) => Buffer

export interface FileBytes {
  readonly bytes: Uint8Array
  /** After the bytes were read: as long as a settled signature fits it, they are those that it was taken for. */
  readonly stats: Stats
  /** Whoever saves after these bytes were read gives the file another one. Missing while the file's time may still be ticking. */
  readonly signature: Signature | undefined
}

/**
 * For files of megabytes that are used as they lie. V8 takes ordinary buffers for garbage to come: ten megabytes of them made it
 * go through its whole heap, which was a tenth of a recall. Shared memory it does not count.
 */
export function uncounted(length: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(length))
}

/** The bytes of a plain file and the state they were read in; `undefined` when there is none. */
export function readFileAt(path: string, allocate: Allocate = Buffer.allocUnsafe): FileBytes | undefined {
  return readOpened(path, (fd, stats) => {
    const signature = settledSignature(stats) // before the bytes: it may take longer than a tick to read them
    const bytes = readBytes(fd, 0, stats.size, allocate)
    const after = fstatSync(fd)
    // Saved while it was read: a part of the new text would be taken for the whole.
    return after.size === bytes.length ? { bytes, stats: after, signature } : undefined
  })
}

/** What `read` makes of a plain file, asked again while it gives nothing; `undefined` when there is no such file. */
export function readOpened<T>(path: string, read: (fd: number, stats: Stats) => T | undefined): T | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw wrapped('reading', path, error)
  }
  try {
    for (;;) {
      const stats = fstatSync(fd)
      if (!stats.isFile()) throw new StorageError('reading', path, 'it is not a file', 'Move it away.')
      const made = read(fd, stats)
      if (made !== undefined) return made
    }
  } catch (error) {
    throw wrapped('reading', path, error)
  } finally {
    closeSync(fd)
  }
}

/** Up to `length` bytes from `offset` on; less at the end of the file. */
export function readBytes(
  fd: number,
  offset: number,
  length: number,
  allocate: Allocate = Buffer.allocUnsafe,
): Uint8Array {
  const bytes = allocate(length)
  let done = 0
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, offset + done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}

/** `undefined` if something can't be read for now. */
export function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return undefined
  }
}

export function statFile(path: string): Stats | undefined {
  try {
    return lstatSync(path, NO_ENTRY_IS_FINE)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw wrapped('reading', path, error)
  }
}

function signatureOf(stats: Stats): Signature {
  return [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs]
}

export function sameSignature(signature: Signature, stats: Stats): boolean {
  return (
    signature[0] === stats.ino &&
    signature[1] === stats.size &&
    signature[2] === stats.mtimeMs &&
    signature[3] === stats.ctimeMs
  )
}

/**
 * A signature that every change after this call is sure to differ from; `undefined` while the file's time may still be
 * ticking. So what it is to stand for must be read after this call.
 */
export function settledSignature(stats: Stats): Signature | undefined {
  return Date.now() - stats.ctimeMs > TICK_MS ? signatureOf(stats) : undefined
}

/** UTF-8 as text; `undefined` when it is not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function hashBytes(bytes: Uint8Array | string): string {
  return sha256Hex(bytes).slice(0, 32)
}
