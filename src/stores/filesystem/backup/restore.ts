/**
 * A workspace from an archive. First the whole archive is read and proved, then unpacked beside the workspace and synced, then
 * the two change places; until then nothing is touched, and what was there is kept. The journal comes back as a copy: the
 * next write begins a new epoch with it, and nothing in the files is taken for damage.
 */
import { realpathSync, statfsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { ForeignError, StorageError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { decodeText, readFileAt, statFile } from '../../disk/reading.ts'
import { attempt, codeOf, makeFolder, wrapped } from '../../disk/system.ts'
import { sweepUnfinished, unfinishedPath } from '../../disk/unfinished.ts'
import { STATE_FOLDER } from '../layout.ts'
import { SETTINGS_FILE } from '../workspace-settings.ts'
import { type Manifest, type OnProgress, telling } from './archive-manifest.ts'
import { readArchive } from './archive-read.ts'
import { knownBackups, noteBackups } from './known-backups.ts'
import { extractArchive, finishFolders, makeJournalCopy } from './restore-extract.ts'
import { nameBefore, removeTree, restoreTraces, switchWorkspace } from './switch-workspace.ts'

export interface RestoreRequest {
  readonly archive: string
  /** The folder of the workspace, absolute. */
  readonly root: string
  readonly onProgress?: OnProgress
}

/** What a restore would do. Made of an archive that was read as a whole. */
export interface RestorePlan {
  readonly archive: string
  readonly root: string
  readonly madeAt: string
  readonly change: number
  readonly files: number
  /** Of all files together. */
  readonly bytes: number
  /** The id of the workspace that is in it. */
  readonly workspace: string
  /** Whether a workspace is there now. */
  readonly replaces: boolean
  /** The id of that, where it is another than the one in the archive. */
  readonly replacesOther?: string
  readonly warnings: readonly string[]
}

export interface Restored {
  readonly workspace: string
  readonly files: number
  /** Where the workspace is that was there before. */
  readonly previous?: string
  readonly warnings: readonly string[]
}

export interface RestoreOptions {
  readonly nowMs: number
  /** How long it waits for a writer before it gives up. */
  readonly lockWaitMs?: number
  readonly onProgress?: OnProgress
}

const LOCK_WAIT_MS = 10_000

/** Reads and proves the archive and looks at the place; changes nothing. */
export async function planRestore({ archive, root, onProgress }: RestoreRequest): Promise<RestorePlan> {
  const place = realPath(root)
  const path = realPath(archive)
  const replaces = isTaken(place)
  const { workspace, madeAt, change, files } = await readArchive(path, {
    sink: { begin: (manifest) => refuseLittleSpace(place, bytesOf(manifest)) },
    onFile: telling(onProgress, 'Checking the archive'),
  })
  const bytes = bytesOf({ files })
  const warnings = warningsOf(place, replaces)
  const there = replaces ? idOf(place) : undefined
  return {
    archive: path,
    root: place,
    workspace,
    madeAt,
    change,
    files: files.length,
    bytes,
    replaces,
    ...(there === undefined || there === workspace ? {} : { replacesOther: there }),
    warnings,
  }
}

export async function restoreWorkspace(plan: RestorePlan, options: RestoreOptions): Promise<Restored> {
  const { archive, root } = plan
  const { nowMs, lockWaitMs = LOCK_WAIT_MS, onProgress } = options
  makeFolder(dirname(root))
  sweepUnfinished('restore', dirname(root))
  const fresh = unfinishedPath('restore', dirname(root))
  const stamp = instant(nowMs).replace(/[-:]|\.\d+/g, '')
  const before = nameBefore(root, stamp)
  try {
    const manifest = await extractArchive(archive, fresh, onProgress)
    await makeJournalCopy(fresh)
    const backups = [...knownBackups(join(root, STATE_FOLDER)), { path: archive, madeAt: manifest.madeAt }]
    makeFolder(join(fresh, STATE_FOLDER))
    noteBackups(
      join(fresh, STATE_FOLDER),
      backups.map((backup) => ({ ...backup, path: moved(backup.path, root, before) })),
    )
    await finishFolders(fresh, manifest.folders)
    const [previous, ...more] = await switchWorkspace({ fresh, root, before, stamp, lockWaitMs })
    return {
      workspace: root,
      files: manifest.files.length,
      ...(previous === undefined ? {} : { previous }),
      warnings: more.map((folder) => `a program wrote here at that very moment; what it wrote is in ${folder}`),
    }
  } catch (error) {
    removeTree(fresh)
    throw error
  }
}

/** What lay in the old workspace lies in it still, and that has another name now. */
function moved(path: string, from: string, to: string): string {
  return path.startsWith(`${from}${sep}`) ? to + path.slice(from.length) : path
}

/** Without links on the way to it; what is not there yet has none. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return resolve(path)
    throw wrapped('reading', path, error)
  }
}

/** Whether a workspace is there. Anything else that is there is not ours to move. */
function isTaken(root: string): boolean {
  const found = statFile(root)
  if (!found || (found.isDirectory() && listFolder(root).length === 0)) return false
  const isWorkspace = [SETTINGS_FILE, STATE_FOLDER].some((name) => statFile(join(root, name)))
  if (found.isDirectory() && isWorkspace) return true
  throw new ForeignError(root, found.isDirectory() ? 'it holds files and is no workspace' : 'it is not a folder')
}

/** As its settings say it; settings that can't be read are what one restores for. */
function idOf(root: string): string | undefined {
  const file = readFileAt(join(root, SETTINGS_FILE))
  return /^id:[ \t]*["']?([0-9a-f-]{36})\b/m.exec((file && decodeText(file.bytes)) ?? '')?.[1]
}

function bytesOf({ files }: Pick<Manifest, 'files'>): number {
  return files.reduce((sum, file) => sum + file.size, 0)
}

/** Before anything is unpacked, or even read: an archive of a few bytes may list more than any disk holds. */
function refuseLittleSpace(root: string, bytes: number): void {
  let beside = dirname(root)
  while (!statFile(beside)) beside = dirname(beside)
  const { bavail, bsize } = attempt('reading', beside, () => statfsSync(beside))
  if (bavail * bsize > bytes) return
  const problem = `it needs ${bytes} bytes, and the disk has ${bavail * bsize}`
  throw new StorageError('restoring to', root, problem, 'Nothing was changed. Free some space and try again.')
}

/** What an earlier restore left when it was stopped between its last steps. */
function warningsOf(root: string, replaces: boolean): string[] {
  const { restored, before } = restoreTraces(root)
  return restored.map((folder) =>
    replaces
      ? `${folder} was left by a restore that was interrupted; it can be removed`
      : `an earlier restore was interrupted: ${folder} is what it restored, ${before.at(-1) ?? 'nothing'} what was there before`,
  )
}
