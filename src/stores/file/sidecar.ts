/**
 * The folder beside the file that is its lock while it is in use, and is gone when it is not. Whoever finds that the one before was
 * stopped, or could not sync what it put in place, syncs that first: a file whose name is not on the disk holds nothing for good.
 */
import { dirname } from 'node:path'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import { acquireLock, type HeldLock, tryLock } from '../disk/lock.ts'
import { statFile } from '../disk/reading.ts'
import { syncFolder } from '../disk/system.ts'

export function sidecarOf(path: string): string {
  return `${path}.lock`
}

export function isLink(path: string): boolean {
  return statFile(path)?.isSymbolicLink() ?? false
}

export function refuseForeign(sidecar: string): void {
  const there = statFile(sidecar)
  if (!there || there.isDirectory()) return
  const problem = there.isSymbolicLink() ? 'it is a link; nothing is written through links' : 'it is not a folder'
  throw new ForeignError(sidecar, `${problem}, and the lock of the memory has this name`)
}

/** For what puts another file in the place of the one at `path`, and has no store open for it. */
export async function underLock<T>(path: string, waitMs: number, run: () => Promise<T>): Promise<T> {
  const sidecar = sidecarOf(path)
  refuseForeign(sidecar)
  const held = await acquireLock(sidecar, waitMs)
  let isDurable = false
  try {
    const result = await run()
    isDurable = !held.leftOpen
    return result
  } finally {
    await leave(held, path, isDurable)
  }
}

/** The last one to leave takes it away; what can't be taken away, the next one will. */
export async function tidySidecar(path: string): Promise<void> {
  const sidecar = sidecarOf(path)
  try {
    if (!statFile(sidecar)?.isDirectory()) return
    const { held } = tryLock(sidecar)
    if (held) await leave(held, path, !held.leftOpen)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error // else on a disk that can only be read from
  }
}

async function leave(held: HeldLock, path: string, isDurable: boolean): Promise<void> {
  if (isDurable || (await isSynced(dirname(path)))) held.releaseAndRemove()
  else held.release('undone')
}

async function isSynced(folder: string): Promise<boolean> {
  try {
    await syncFolder(folder)
    return true
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return false
  }
}
