/**
 * The file system as this store uses it: private modes under any umask, whole writes, one place where a failed call
 * becomes our error. Calls are synchronous because they take microseconds and nothing may come between them; only syncs,
 * which take milliseconds, leave the thread.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Signature } from '../../codec/journal-record.ts'
import { isKeepsakeError, type KeepsakeError, ReadOnlyError, StorageError } from '../../errors.ts'
import { sha256Hex } from './sha256.ts'

export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/** File times tick in steps of some milliseconds: a signature taken sooner than this after a change proves nothing. */
export const TICK_MS = 50

const MOST_TRIES = 100
const EDQUOT_ON_LINUX = 122
const NO_ENTRY_IS_FINE = { throwIfNoEntry: false } as const

const fdatasyncAsync = asPromise(fdatasync)
const fsyncAsync = asPromise(fsync)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Not `promisify`: an import of node:util looks at each of its properties, and so loads modules that nobody needs. */
function asPromise(sync: (fd: number, done: (error: Error | null) => void) => void): (fd: number) => Promise<void> {
  return (fd) => new Promise((resolve, reject) => sync(fd, (error) => (error ? reject(error) : resolve())))
}

export function codeOf(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown } // anything may be thrown
  if (errno === -EDQUOT_ON_LINUX) return 'EDQUOT' // Node has no name for it
  return typeof code === 'string' ? code : undefined
}

/** Turns a failed system call into our error, once; our own errors pass. */
export function wrapped(action: string, path: string, error: unknown): KeepsakeError {
  if (isKeepsakeError(error)) return error
  switch (codeOf(error)) {
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      if (action === 'reading') return new StorageError(action, path, error, 'Check its owner and mode.')
      return new ReadOnlyError(path, error)
    case 'ENOSPC':
    case 'EDQUOT':
      return new StorageError(
        action,
        path,
        error,
        'The disk or quota is full. Nothing was changed; free some space and try again.',
      )
    case 'EMFILE':
    case 'ENFILE':
      return new StorageError(
        action,
        path,
        error,
        'Too many files are open. Nothing was changed; close some and try again.',
      )
    default:
      return new StorageError(action, path, error, 'Nothing was acknowledged. Check the disk, then try again.')
  }
}

/** Runs system calls and wraps what they throw. */
export function attempt<T>(action: string, path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw wrapped(action, path, error)
  }
}

/**
 * Makes a folder and what is missing above it. Level by level, because a umask may take bits away from the owner too, and
 * as often as it takes, because other processes make the same ones.
 */
export function makeFolder(path: string): void {
  attempt('making the folder', path, () => {
    for (let tries = 1; !madeFolder(path, tries); tries++) makeFolder(dirname(path))
  })
}

/** `false` when there is nothing yet to make it in. Some systems say so of a folder that is there, however often one asks. */
function madeFolder(path: string, tries: number): boolean {
  try {
    mkdirSync(path, FOLDER_MODE)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(path).isDirectory()) return true
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path && tries < MOST_TRIES) return false
    throw error
  }
  if ((lstatSync(path).mode & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE)
  return true
}

/** Opens for appending; a file that is new is private whatever the umask. */
export function openForAppend(path: string): { readonly fd: number; readonly size: number } {
  return attempt('opening', path, () => {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW
    try {
      const fd = openSync(path, flags)
      return { fd, size: fstatSync(fd).size }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
    const fd = openSync(path, flags | constants.O_CREAT, FILE_MODE)
    fixMode(fd, FILE_MODE)
    return { fd, size: fstatSync(fd).size }
  })
}

/** Writes all of it, in one call unless the system takes less. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let done = 0
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done)
}

export function fixMode(fd: number, mode: number): void {
  if ((fstatSync(fd).mode & 0o777) !== mode) fchmodSync(fd, mode)
}

export function temporaryName(folder: string, prefix = ''): string {
  return `${folder}/${prefix}${randomHex()}${randomHex()}`
}

/** Eight digits that another process hardly comes upon. No secret: that would take Node three milliseconds to load. */
export function randomHex(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
}

/** A file that was not there before; one that could not be written whole is removed again. */
export function writeNewFile(path: string, bytes: Uint8Array, mode: number): void {
  attempt('writing', path, () => {
    const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
    try {
      fixMode(fd, mode)
      writeAll(fd, bytes)
    } catch (error) {
      removeFile(path)
      throw error
    } finally {
      closeSync(fd)
    }
  })
}

/**
 * Makes a file in a folder for temporary ones and moves it to its place: readers see the old text or the new one. For
 * files that are ours alone; what a hand may save meanwhile would be lost (see swap.ts).
 */
export function replaceFile(path: string, bytes: Uint8Array, temporaryFolder: string, mode: number): void {
  const temporary = temporaryName(temporaryFolder)
  writeNewFile(temporary, bytes, mode)
  attempt('writing', path, () => {
    try {
      renameSync(temporary, path)
    } catch (error) {
      removeFile(temporary)
      throw error
    }
  })
}

/** As replaceFile, and durable when it returns: for the few files that no journal could bring back. */
export async function replaceFileDurably(path: string, bytes: Uint8Array, temporaryFolder: string): Promise<void> {
  await putDurably(path, bytes, temporaryFolder, (temporary) => renameSync(temporary, path))
}

/** The same, but only where nothing is: what is there stays. */
export async function createFileDurably(path: string, bytes: Uint8Array, temporaryFolder: string): Promise<void> {
  await putDurably(path, bytes, temporaryFolder, (temporary) => {
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    removeFile(temporary)
  })
}

async function putDurably(
  path: string,
  bytes: Uint8Array,
  temporaryFolder: string,
  put: (temporary: string) => void,
): Promise<void> {
  const temporary = temporaryName(temporaryFolder)
  try {
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
    try {
      fixMode(fd, FILE_MODE)
      writeAll(fd, bytes)
      await fsyncAsync(fd)
    } finally {
      closeSync(fd)
    }
    put(temporary)
    await syncFolder(dirname(path))
  } catch (error) {
    try {
      removeFile(temporary)
    } catch {
      // the first error is the one to tell; a temporary file is swept by the next writer
    }
    throw wrapped('writing', path, error)
  }
}

/** Removes a file; one that is gone already is as good. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw wrapped('removing', path, error)
  }
}

export async function syncData(fd: number): Promise<void> {
  await fdatasyncAsync(fd)
}

/** Syncs a file by its path; a file that is gone needs none. */
export async function syncFile(path: string): Promise<void> {
  await syncPath(path, constants.O_RDONLY)
}

export async function syncFolder(path: string): Promise<void> {
  await syncPath(path, constants.O_RDONLY | constants.O_DIRECTORY)
}

async function syncPath(path: string, flags: number): Promise<void> {
  let fd: number
  try {
    fd = openSync(path, flags)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw wrapped('syncing', path, error)
  }
  try {
    await fsyncAsync(fd)
  } catch (error) {
    throw wrapped('syncing', path, error)
  } finally {
    closeSync(fd)
  }
}

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

/** The bytes of a plain file and the state they were read in; `undefined` when there is none. Links are not followed. */
export function readFileAt(path: string, allocate: Allocate = Buffer.allocUnsafe): FileBytes | undefined {
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
      const signature = settledSignature(stats) // before the bytes: it may take longer than a tick to read them
      const bytes = readBytes(fd, 0, stats.size, allocate)
      const after = fstatSync(fd)
      // Saved while it was read: a part of the new text would be taken for the whole.
      if (after.size === bytes.length) return { bytes, stats: after, signature }
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

/** Nothing else happens meanwhile: for a few milliseconds only. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
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
