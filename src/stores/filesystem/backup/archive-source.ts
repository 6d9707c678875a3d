/**
 * All that a backup takes from a workspace folder, read while its lock is held: so nothing of ours changes meanwhile. A hand
 * may save at any moment, though: a file that changed within the last moments or while it was read is read again, and
 * one that does not come to rest is left out and named. Links are not followed, only named.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isKeepsakeError } from '../../../errors.ts'
import { decodeText, readBytes } from '../../disk/reading.ts'
import { codeOf, wrapped } from '../../disk/system.ts'
import { isUnfinished } from '../../disk/unfinished.ts'
import { type ArchivedFolder, isArchived, type OnProgress, telling } from './archive-manifest.ts'
import type { FileToArchive } from './archive-write.ts'

const TRIES = 3
/** Editors empty a file before they fill it, and file times tick in steps: what is older than this is at rest. */
const REST_MS = 50

export interface Gathered {
  readonly folders: readonly ArchivedFolder[]
  readonly files: readonly FileToArchive[]
  readonly warnings: readonly string[]
}

interface Listed {
  readonly folders: ArchivedFolder[]
  readonly paths: string[]
  readonly warnings: string[]
}

/** `leaveOut`: paths that do not belong to the workspace although they lie in it. */
export async function gatherFiles(
  root: string,
  leaveOut: ReadonlySet<string>,
  onProgress?: OnProgress,
): Promise<Gathered> {
  const listed: Listed = { folders: [], paths: [], warnings: [] }
  listTree(root, '', leaveOut, listed)
  const { folders, paths, warnings } = listed
  const onFile = telling(onProgress, 'Reading the workspace')
  const files = new Map<string, FileToArchive>()
  let todo: readonly string[] = paths
  for (let tries = 0; tries < TRIES && todo.length > 0; tries++) {
    if (tries > 0) await sleep(REST_MS)
    const again: string[] = []
    for (const path of todo) {
      const file = readAtRest(root, path, warnings)
      if (file === 'moving') again.push(path)
      else if (file) files.set(path, file)
      onFile(files.size, paths.length)
    }
    todo = again
  }
  warnings.push(...todo.map((path) => `${path} is being written by someone and was left out; back up again later`))
  return { folders, files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), warnings }
}

function listTree(root: string, path: string, leaveOut: ReadonlySet<string>, listed: Listed): void {
  const names = listNames(root, path, listed)
  for (const bytes of names.sort(Buffer.compare)) {
    const name = decodeText(bytes)
    if (name === undefined) {
      listed.warnings.push(`${join(path, bytes.toString('latin1'))} has a name that is not UTF-8 and was left out`)
      continue
    }
    const inner = path === '' ? name : `${path}/${name}`
    if (!isArchived(inner) || leaveOut.has(inner) || isUnfinished('archive', name)) continue
    try {
      const found = lstatSync(join(root, inner), { throwIfNoEntry: false })
      if (found?.isDirectory()) listTree(root, inner, leaveOut, listed)
      else if (found?.isFile()) listed.paths.push(inner)
      else if (found?.isSymbolicLink()) listed.warnings.push(`${inner} is a link and was left out`)
      else if (found) listed.warnings.push(`${inner} is not a file and was left out`)
    } catch (error) {
      listed.warnings.push(unreadable(inner, error))
    }
  }
}

/** What is in a folder, which is listed itself; nothing when it is gone or can't be read. */
function listNames(root: string, path: string, listed: Listed): Buffer[] {
  try {
    const stats = lstatSync(join(root, path), { bigint: true })
    const names = readdirSync(join(root, path), { encoding: 'buffer' })
    listed.folders.push({ path, ...modeAndTime(stats) })
    return names
  } catch (error) {
    if (path === '') throw wrapped('reading', root, error)
    if (codeOf(error) !== 'ENOENT') listed.warnings.push(unreadable(path, error))
    return []
  }
}

/** The file as it is; `moving` when it changed while it was read or just before; `undefined` when it is gone or unreadable. */
function readAtRest(root: string, path: string, warnings: string[]): FileToArchive | 'moving' | undefined {
  let fd: number
  try {
    fd = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') warnings.push(unreadable(path, error))
    return undefined
  }
  try {
    const before = fstatSync(fd, { bigint: true })
    // One byte more than it should have would show that it grew.
    const bytes = readBytes(fd, 0, Number(before.size) + 1)
    const after = fstatSync(fd, { bigint: true })
    const isSame = before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs && before.size === after.size
    const isAtRest = isSame && BigInt(bytes.length) === after.size && isOlder(Number(after.mtimeMs))
    return isAtRest ? { path, ...modeAndTime(after), bytes } : 'moving'
  } catch (error) {
    warnings.push(unreadable(path, error))
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** A time in the future, as another machine's clock may have set it, will not come to rest: it proves nothing. */
function isOlder(mtimeMs: number): boolean {
  const age = Date.now() - mtimeMs
  return age > REST_MS || age < -REST_MS
}

function modeAndTime({ mode, mtimeNs }: { readonly mode: bigint; readonly mtimeNs: bigint }): {
  readonly mode: number
  readonly mtime: number
} {
  const microseconds = (mtimeNs - (((mtimeNs % 1000n) + 1000n) % 1000n)) / 1000n
  return { mode: Number(mode & 0o777n), mtime: Number(microseconds) / 1e6 }
}

function unreadable(path: string, error: unknown): string {
  const reason = isKeepsakeError(error) ? error.message : (codeOf(error) ?? String(error))
  return `${path} can't be read and was left out (${reason})`
}
