/**
 * A memory in one file from a copy of it. First all of the copy is read and proved, then a new file is made of it beside the
 * place and synced, then it takes that place in one step; until then nothing is touched, and what was there is kept beside it.
 * The new file begins a new epoch: whoever had read further than the copy goes begins anew.
 */
import { closeSync, openSync, realpathSync, renameSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { instant } from '../../model/time.ts'
import { readBytes, statFile } from '../disk/reading.ts'
import { keepAside, removeQuietly } from '../disk/second-name.ts'
import { attempt, codeOf, makeFolder, syncFolder, wrapped } from '../disk/system.ts'
import { sweepUnfinished, unfinishedPath } from '../disk/unfinished.ts'
import { knownBackups, noteBackups } from './known-backups.ts'
import { type OnProgress, proved, withImage } from './proved-copy.ts'
import { underLock } from './sidecar.ts'
import { fileStore } from './store.ts'

/** What a restore would do. Made of a copy that was read as a whole. */
export interface FileRestorePlan {
  readonly copy: string
  /** The place it comes to, absolute. */
  readonly path: string
  readonly change: number
  readonly entries: number
  /** The id of the memory that is in it. */
  readonly workspace: string
  /** Whether a memory is there now. */
  readonly replaces: boolean
  /** The id of that, where it can be read and is another. */
  readonly replacesOther?: string
  readonly warnings: readonly string[]
}

export interface FileRestored {
  /** Where the file is that was there before. */
  readonly previous?: string
}

export interface FileRestoreOptions {
  readonly nowMs: number
  /** How long it waits for a writer before it gives up. */
  readonly lockWaitMs?: number
  readonly onProgress?: OnProgress
}

const LOCK_WAIT_MS = 10_000
const FIRST_BYTES = Buffer.from('\x89KEEP', 'latin1')

/** Whether it is whole is another question. */
function beginsAsOurs(path: string): boolean {
  return attempt('reading', path, () => {
    const fd = openSync(path, 'r')
    try {
      return FIRST_BYTES.equals(readBytes(fd, 0, FIRST_BYTES.length))
    } finally {
      closeSync(fd)
    }
  })
}

/** Reads and proves the copy and looks at the place; changes nothing. */
export async function planFileRestore(copy: string, place: string, onProgress?: OnProgress): Promise<FileRestorePlan> {
  const path = join(realFolder(dirname(place)), basename(place))
  const replaces = isTaken(path)
  if (replaces && isSame(copy, path)) {
    throw new KeepsakeError('CONFLICT', `${copy} is the memory itself, and no copy of it`, {
      hint: 'Nothing was restored. Name a file that "keepsake backup" wrote.',
      data: { path: copy },
    })
  }
  return withImage(copy, async (image) => {
    const { settings, cursor, warnings } = image
    const there = replaces ? await idOf(path) : undefined
    return {
      copy,
      path,
      change: cursor.number,
      entries: await proved(image, onProgress),
      workspace: settings.id,
      replaces,
      ...(there === undefined || there === settings.id ? {} : { replacesOther: there }),
      warnings,
    }
  })
}

export async function restoreFile(plan: FileRestorePlan, options: FileRestoreOptions): Promise<FileRestored> {
  const { copy, path } = plan
  const { nowMs, lockWaitMs = LOCK_WAIT_MS, onProgress } = options
  const folder = dirname(path)
  makeFolder(folder)
  sweepUnfinished('restore', folder)
  const fresh = unfinishedPath('restore', folder)
  try {
    await makeFresh(copy, fresh, [...(await backupsOf(path)), copy], onProgress)
    return await underLock(path, lockWaitMs, async () => {
      const stamp = instant(nowMs).replace(/[-:]|\.\d+/g, '')
      const aside = `${path}.before-restore-${stamp}`
      const previous = statFile(path) ? keepAside(path, aside, 'restoring to') : undefined
      attempt('restoring to', path, () => renameSync(fresh, path))
      await syncFolder(folder)
      return previous === undefined ? {} : { previous }
    })
  } catch (error) {
    removeQuietly(fresh)
    throw error
  }
}

async function makeFresh(
  copy: string,
  fresh: string,
  backups: readonly string[],
  onProgress: OnProgress | undefined,
): Promise<void> {
  await withImage(copy, async (image) => {
    const store = fileStore({ path: fresh })
    try {
      await store.adopt(image, { onProgress: (done, total) => onProgress?.('Writing', done, total) })
      await noteBackups(store.derived, backups)
    } finally {
      await store.close()
    }
  })
}

/** Those of what is there now, as far as it can be read. */
async function backupsOf(path: string): Promise<readonly string[]> {
  try {
    const store = fileStore({ path })
    try {
      return await knownBackups(store.derived)
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isKeepsakeError(error)) return []
    throw error
  }
}

/** Whether a memory is there; one that is damaged is what one restores for. Anything else is not ours to move. */
function isTaken(path: string): boolean {
  const found = statFile(path)
  if (!found) return false
  if (found.isFile() && (found.size === 0 || beginsAsOurs(path))) return true
  const what = found.isFile() ? 'it is not a file of Keepsake' : 'it is not a file'
  throw new KeepsakeError('FOREIGN', `${path}: ${what}`, {
    hint: 'Nothing was restored. Move it away, or name another file with --workspace.',
    data: { path },
  })
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [statFile(one), statFile(other)]
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** Of a file that can be read. */
async function idOf(path: string): Promise<string | undefined> {
  try {
    return await withImage(path, async ({ settings }) => settings.id)
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}

/** Without links on the way to it; what is not there yet has none. */
function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return resolve(path)
    throw wrapped('reading', path, error)
  }
}
