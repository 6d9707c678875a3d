/**
 * A backup of a memory in one file: a whole copy of one moment, in the same format. It is made beside its place under a name of
 * its own, read back and compared by its checksums, and only then gets its name. So under that name there is a whole copy, or what was there.
 */
import { closeSync, openSync, realpathSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { KeepsakeError } from '../../errors.ts'
import { readBytes, statFile } from '../disk/reading.ts'
import { attempt, codeOf, removeFile, syncFolder, wrapped } from '../disk/system.ts'
import { sweepUnfinished, unfinishedPath } from '../disk/unfinished.ts'
import { noteBackups } from './known-backups.ts'
import { type OnProgress, proved, withImage } from './proved-copy.ts'
import type { FileStore } from './store.ts'

export interface FileBackupOptions {
  /** The file to make; or what takes the copy piece by piece. */
  readonly to: string | ((bytes: Uint8Array) => void | Promise<void>)
  /** Replace the file if it is there. */
  readonly force?: boolean
  readonly onProgress?: OnProgress
}

export interface FileBackup {
  /** Absolute; missing when the copy went elsewhere than to a file. */
  readonly copy?: string
  readonly entries: number
  readonly bytes: number
  /** The last change that is in it. */
  readonly change: number
}

const PIECE_BYTES = 1_048_576

export async function backUpFile(
  store: FileStore,
  { to, force = false, onProgress }: FileBackupOptions,
): Promise<FileBackup> {
  refuseNothing(store.path)
  if (typeof to !== 'string') {
    return withCopy(store, dirname(store.path), onProgress, async (made) => {
      await handOn(made.path, to)
      return toldOf(made)
    })
  }
  const target = targetOf(to)
  refuseTarget(store.path, target, force)
  return withCopy(store, dirname(target), onProgress, async (made) => {
    refuseTarget(store.path, target, force)
    // Before it has its name: a backup that nobody knows of could not be reached by a purge.
    await noteBackups(store.derived, [target])
    attempt('writing', target, () => renameSync(made.path, target))
    await syncFolder(dirname(target))
    return { copy: target, ...toldOf(made) }
  })
}

interface MadeCopy extends Omit<FileBackup, 'copy'> {
  readonly path: string
}

/** A copy that was read back whole, in `folder`, under a name that says what it is until it has another. */
async function withCopy<T>(
  store: FileStore,
  folder: string,
  onProgress: OnProgress | undefined,
  use: (made: MadeCopy) => Promise<T>,
): Promise<T> {
  sweepUnfinished('archive', folder)
  const path = unfinishedPath('archive', folder)
  try {
    await store.copyTo(path)
    const { entries, change } = await withImage(path, async (image) => ({
      entries: await proved(image, onProgress),
      change: image.cursor.number,
    }))
    return await use({ path, entries, change, bytes: statFile(path)?.size ?? 0 })
  } catch (error) {
    throw wrapped('writing', path, error)
  } finally {
    dropLeft(path)
  }
}

function toldOf({ entries, bytes, change }: MadeCopy): Omit<FileBackup, 'copy'> {
  return { entries, bytes, change }
}

async function handOn(path: string, take: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
  const fd = openSync(path, 'r')
  try {
    for (let at = 0; ; at += PIECE_BYTES) {
      const piece = readBytes(fd, at, PIECE_BYTES)
      if (piece.length > 0) await take(piece)
      if (piece.length < PIECE_BYTES) return
    }
  } finally {
    closeSync(fd)
  }
}

function refuseNothing(path: string): void {
  if (statFile(path)) return
  throw new KeepsakeError('NOT_FOUND', `there is no memory at ${path} to back up`, {
    hint: 'It is made by the first write, or by keepsake init.',
    data: { path },
  })
}

/** Without links on the way, so that it can be told from the memory itself. */
function targetOf(to: string): string {
  const folder = dirname(to)
  try {
    return join(realpathSync(folder), basename(to))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw wrapped('writing', to, error)
    throw new KeepsakeError('NOT_FOUND', `there is no folder ${folder}`, {
      hint: 'Make it first, or choose another place.',
      data: { path: folder },
    })
  }
}

function refuseTarget(path: string, target: string, force: boolean): void {
  const [own, there] = [statFile(path), statFile(target)]
  if (!there) return
  const isOwn = own !== undefined && own.dev === there.dev && own.ino === there.ino
  if (force && there.isFile() && !isOwn) return
  const [message, hint] = isOwn
    ? [`${target} is the memory itself`, 'Choose another name.']
    : there.isFile()
      ? [`${target} exists already`, 'Choose another name, or replace it with --force.']
      : [`${target} is there and is not a file`, 'Choose another name.']
  throw new KeepsakeError('CONFLICT', message, { hint, data: { path: target } })
}

/** What has its name by now is not there any more. */
function dropLeft(path: string): void {
  try {
    removeFile(path)
  } catch {
    // still there, and the next backup sweeps it
  }
}
