/** What sort of memory a path or an address names, when no `backend` says it; and what it must not be when one does. */
import { closeSync, constants, existsSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { isPostgresAddress, POSTGRES_FORM } from '../model/postgres-address.ts'
import { isServerAddress } from '../model/server-address.ts'
import { WORKSPACE_FOLDER } from './find-workspace.ts'
import type { Backend } from './keys.ts'
import { isUrl } from './value-types.ts'

/** SQLite's header, and the offset at which a memory in one file has "KEEP". */
const MAGIC = 'SQLite format 3\0'
const APPLICATION_ID_OFFSET = 68

/** `field`: who says it, for the error. */
export function backendOf(workspace: string, field: string): Backend {
  if (isUrl(workspace)) return backendOfAddress(workspace, field)
  const found = statOf(workspace)
  if (found?.isDirectory()) return 'filesystem'
  if (basename(workspace).endsWith('.keepsake') && basename(workspace) !== WORKSPACE_FOLDER) return 'file'
  if (found?.isFile() && beginsAsOurs(workspace)) return 'file'
  if (found) throw notAFolder(workspace, field)
  refuseLinkToNowhere(workspace, field)
  return 'filesystem'
}

/** For a backend that is said, and a workspace that is something else. */
export function refuseOtherSort(backend: Backend, workspace: string, field: string): void {
  if (backend === 'postgres' && !isPostgresAddress(workspace)) {
    throw new InvalidError(field, `${workspace} is not the address of a PostgreSQL server`, POSTGRES_FORM)
  }
  if (backend === 'chroma' && !isServerAddress(workspace)) {
    throw new InvalidError(field, `${workspace} is not the address of a server`, 'chroma://HOST:PORT; or url alone')
  }
  if ((backend === 'filesystem' || backend === 'file') && isUrl(workspace)) {
    const right = isPostgresAddress(workspace) ? 'postgres' : 'chroma'
    throw new InvalidError(field, `${workspace} is the address of a server`, `a path; for a server: backend: ${right}`)
  }
  if (backend === 'filesystem') refuseNonFolder(workspace, field)
  if (backend === 'file' && statOf(workspace)?.isDirectory()) {
    const allowed = 'a file, or a path where one can be made; for a folder of Markdown files: backend: filesystem'
    throw new InvalidError(field, `${workspace} is a folder`, allowed)
  }
}

function refuseNonFolder(workspace: string, field: string): void {
  const found = statOf(workspace)
  if (found?.isDirectory() === false) throw notAFolder(workspace, field)
  if (!found) refuseLinkToNowhere(workspace, field)
}

function backendOfAddress(address: string, field: string): Backend {
  if (isPostgresAddress(address)) return 'postgres'
  if (isServerAddress(address)) return 'chroma'
  // It may hold a password.
  const what = address.includes('@') ? 'this address' : `"${address}"`
  throw new InvalidError(
    field,
    `${what} names no memory`,
    'a folder, a file that ends in .keepsake, postgres://HOST/DATABASE, chroma://HOST',
  )
}

/** Most often a disk that is not mounted: another memory in its place would be a surprise. */
function refuseLinkToNowhere(path: string, field: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const allowed = 'a folder, or a path where one can be made; mend the link, or remove it'
  throw new InvalidError(field, `${path} is a link that leads nowhere`, allowed)
}

function notAFolder(path: string, field: string): InvalidError {
  const allowed = 'a folder, or a path where one can be made; for a memory in one file: backend: file'
  return new InvalidError(field, `${path} is not a folder`, allowed)
}

/** What can't be read is left to the store, which says why. */
function beginsAsOurs(path: string): boolean {
  // Closing the file would release SQLite's locks on it in this process (POSIX). A `-wal` shows that it is a database in use.
  if (existsSync(`${path}-wal`)) return true
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4)
    const text = header.toString('latin1', 0, readSync(fd, header))
    return text.startsWith(MAGIC) && text.startsWith('KEEP', APPLICATION_ID_OFFSET)
  } catch {
    return true
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new KeepsakeError('IO', `${path} can't be reached: ${reason}`, {
      hint: 'Check the path and the modes of the folders on it, or name another with --workspace.',
      cause,
    })
  }
}
