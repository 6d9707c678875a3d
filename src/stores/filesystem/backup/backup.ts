/**
 * A backup: all that is people's in a workspace and the history of it, as one archive that `tar` opens. It is ONE state: the
 * files are read under the lock, after everything journaled is in them. The lock is let go before anything is compressed, so
 * memory holds the workspace once.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { KeepsakeError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { acquireLock } from '../../disk/lock.ts'
import { statFile } from '../../disk/reading.ts'
import { codeOf, wrapped } from '../../disk/system.ts'
import type { Workspace } from '../workspace.ts'
import type { Writer } from '../writer.ts'
import { isArchived, type OnProgress } from './archive-manifest.ts'
import { gatherFiles } from './archive-source.ts'
import { isOurArchive, pathWithin, refuseOwnFiles } from './archive-target.ts'
import {
  type ArchiveContents,
  dropStaged,
  packArchive,
  publishArchive,
  refuseTaken,
  type StagedArchive,
  stageArchive,
} from './archive-write.ts'
import { knownBackups, noteBackups } from './known-backups.ts'

const TRIES = 3
const LOCK_WAIT_MS = 10_000

export interface BackupOptions extends CallOptions {
  /** The file to make; or what takes the archive piece by piece, and then nobody can find that backup again. */
  readonly to: string | ((bytes: Uint8Array) => void | Promise<void>)
  /** Replace the file if it is there. */
  readonly force?: boolean
  readonly onProgress?: OnProgress
}

export interface Backup {
  /** Absolute; missing when the archive went elsewhere than to a file. */
  readonly archive?: string
  readonly files: number
  /** The size of the archive. */
  readonly bytes: number
  /** The last change that is in it. */
  readonly change: number
  /** What is not in it, and why. */
  readonly warnings: readonly string[]
}

export interface BackupSource {
  readonly workspace: Workspace
  readonly writer: Writer
  readonly clock: Clock
}

export async function backUp(source: BackupSource, options: BackupOptions): Promise<Backup> {
  refuseNothing(source.workspace.root)
  const { to } = options
  return typeof to === 'string' ? toFile(source, targetOf(to), options) : toTaker(source, to, options)
}

async function toFile(source: BackupSource, target: string, options: BackupOptions): Promise<Backup> {
  const { force = false, onProgress } = options
  refuseTaken(target, force)
  await refuseOwnFiles(realpathSync(source.workspace.root), target)
  for (let tries = 0; tries < TRIES; tries++) {
    const state = await readState(source, target, options)
    const staged = await stageArchive(target, state.contents, onProgress)
    if (await publish(source, { state, staged, target }, options)) {
      return { archive: target, bytes: staged.bytes, ...toldOf(state) }
    }
  }
  throw new KeepsakeError('CONFLICT', `the history was rewritten again and again while ${target} was made`, {
    hint: 'Someone purges just now. Back up again when that is done.',
    data: { path: target },
  })
}

/**
 * The folder as it lies there, for whoever is about to mend it: what a crash left is not finished first, and the lock is
 * held from the first look to the archive's final name.
 */
export async function backUpUntouched(
  { workspace, clock }: Pick<BackupSource, 'workspace' | 'clock'>,
  to: string,
): Promise<Backup> {
  const target = targetOf(to)
  const held = await acquireLock(join(workspace.stateFolder, 'lock'), LOCK_WAIT_MS)
  try {
    const state = await readFolder({ workspace, clock }, target)
    const staged = await stageArchive(target, state.contents)
    noteBackups(workspace.stateFolder, [{ path: target, madeAt: state.contents.madeAt }])
    await publishArchive(staged, target, false)
    return { archive: target, bytes: staged.bytes, ...toldOf(state) }
  } finally {
    // Whoever takes it next does what this one left undone.
    held.release(held.inherited ? 'undone' : 'done')
  }
}

async function toTaker(
  source: BackupSource,
  take: (bytes: Uint8Array) => void | Promise<void>,
  options: BackupOptions,
): Promise<Backup> {
  const state = await readState(source, undefined, options)
  let bytes = 0
  const write = async (piece: Uint8Array): Promise<void> => {
    await take(piece)
    bytes += piece.length
  }
  await packArchive(state.contents, write, options.onProgress)
  return { bytes, ...toldOf(state) }
}

interface ReadState {
  readonly contents: ArchiveContents
  readonly warnings: readonly string[]
  /** Which files the history was read from. */
  readonly history: ReadonlyMap<string, number>
}

function toldOf({ contents, warnings }: ReadState): Pick<Backup, 'files' | 'change' | 'warnings'> {
  return { files: contents.files.length, change: contents.change, warnings }
}

/** Everything as of one change. */
async function readState(
  source: BackupSource,
  target: string | undefined,
  { signal, onProgress }: BackupOptions,
): Promise<ReadState> {
  return await source.writer.exclusively(() => readFolder(source, target, onProgress), signal)
}

/** Only for the holder of the lock. */
async function readFolder(
  { workspace, clock }: Pick<BackupSource, 'workspace' | 'clock'>,
  target: string | undefined,
  onProgress?: OnProgress,
): Promise<ReadState> {
  const root = realpathSync(workspace.root)
  const elders = await archivesIn(workspace, root, target)
  const own = target === undefined ? undefined : pathWithin(root, target)
  const leaveOut = new Set(own === undefined ? elders : [...elders, own])
  const { folders, files, warnings } = await gatherFiles(root, leaveOut, onProgress)
  const contents: ArchiveContents = {
    workspace: workspace.settings.id,
    madeAt: instant(clock()),
    change: workspace.catalog.number,
    folders,
    files,
  }
  const leftOut = elders.map((path) => `${path} is a backup itself and was left out`)
  return { contents, warnings: [...warnings, ...leftOut], history: historyFiles(workspace) }
}

/**
 * Earlier backups that lie in the workspace: an archive in an archive would double it each time, and no purge would reach into
 * the inner one. A file that only has the name of one by now is a file like any other.
 */
async function archivesIn(workspace: Workspace, root: string, target: string | undefined): Promise<string[]> {
  const found: string[] = []
  for (const { path } of knownBackups(workspace.stateFolder)) {
    const inside = path === target ? undefined : pathWithin(root, path)
    if (inside !== undefined && isArchived(inside) && (await isOurArchive(path))) found.push(inside)
  }
  return found
}

/** `false` when a purge came between: what it removed would come back with this archive. */
async function publish(
  { workspace, writer }: BackupSource,
  { state, staged, target }: { readonly state: ReadState; readonly staged: StagedArchive; readonly target: string },
  { force = false, signal }: BackupOptions,
): Promise<boolean> {
  try {
    return await writer.exclusively(async () => {
      const now = historyFiles(workspace)
      if ([...state.history].some(([name, inode]) => now.get(name) !== inode)) return false
      // Noted before it has its name: a backup that nobody knows of could not be reached by a purge.
      noteBackups(workspace.stateFolder, [{ path: target, madeAt: state.contents.madeAt }])
      await publishArchive(staged, target, force)
      return true
    }, signal)
  } finally {
    dropStaged(staged.path)
  }
}

/** The journal is only ever added to; where it was rewritten, its files are others. */
function historyFiles({ journal }: Workspace): ReadonlyMap<string, number> {
  return new Map(listFolder(journal.folder).map(({ name }) => [name, statFile(join(journal.folder, name))?.ino ?? 0]))
}

/** The path that the archive will have, without links on the way to it. */
function targetOf(file: string): string {
  const path = resolve(file)
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw wrapped('writing', path, error)
    throw new KeepsakeError('NOT_FOUND', `there is no folder ${dirname(path)} to put the archive in`, {
      hint: 'Make it first, or choose another.',
      data: { path },
    })
  }
}

/** A first write would make a workspace; a backup of one that was never there is a mistake in the path. */
function refuseNothing(root: string): void {
  if (listFolder(root).length > 0) return
  throw new KeepsakeError('NOT_FOUND', `there is no workspace at ${root}`, {
    hint: 'Name another with --workspace, or make one with: keepsake init',
    data: { root },
  })
}
