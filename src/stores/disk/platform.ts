/** What differs between systems: files that are in use, and network file systems. */
import { statfsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { platform } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, wrapped } from './system.ts'

/** By the magic number of `statfs`: network file systems, on which SQLite's WAL doesn't work. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
])

/** The name of a folder's network file system, if it is on one. `typeOf` returns the magic number of a folder's file system. */
export function networkFileSystem(
  folder: string,
  typeOf: (path: string) => number = (path) => statfsSync(path).type,
): string | undefined {
  try {
    return NETWORK_FILE_SYSTEMS.get(typeOf(folder) >>> 0)
  } catch {
    return undefined
  }
}

/** How much this user can still write to a folder; `undefined` if the system doesn't say. */
export function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

export async function removeWithRetry(paths: readonly string[]): Promise<void> {
  for (const path of paths) await attemptWithRetry('removing', path, () => rm(path, { force: true }))
}

export async function renameWithRetry(from: string, to: string): Promise<void> {
  await attemptWithRetry('renaming', to, () => rename(from, to))
}

async function attemptWithRetry(action: string, path: string, run: () => Promise<void>): Promise<void> {
  try {
    await retryInUse(run)
  } catch (error) {
    throw wrapped(action, path, error)
  }
}

const IN_USE = ['EPERM', 'EACCES', 'EBUSY']
const MAX_TRIES = 20

/** Windows refuses to rename or remove a file while any program, such as a virus scanner, has it open. */
export async function retryInUse<T>(run: () => Promise<T>, system: string = platform()): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (system !== 'win32' || tries === MAX_TRIES || !IN_USE.includes(codeOf(error) ?? '')) throw error
      await sleep(tries)
    }
  }
}
