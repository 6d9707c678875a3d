/**
 * A client's file on disk. It is replaced as a whole or not at all: written beside itself and renamed, with its mode and
 * owner, where a link leads to. What another program wrote meanwhile is not overwritten.
 */
import {
  access,
  chown,
  constants,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { DamagedError, KeepsakeError } from '../../errors.ts'
import type { Place } from './clients.ts'

export interface ConfigFile {
  /** As the client calls it. */
  readonly path: string
  /** This folder and those above it are not ours to remove. */
  readonly base: string
  /** Undefined: there is none. */
  readonly text: string | undefined
}

export const LEFT = 'It was left as it is.'

export async function readConfigFile({ base, files }: Place): Promise<ConfigFile> {
  const paths = files.map((file) => resolve(base, file))
  for (const path of paths) {
    const text = await textOf(path)
    if (text !== undefined) return { path, base, text }
  }
  return { path: paths[0] ?? base, base, text: undefined }
}

async function textOf(path: string): Promise<string | undefined> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw unreadable(path, cause)
    if (await isLink(path)) throw new DamagedError(path, 'it is a link to a file that is not there', LEFT)
    return undefined
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new DamagedError(path, 'it is not UTF-8 text', LEFT)
  }
}

/** `after` undefined: the file goes, and the folders below the base that are empty without it. `mode`: for a new file. */
export async function writeConfigFile(file: ConfigFile, after: string | undefined, mode?: number): Promise<void> {
  try {
    if (after === undefined) await removeFile(file)
    else if (file.text === undefined) await createFile(file, after, mode)
    else await replaceFile(file, after)
  } catch (cause) {
    if (cause instanceof KeepsakeError) throw cause
    throw unwritable(file.path, cause)
  }
}

/** Says what is in the way of writing it, where that can be told before. */
export async function checkWritable({ path, text }: ConfigFile): Promise<void> {
  try {
    if (text === undefined) return await access(await nearestFolder(dirname(path)), constants.W_OK)
    const target = await realpath(path)
    await access(target, constants.W_OK)
    await access(dirname(target), constants.W_OK)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function createFile({ path }: ConfigFile, text: string, mode?: number): Promise<void> {
  const made = await mkdir(dirname(path), { recursive: true })
  try {
    await writeNew(path, text, mode)
  } catch (error) {
    if (made !== undefined) await removeEmptyFolders(dirname(path), dirname(made))
    throw codeOf(error) === 'EEXIST' ? changedMeanwhile(path) : error
  }
}

async function replaceFile({ path, text: before }: ConfigFile, after: string): Promise<void> {
  const target = await realpath(path)
  await access(target, constants.W_OK)
  const { mode, uid, gid } = await stat(target)
  const temporary = join(dirname(target), `.keepsake-install-${process.pid}.tmp`)
  try {
    await writeNew(temporary, after, mode & 0o7777)
    const own = await stat(temporary)
    // Only root may give a file away; for others the owner is the same.
    if (own.uid !== uid || own.gid !== gid) await chown(temporary, uid, gid).catch(() => undefined)
    if ((await textOf(path)) !== before) throw changedMeanwhile(path)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function removeFile({ path, base, text }: ConfigFile): Promise<void> {
  const target = await realpath(path)
  await access(target, constants.W_OK)
  if ((await textOf(path)) !== text) throw changedMeanwhile(path)
  await rm(target)
  await removeEmptyFolders(dirname(path), base)
}

async function writeNew(path: string, text: string, mode?: number): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    if (mode !== undefined) await handle.chmod(mode) // what the umask has taken
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeEmptyFolders(folder: string, base: string): Promise<void> {
  const below = relative(base, folder)
  if (below === '' || below === '..' || below.startsWith(`..${sep}`)) return
  try {
    await rmdir(folder)
  } catch {
    return // something else is in it
  }
  await removeEmptyFolders(dirname(folder), base)
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

function changedMeanwhile(path: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${path} was changed by another program just now`, {
    hint: `${LEFT} Run the command again.`,
    data: { path },
  })
}

function unreadable(path: string, cause: unknown): KeepsakeError {
  return new KeepsakeError('IO', `${path} can't be read: ${reasonOf(cause)}`, {
    hint: 'Check its owner and mode, or add the entry by hand: --print shows it.',
    data: { path },
    cause,
  })
}

function unwritable(path: string, cause: unknown): KeepsakeError {
  const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(cause) ?? '')
  const problem = isForbidden ? 'the file or its folder is read-only for this user' : reasonOf(cause)
  return new KeepsakeError(isForbidden ? 'READ_ONLY' : 'IO', `${path} can't be written: ${problem}`, {
    hint: `${LEFT} Check its owner and mode, or edit it by hand; "keepsake install" with --print shows what is written there.`,
    data: { path },
    cause,
  })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
