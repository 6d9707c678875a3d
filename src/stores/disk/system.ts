/**
 * The file system as this store writes to it: private modes under any umask, whole writes, one place where a failed call
 * becomes our error. What is read is in reading.ts. Calls are synchronous because they take microseconds and nothing may come between them; only syncs,
 * which take milliseconds, leave the thread.
 */
import {
  accessSync,
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
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isKeepsakeError, type KeepsakeError, ReadOnlyError, StorageError } from '../../errors.ts'

export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

const MOST_TRIES = 100
const EDQUOT_ON_LINUX = 122

const fdatasyncAsync = asPromise(fdatasync)
const fsyncAsync = asPromise(fsync)

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

/** By this user. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
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

/** Nothing else happens meanwhile: for a few milliseconds only. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
