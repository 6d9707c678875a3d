/**
 * A folder that is there whole or not at all: it is filled beside its place and moved there when it is good. What an earlier run that was
 * killed has left is removed by the next one.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { KeepsakeError, StorageError } from '../../errors.ts'

/** `fill` gets an empty folder; when it throws, or the process is stopped, `place` is as it was. */
export async function fillPlace(place: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const parent = dirname(place)
  const folder = join(parent, `${basename(place)}.new-${process.pid}-${randomBytes(4).toString('hex')}`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const stopped = (): never => process.exit(143)
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    await removeLeftovers(place)
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    throw failed('making', folder, error)
  }
  process.on('exit', remove)
  process.on('SIGTERM', stopped)
  process.on('SIGHUP', stopped)
  try {
    await fill(folder)
    await takePlace(folder, place)
  } finally {
    process.off('exit', remove)
    process.off('SIGTERM', stopped)
    process.off('SIGHUP', stopped)
    remove()
  }
}

/** What is there is moved aside first: a folder with something in it is never replaced by a rename. */
async function takePlace(folder: string, place: string): Promise<void> {
  const aside = `${folder}.old`
  try {
    const wasThere = await rename(place, aside).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT') return false
        throw error
      },
    )
    await rename(folder, place).catch(async (error: unknown) => {
      if (wasThere) await rename(aside, place)
      throw error
    })
    // A program that has it open on Windows keeps it; the next run removes it.
    await rm(aside, { recursive: true, force: true }).catch(() => undefined)
  } catch (error) {
    throw failed('moving', folder, error)
  }
}

/** Only of runs that have ended: another may be at work now. */
async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(dirname(place))) {
    const pid = name.startsWith(`${basename(place)}.new-`) ? /\.new-(\d+)-/.exec(name)?.[1] : undefined
    if (pid === undefined || isRunning(Number(pid))) continue
    await rm(join(dirname(place), name), { recursive: true, force: true, maxRetries: 3 })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid !== process.pid
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Where the system does not tell how much room there is, it is tried. */
export async function requireRoom(folder: string, megabytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }))
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  if (freeMb >= megabytes) return
  throw new KeepsakeError('IO', `there is no room for it: ${megabytes} MB are needed, ${freeMb} MB are free`, {
    hint: 'Make room on the disk of the home folder, and try again.',
    data: { folder, freeMb },
  })
}

function failed(action: string, path: string, error: unknown): KeepsakeError {
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new KeepsakeError('READ_ONLY', `${path} can't be written: it is read-only for this user`, {
      hint: 'Check the owner and mode of the folder above it. "keepsake setup --folder" says which one is meant.',
      data: { path },
      cause: error,
    })
  }
  return new StorageError(action, path, error, 'Check what lies at that place, and whether this user may write there.')
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
