/**
 * Unpacks an archive into a folder of its own, which nobody else knows yet: bytes, modes and times as they were, all of it on
 * the disk when it returns. Nothing is ever opened that exists already, so paths that this disk can't tell apart are
 * refused, not laid over each other.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isKeepsakeError } from '../../../errors.ts'
import { attempt, codeOf, FILE_MODE, FOLDER_MODE, syncFile, syncFolder, wrapped, writeAll } from '../../disk/system.ts'
import { Journal } from '../journal.ts'
import { STATE_FOLDER } from '../layout.ts'
import {
  type ArchivedFile,
  type ArchivedFolder,
  damaged,
  type Manifest,
  type OnProgress,
  telling,
} from './archive-manifest.ts'
import { type ArchiveSink, readArchive } from './archive-read.ts'

const PARALLEL_SYNCS = 8
/** Node cuts a time off below the microsecond, and a fraction has no exact number: a little more lands in the right one. */
const LITTLE_MORE_SECONDS = 3e-7

const fsyncAsync = promisify(fsync)

/** `into` must not exist yet. */
export async function extractArchive(archive: string, into: string, onProgress?: OnProgress): Promise<Manifest> {
  const syncing = new Set<Promise<void>>()
  const failures: unknown[] = []
  let open: { readonly fd: number; readonly path: string } | undefined
  const sink: ArchiveSink = {
    begin({ folders }) {
      for (const { path } of parentsFirst(folders)) {
        makeNew(archive, into, path, (place) => mkdirSync(place, FOLDER_MODE))
      }
    },
    file({ path }) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      open = { fd: makeNew(archive, into, path, (place) => openSync(place, flags, FILE_MODE)), path: join(into, path) }
    },
    piece(bytes) {
      if (!open) throw new Error('unreachable: bytes follow a file')
      const { fd, path } = open
      attempt('writing', path, () => writeAll(fd, bytes))
    },
    async end(file) {
      if (!open) throw new Error('unreachable: a file ends after it began')
      const done: Promise<void> = finishFile(open.fd, open.path, file)
        .catch((error) => failures.push(error))
        .then(() => void syncing.delete(done))
      open = undefined
      syncing.add(done)
      // Syncs that run side by side share the disk's own commits.
      if (syncing.size >= PARALLEL_SYNCS) await Promise.race(syncing)
    },
  }
  let manifest: Manifest
  try {
    manifest = await readArchive(archive, { sink, onFile: telling(onProgress, 'Unpacking') })
  } finally {
    if (open) closeSync(open.fd)
    await Promise.all(syncing)
  }
  if (failures.length > 0) throw failures[0]
  return manifest
}

/** Its mode and times, and all of it on the disk. */
async function finishFile(fd: number, path: string, { mode, mtime }: ArchivedFile): Promise<void> {
  try {
    fchmodSync(fd, mode)
    futimesSync(fd, mtime + LITTLE_MORE_SECONDS, mtime + LITTLE_MORE_SECONDS)
    await fsyncAsync(fd)
  } catch (error) {
    throw wrapped('writing', path, error)
  } finally {
    closeSync(fd)
  }
}

/** After the last file is in them: what is put into a folder changes its time. */
export async function finishFolders(into: string, folders: readonly ArchivedFolder[]): Promise<void> {
  for (const { path, mode, mtime } of parentsFirst(folders).reverse()) {
    const folder = join(into, path)
    await syncFolder(folder)
    attempt('writing', folder, () => {
      chmodSync(folder, mode)
      utimesSync(folder, mtime + LITTLE_MORE_SECONDS, mtime + LITTLE_MORE_SECONDS)
    })
  }
}

/**
 * A journal knows itself by its inode, and a copy by having another: then files win over it, and a new epoch begins. A
 * disk may give the copy the very number that the lost original had; then it gets another.
 */
export async function makeJournalCopy(root: string): Promise<void> {
  const journal = new Journal(join(root, STATE_FOLDER, 'journal'))
  for (const segment of journal.segments()) {
    const path = journal.pathOf(segment)
    const copy = `${path}.copy`
    const { ino, mtimeNs } = attempt('reading', path, () => lstatSync(path, { bigint: true }))
    if (Number(ino) !== inodeSaid(journal, segment)) continue
    const mtime = Number(mtimeNs / 1000n) / 1e6 + LITTLE_MORE_SECONDS
    attempt('writing', copy, () => {
      copyFileSync(path, copy)
      utimesSync(copy, mtime, mtime)
    })
    await syncFile(copy)
    attempt('writing', path, () => renameSync(copy, path))
  }
}

function inodeSaid(journal: Journal, segment: string): number | undefined {
  try {
    return journal.headerOf(segment)?.inode
  } catch (error) {
    if (isKeepsakeError(error)) return undefined // one that can't be read is restored as it is, and told by whoever reads it
    throw error
  }
}

function makeNew<T>(archive: string, into: string, path: string, make: (place: string) => T): T {
  try {
    return make(join(into, path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw wrapped('writing', join(into, path), error)
    throw damaged(archive, `it names ${JSON.stringify(path)} and a path that is the same on this disk`)
  }
}

function parentsFirst(folders: readonly ArchivedFolder[]): ArchivedFolder[] {
  return folders.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
