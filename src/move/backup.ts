/**
 * A backup is a full copy of a memory in one file, and a restore is a move from that file to an empty place. The file gets its name only
 * after it has been compared with its source, so every backup at its path is complete.
 */
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { InvalidError, isKeepsakeError, KeepsakeError } from '../errors.ts'
import { shellLine } from '../model/shell-line.ts'
import type { CallOptions, Movable, Store } from '../ports/store.ts'
import { statFile } from '../stores/disk/reading.ts'
import { attempt, codeOf, FOLDER_MODE, syncFolder } from '../stores/disk/system.ts'
import { removeUnfinished, sweepUnfinished, unfinishedPath } from '../stores/disk/unfinished.ts'
import type { FileStore } from '../stores/file/store.ts'
import { type Moved, type MoveOptions, type MoveStep, moveMemory } from './move-memory.ts'
import type { ImageCounts } from './watched-image.ts'

/** `path` or `root`: where the memory is, if it is on a disk. */
export type BackupSource = Store & Movable & { readonly path?: string; readonly root?: string }

export interface BackupOptions extends CallOptions {
  /** The file to create. Its folder must exist. */
  readonly to: string
  /** Replaces an existing file. Default: `false`. */
  readonly force?: boolean
  readonly onProgress?: (step: MoveStep) => void
}

export interface Backup extends ImageCounts {
  /** Absolute, without links. */
  readonly path: string
  readonly bytes: number
  /** The number of its last change. */
  readonly change: number
  /** What is not in it, and why. */
  readonly warnings: readonly string[]
}

const ARCHIVE_NAME = /\.(tar|tar\.gz|tgz|zip)$/i
const GZIP = Buffer.from([0x1f, 0x8b])
const MAX_TRIES = 3

/**
 * Writes a full copy of a memory, as of one moment, to one file.
 *
 * @throws CONFLICT if the file exists and `force` is not set, INVALID if it is part of the memory itself.
 */
export async function backUp(from: BackupSource, options: BackupOptions): Promise<Backup> {
  const { to, force = false, signal } = options
  const call = signal ? { signal } : {}
  refuseArchiveName(to)
  const path = targetPath(to)
  refuseInsideMemory(from, path)
  refuseExisting(path, force)
  sweepUnfinished(dirname(path))
  const leftovers: string[] = []
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const unfinished = unfinishedPath('backup', dirname(path))
    const { epoch } = (await from.feed('now', call)).cursor
    let backup: Backup | undefined
    try {
      attempt('writing', path, () => mkdirSync(unfinished, { mode: FOLDER_MODE }))
      const built = join(unfinished, basename(path))
      const copy = await writeBackup(from, built, options)
      const warnings = [...copy.warnings, ...(await noteBackup(from, path))]
      // Otherwise there was a purge, and the copy may contain what it removed.
      if ((await from.feed('now', call)).cursor.epoch === epoch) {
        publish(built, path, force)
        await syncFolder(dirname(path))
        backup = { ...copy, path, warnings }
      }
    } finally {
      leftovers.push(...removeUnfinished(unfinished))
    }
    if (backup) return { ...backup, warnings: [...backup.warnings, ...leftovers] }
  }
  throw new KeepsakeError('CONFLICT', `entries were purged repeatedly while ${path} was being written`, {
    hint: 'Nothing was written. Try again when no purge is running.',
    data: { path },
  })
}

async function writeBackup(from: BackupSource, path: string, options: BackupOptions): Promise<Omit<Backup, 'path'>> {
  const { fileStore } = await import('../stores/file/store.ts')
  const copy = fileStore({ path })
  try {
    const moved = await moveMemory(from, copy, moveOptions(options))
    const { number: change } = (await copy.feed('now')).cursor
    await copy.close()
    return { ...moved, change, bytes: statSync(path).size }
  } finally {
    await copy.close()
  }
}

/** A read-only memory can be backed up too. Returns warnings. */
async function noteBackup(memory: Movable, path: string): Promise<readonly string[]> {
  try {
    await memory.noteBackup(path)
    return []
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return [`a purge will not name ${path}: ${error.message}`]
  }
}

function publish(built: string, path: string, force: boolean): void {
  refuseExisting(path, force)
  attempt('writing', path, () => {
    if (force) return renameSync(built, path)
    try {
      linkSync(built, path) // fails if the path exists
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw existsError(path)
      refuseExisting(path, force)
      renameSync(built, path)
    }
  })
}

/** Opens a backup to restore or inspect it. */
export async function openBackup(file: string): Promise<FileStore> {
  const path = resolve(file)
  const stats = attempt('reading', path, () => statSync(path, { throwIfNoEntry: false }))
  if (!stats) {
    throw new KeepsakeError('NOT_FOUND', `there is no file ${path}`, { hint: 'Check the path.', data: { path } })
  }
  if (!stats.isFile()) throw new InvalidError('FILE', `${path} is not a file`, 'a file that "keepsake backup" wrote')
  if (isArchive(path)) {
    throw new KeepsakeError('INVALID', `${path} is an archive, and backups are now .keepsake files`, {
      hint: 'Unpack it with tar: the folder "files" in it is a workspace that can be used as it is.',
      data: { path },
    })
  }
  const { fileStore } = await import('../stores/file/store.ts')
  return fileStore({ path })
}

/** Restores a backup to `to`. @throws CONFLICT if anything is there. */
export async function restore(
  backup: FileStore,
  to: Store & Movable,
  options: Pick<MoveOptions, 'signal' | 'onProgress'> = {},
): Promise<Moved> {
  const { moveHistory } = to.capabilities
  if (moveHistory !== true) {
    throw new KeepsakeError('UNSUPPORTED', `${moveHistory}, and a backup has more`, {
      hint: `To copy its present entries: ${shellLine(['keepsake', 'move', '--workspace', backup.path, '--to', 'TARGET', '--without-history'])}`,
    })
  }
  const moved = await moveMemory(backup, to, { ...moveOptions(options), absorb: false }).catch((error: unknown) => {
    if (!isKeepsakeError(error) || error.code !== 'CONFLICT') throw error
    const refusal = isKeepsakeError(error.cause) ? error.cause : error
    throw occupiedError(refusal.message, refusal.data['path'], error)
  })
  if (moved.alreadyThere) throw occupiedError('this memory is there already')
  return { ...moved, warnings: [...moved.warnings, ...(await noteBackup(to, backup.path))] }
}

/** Also refuses a memory that is too damaged to open. An empty folder counts as nothing. */
export function refuseToReplace(path: string): void {
  const stats = attempt('reading', path, () => statSync(path, { throwIfNoEntry: false }))
  if (stats?.isDirectory() && attempt('reading', path, () => readdirSync(path).length === 0)) return
  if (stats) throw occupiedError(`${path} is there already`, path)
}

function occupiedError(message: string, path?: unknown, cause?: unknown): KeepsakeError {
  const isPath = typeof path === 'string'
  const files = isPath
    ? ['', '-wal', '-shm'].map((ending) => path + ending).filter((file) => file === path || statFile(file))
    : []
  const commands = files.map((file) => shellLine(['mv', file, file.replace(path as string, `${path}.before`)]))
  const hint = isPath
    ? `Close the programs that use it, and move it away: ${commands.join(' && ')}. Or choose another place with --workspace.`
    : 'Choose another place with --workspace.'
  return new KeepsakeError('CONFLICT', message, {
    hint: `Nothing was restored. ${hint}`,
    ...(isPath ? { data: { path } } : {}),
    ...(cause === undefined ? {} : { cause }),
  })
}

export function refuseArchiveName(file: string): void {
  if (!ARCHIVE_NAME.test(file)) return
  throw new InvalidError(
    'FILE',
    `${file} is the name of an archive, and a backup is one .keepsake file`,
    'a name such as memory.keepsake',
  )
}

function isArchive(path: string): boolean {
  if (ARCHIVE_NAME.test(path)) return true
  // SQLite may have it open: closing it here would release SQLite's locks in this process (POSIX).
  if (statFile(`${path}-wal`)) return false
  return attempt('reading', path, () => {
    const fd = openSync(path, 'r')
    try {
      const first = Buffer.alloc(GZIP.length)
      return readSync(fd, first) === GZIP.length && first.equals(GZIP)
    } finally {
      closeSync(fd)
    }
  })
}

function moveOptions({ signal, onProgress }: Pick<MoveOptions, 'signal' | 'onProgress'>): MoveOptions {
  return { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) }
}

/** Resolves links in the folder's path, so that a purge names the real path. */
function targetPath(file: string): string {
  const path = resolve(file)
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return attempt('writing', path, () => realpathSync(dirname(path)))
    throw new KeepsakeError('NOT_FOUND', `there is no folder ${dirname(path)}`, {
      hint: 'Create it, or choose another.',
      data: { path },
    })
  }
}

function refuseInsideMemory({ path: file, root }: BackupSource, target: string): void {
  const memory = file ?? root
  const real = memory !== undefined && statFile(memory) ? realpathSync(memory) : memory
  const isSqliteFile = /-(wal|shm|journal)$/.test(target)
  if (!isSqliteFile && (real === undefined || (target !== real && !target.startsWith(real + sep)))) return
  throw new InvalidError('FILE', `${target} is part of the memory itself`, 'a file outside the memory')
}

function refuseExisting(path: string, force: boolean): void {
  const stats = statFile(path)
  if (stats && !stats.isFile()) throw new InvalidError('FILE', `${path} is not a file`, 'the name of a file')
  if (stats && !force) throw existsError(path)
  if (!statFile(`${path}-wal`)) return
  throw new KeepsakeError('CONFLICT', `${path} is a memory that a program is using`, {
    hint: 'Nothing was written. Choose another name.',
    data: { path },
  })
}

function existsError(path: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${path} already exists`, {
    hint: 'Nothing was written. Choose another name, or replace it with --force.',
    data: { path },
  })
}
