/**
 * Writes an archive: beside its place under a name of its own, synced, read back from the disk and compared with its list,
 * and only then under its final name. So whatever happens, under that name there is a whole archive, or what was there.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { encodeTar, type TarMember } from '../../../codec/tar.ts'
import { KeepsakeError } from '../../../errors.ts'
import { statFile } from '../../disk/reading.ts'
import { FILE_MODE, fixMode, syncFile, syncFolder, wrapped, writeAll } from '../../disk/system.ts'
import { sweepUnfinished, unfinishedPath } from '../../disk/unfinished.ts'
import { gzipTo } from './archive-gzip.ts'
import {
  type ArchivedFolder,
  damaged,
  FILES_FOLDER,
  formatManifest,
  MANIFEST_NAME,
  type Manifest,
  type OnProgress,
  telling,
} from './archive-manifest.ts'
import { readArchive } from './archive-read.ts'

export interface FileToArchive extends ArchivedFolder {
  readonly bytes: Uint8Array
}

export interface ArchiveContents extends Pick<Manifest, 'workspace' | 'madeAt' | 'change' | 'folders'> {
  readonly files: readonly FileToArchive[]
}

/** A whole archive that has not its final name yet. */
export interface StagedArchive {
  readonly path: string
  readonly bytes: number
}

/** Hands the archive on in pieces. */
export async function packArchive(
  contents: ArchiveContents,
  write: (bytes: Uint8Array) => void | Promise<void>,
  onProgress?: OnProgress,
): Promise<void> {
  await gzipTo(encodeTar(membersOf(contents, formatManifest(manifestOf(contents)), onProgress)), write)
}

/** Writes it to the disk, next to `target`, and proves that it can be read. */
export async function stageArchive(
  target: string,
  contents: ArchiveContents,
  onProgress?: OnProgress,
): Promise<StagedArchive> {
  sweepUnfinished('archive', dirname(target))
  const list = formatManifest(manifestOf(contents))
  const path = unfinishedPath('archive', dirname(target))
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
    let bytes = 0
    try {
      fixMode(fd, FILE_MODE)
      const write = (piece: Uint8Array): void => {
        writeAll(fd, piece)
        bytes += piece.length
      }
      await gzipTo(encodeTar(membersOf(contents, list, onProgress)), write)
    } finally {
      closeSync(fd)
    }
    await syncFile(path)
    const found = await readArchive(path, { onFile: telling(onProgress, 'Checking the archive') })
    if (Buffer.compare(formatManifest(found), list) !== 0)
      throw damaged(path, 'it does not read back as it was written')
    return { path, bytes }
  } catch (error) {
    dropStaged(path)
    throw wrapped('writing', target, error)
  }
}

/** Gives it its final name; durable when it returns. */
export async function publishArchive({ path }: StagedArchive, target: string, force: boolean): Promise<void> {
  try {
    refuseTaken(target, force)
    renameSync(path, target)
    await syncFolder(dirname(target))
  } catch (error) {
    dropStaged(path)
    throw wrapped('writing', target, error)
  }
}

/** As far as it goes: the error that led here is the one to tell, and the next backup sweeps what is left. */
export function dropStaged(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // still there, under a name that says what it is
  }
}

export function refuseTaken(target: string, force: boolean): void {
  const there = statFile(target)
  if (!there || (force && there.isFile())) return
  const facts = there.isFile()
    ? { message: `${target} exists already`, hint: 'Choose another name, or replace it with --force.' }
    : { message: `${target} is there and is not a file`, hint: 'Choose another name.' }
  throw new KeepsakeError('CONFLICT', facts.message, { hint: facts.hint, data: { path: target } })
}

function manifestOf({ workspace, madeAt, change, folders, files }: ArchiveContents): Manifest {
  return {
    workspace,
    madeAt,
    change,
    folders,
    files: files.map(({ path, mode, mtime, bytes }) => {
      return { path, mode, mtime, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    }),
  }
}

function* membersOf(
  { madeAt, folders, files }: ArchiveContents,
  list: Uint8Array,
  onProgress: OnProgress | undefined,
): Generator<readonly [TarMember, Uint8Array]> {
  const onFile = telling(onProgress, 'Writing the archive')
  const mtime = Math.floor(Date.parse(madeAt) / 1000)
  yield [{ path: MANIFEST_NAME, type: 'file', size: list.length, mode: FILE_MODE, mtime }, list]
  for (const { path, mode, mtime } of folders) {
    const name = `${FILES_FOLDER}/${path}`.replace(/\/$/, '')
    yield [{ path: name, type: 'folder', size: 0, mode, mtime }, new Uint8Array(0)]
  }
  for (const [index, { path, mode, mtime, bytes }] of files.entries()) {
    yield [{ path: `${FILES_FOLDER}/${path}`, type: 'file', size: bytes.length, mode, mtime }, bytes]
    onFile(index + 1, files.length)
  }
}
