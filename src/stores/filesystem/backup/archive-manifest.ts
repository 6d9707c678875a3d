/**
 * What an archive says of itself: its first member, `keepsake-backup.json`, names every folder and file that follows under
 * `files/`, with size and hash. Nothing in it tells where the workspace lay. An archive may come from anywhere, so that every
 * path is checked before anything is made of it.
 */
import { sep } from 'node:path'
import { DamagedError, ForeignError, NewerError } from '../../../errors.ts'
import { decodeText } from '../../disk/reading.ts'
import { STATE_FOLDER } from '../layout.ts'

export const MANIFEST_NAME = 'keepsake-backup.json'
/** The folder in the archive that stands for the workspace. */
export const FILES_FOLDER = 'files'
export const ARCHIVE_HINT = 'The archive was left as it is, and nothing else was changed. Use another copy of it.'
const VERSION = 1

export interface ArchivedFolder {
  /** Relative to the workspace, with forward slashes; empty for the workspace itself. */
  readonly path: string
  /** Permissions only. */
  readonly mode: number
  /** Seconds since 1970, down to the microsecond: as exact as Node can set it. */
  readonly mtime: number
}

export interface ArchivedFile extends ArchivedFolder {
  readonly size: number
  readonly sha256: string
}

export interface Manifest {
  /** The id of the workspace. */
  readonly workspace: string
  readonly madeAt: string
  /** The last change that is in it. */
  readonly change: number
  readonly folders: readonly ArchivedFolder[]
  readonly files: readonly ArchivedFile[]
}

/** Told after each file while something long is done: what, and how many files of how many. */
export type OnProgress = (doing: string, done: number, total: number) => void

export function telling(onProgress: OnProgress | undefined, doing: string): (done: number, total: number) => void {
  return (done, total) => onProgress?.(doing, done, total)
}

/** Of `.state` only what history needs: all the rest is made anew, or belongs to this machine. */
export function isArchived(path: string): boolean {
  if (path !== STATE_FOLDER && !path.startsWith(`${STATE_FOLDER}/`)) return true
  const inState = path.slice(STATE_FOLDER.length + 1)
  return ['', '.gitignore', 'checkpoint', 'journal'].includes(inState) || inState.startsWith('journal/')
}

export function formatManifest({ workspace, madeAt, change, folders, files }: Manifest): Uint8Array {
  const row = <T extends ArchivedFolder>(item: T): object => ({ ...item, mode: octal(item.mode) })
  return Buffer.from(
    `${JSON.stringify({
      keepsake: 'backup',
      version: VERSION,
      workspace,
      madeAt,
      change,
      folders: folders.map(row),
      files: files.map(row),
    })}\n`,
  )
}

/** Reads and checks it; `path` is the archive's, for errors. */
export function parseManifest(path: string, bytes: Uint8Array): Manifest {
  const value = parseJson(bytes)
  if (!isObject(value) || value['keepsake'] !== 'backup') throw new ForeignError(path, 'this is no backup of Keepsake')
  const { version, workspace, madeAt, change, folders, files } = value
  if (typeof version === 'number' && version > VERSION) throw new NewerError(path, version, VERSION)
  const isWhole = version === VERSION && typeof workspace === 'string' && typeof madeAt === 'string' && isCount(change)
  if (!isWhole || !Array.isArray(folders) || !Array.isArray(files)) throw damaged(path, 'its list of files is damaged')
  const manifest: Manifest = {
    workspace,
    madeAt,
    change,
    folders: folders.map((row) => parseFolder(path, row)),
    files: files.map((row) => parseFile(path, row)),
  }
  refuseWrongPaths(path, manifest)
  return manifest
}

function parseFolder(archive: string, row: unknown): ArchivedFolder {
  if (isObject(row)) {
    const { path, mode, mtime } = row
    const isMode = typeof mode === 'string' && /^0[0-7]{3}$/.test(mode)
    const isTime = typeof mtime === 'number' && Math.abs(mtime) < 2 ** 40
    if (typeof path === 'string' && isMode && isTime) return { path, mode: Number.parseInt(mode, 8), mtime }
  }
  throw damaged(archive, 'its list of files is damaged')
}

function parseFile(archive: string, row: unknown): ArchivedFile {
  const { size, sha256 } = isObject(row) ? row : {}
  if (isCount(size) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)) {
    return { ...parseFolder(archive, row), size, sha256 }
  }
  throw damaged(archive, 'its list of files is damaged')
}

/** Each path once, inside, in a folder that is listed too. Whether this disk tells them apart is seen when they are made. */
function refuseWrongPaths(archive: string, { folders, files }: Manifest): void {
  const seen = new Set<string>()
  const listed = new Set(folders.map((folder) => folder.path))
  if (!listed.has('')) throw damaged(archive, 'its list of files is damaged')
  for (const { path } of [...folders, ...files]) {
    if (seen.has(path)) throw damaged(archive, `it names ${JSON.stringify(path)} twice`)
    seen.add(path)
    if (path === '' && listed.has(path)) continue
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (!isInside(path) || !listed.has(parent)) {
      throw damaged(archive, `it names ${JSON.stringify(path)}, which is no path in a workspace`)
    }
    if (!isArchived(path)) throw damaged(archive, `it names ${JSON.stringify(path)}, which no backup holds`)
  }
}

function isInside(path: string): boolean {
  if (path.includes('\0') || !path.isWellFormed()) return false
  if (sep === '\\' && /[\\:]/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

export function damaged(path: string, problem: string): DamagedError {
  return new DamagedError(path, problem, ARCHIVE_HINT)
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decodeText(bytes)
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
