/**
 * Where the servers of a workspace listen for this user's other commands: a folder of the user's own, and in it a socket for each
 * server, under a name that nobody else ever takes. So no server has to take one over from another: the first that answers
 * is asked, and what a dead one left is in nobody's way.
 */
import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { ForeignError, KeepsakeError } from '../errors.ts'
import { digest16 } from '../model/revision.ts'

export interface LocalPlace {
  /** The folder or the file of the workspace, or the address of the server that has it. */
  readonly root: string
  /** Of this program: another one may mean something else by the same words. */
  readonly version: string
  /** Missing on Windows, where no folder tells whose it is: nobody listens there. */
  readonly user: number | undefined
  /** What XDG_RUNTIME_DIR says. */
  readonly runtimeFolder: string | undefined
}

/** The system cuts a longer path without a word; 103 on some, 107 on others. */
const LONGEST_PATH_BYTES = 103
/** `HASH-TIME-RANDOM` */
const NAME_BYTES = 16 + 1 + 9 + 1 + 6
const OTHERS_MAY = 0o077

/** The sockets of this workspace's servers, the longest running first. Where there is none, it costs one look. */
export function socketsAt(place: LocalPlace): readonly string[] {
  const folder = folderOf(place)
  if (folder === undefined) return []
  const names = namesIn(folder)
  if (names.length === 0) return []
  const prefix = `${hashOf(place)}-`
  const ours = names.filter((name) => name.startsWith(prefix)).sort()
  if (ours.length === 0 || !isOwn(folder, place)) return []
  return ours.map((name) => join(folder, name)).filter((path) => isOwnSocket(path, place))
}

/** A path for one more socket, in a folder that is there and nobody else's. */
export function newSocketPath(place: LocalPlace, nowMs: number): string {
  const folder = folderOf(place)
  if (folder === undefined) {
    throw new KeepsakeError('UNSUPPORTED', 'there are no local sockets on this system', {
      hint: 'Commands that run once search by words here.',
    })
  }
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // a failed system call always has this shape
  }
  if (!isOwn(folder, place)) throw new ForeignError(folder, "it is no folder that is this user's alone")
  const time = nowMs.toString(36).padStart(9, '0')
  const random = Math.random().toString(36).slice(2, 8).padEnd(6, '0')
  return join(folder, `${hashOf(place)}-${time}-${random}`)
}

/** Which folder it is, whatever it is called: two that see each other's sockets may not see the same files. */
export function identityOf(root: string): string {
  if (isAddress(root)) return root
  const stats = statSync(root, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : 'not made yet'
}

/** By names alone, so that who asks and who answers agree on it. The last one always fits. */
function folderOf({ user, runtimeFolder }: LocalPlace): string | undefined {
  if (user === undefined) return undefined
  const own = `keepsake-${user}`
  const folders = [
    ...(runtimeFolder !== undefined && isAbsolute(runtimeFolder) ? [join(runtimeFolder, 'keepsake')] : []),
    join(tmpdir(), own),
    join('/tmp', own),
  ]
  return folders.find((folder) => Buffer.byteLength(folder) + 1 + NAME_BYTES <= LONGEST_PATH_BYTES)
}

function hashOf({ root, version }: LocalPlace): string {
  return digest16(`${isAddress(root) ? root : realPath(root)}\0${version}`)
}

function isAddress(root: string): boolean {
  return /^[a-z]+:\/\//.test(root)
}

/** Also of a folder that is not made yet: a server may be there before its first write. */
function realPath(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? folder : join(realPath(parent), basename(folder))
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isOwn(folder: string, { user }: LocalPlace): boolean {
  const stats = lstatSync(folder)
  return stats.isDirectory() && stats.uid === user && (stats.mode & OTHERS_MAY) === 0
}

function isOwnSocket(path: string, { user }: LocalPlace): boolean {
  try {
    const stats = lstatSync(path)
    return stats.isSocket() && stats.uid === user
  } catch {
    return false // it ended just now
  }
}

/** The folder of a socket, for who clears away what dead servers left. */
export function socketsBeside(path: string, place: LocalPlace): readonly string[] {
  const folder = dirname(path)
  const paths = namesIn(folder).map((name) => join(folder, name))
  return paths.filter((other) => other !== path && isOwnSocket(other, place))
}
