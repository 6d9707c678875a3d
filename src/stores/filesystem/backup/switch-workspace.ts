/**
 * Puts a restored workspace in the place of the present one, which is kept beside it. A folder can't be exchanged in one call,
 * so the names say where it stopped: `X.restored-TIME` is complete and waits, `X.before-restore-TIME` is the old one. At every
 * moment `X` is the old one or the new one, complete, or missing with both beside it.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type KeepsakeError, StorageError } from '../../../errors.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { acquireLock, type HeldLock } from '../../disk/lock.ts'
import { statFile } from '../../disk/reading.ts'
import { freeName } from '../../disk/second-name.ts'
import { codeOf, syncFolder, wrapped } from '../../disk/system.ts'
import { STATE_FOLDER } from '../layout.ts'

const RESTORED = '.restored-'
const BEFORE = '.before-restore-'
const TRIES = 10

/** Complete workspaces that restores left beside a folder, by name, the oldest first. */
export interface RestoreTraces {
  /** Never came to their place: the program or the machine stopped just then. */
  readonly restored: readonly string[]
  /** Were replaced by a restore. */
  readonly before: readonly string[]
}

export function restoreTraces(root: string): RestoreTraces {
  const names = listFolder(dirname(root))
    .filter((item) => item.isDirectory())
    .map((item) => item.name)
    .sort()
  const withMark = (mark: string): string[] => {
    return names.filter((name) => name.startsWith(basename(root) + mark)).map((name) => join(dirname(root), name))
  }
  return { restored: withMark(RESTORED), before: withMark(BEFORE) }
}

export interface Switch {
  readonly fresh: string
  readonly root: string
  /** The name for what is there now, from nameBefore. */
  readonly before: string
  readonly stamp: string
  readonly lockWaitMs: number
}

/** What the present workspace will be called. */
export function nameBefore(root: string, stamp: string): string {
  return freeName(root + BEFORE + stamp)
}

/** Moves `fresh` to `root`; returns where what was there is now. On failure all is as before. */
export async function switchWorkspace({ fresh, root, before, stamp, lockWaitMs }: Switch): Promise<string[]> {
  const waiting = freeName(root + RESTORED + stamp)
  const aside: string[] = []
  try {
    renameSync(fresh, waiting)
    await syncFolder(dirname(root))
    for (let tries = 1; ; tries++) {
      if (listFolder(root).length > 0) aside.push(await moveAside(root, freeName(before), lockWaitMs))
      try {
        renameSync(waiting, root)
        break
      } catch (error) {
        // Between the two a writer that had waited for the lock has begun a new workspace: that one is kept as well.
        if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '') || tries >= TRIES) throw error
      }
    }
    await syncFolder(dirname(root))
    return aside
  } catch (error) {
    const [first] = aside
    if (first !== undefined && !statFile(root)) renameSync(first, root)
    removeTree(waiting)
    throw switchError(root, error)
  }
}

/** As far as it goes: the error that led here is the one to tell. */
export function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // its name says what it is, and the next restore tells of it or sweeps it
  }
}

/** Under its lock, so that no writer of ours is in the middle. */
async function moveAside(root: string, to: string, lockWaitMs: number): Promise<string> {
  const held = await acquireLock(join(root, STATE_FOLDER, 'lock'), lockWaitMs)
  try {
    renameSync(root, to)
  } catch (error) {
    held.release(outcomeOf(held))
    throw error
  }
  letGoElsewhere(join(to, STATE_FOLDER, 'lock'), held)
  return to
}

/** The lock has moved with its folder. Its own release would look for it at the old place, where another's may be by then. */
function letGoElsewhere(folder: string, held: HeldLock): void {
  try {
    const generations = readdirSync(folder).filter((name) => /^\d+$/.test(name))
    const mine = Math.max(...generations.map(Number))
    renameSync(join(folder, String(mine)), join(folder, `${mine}.${outcomeOf(held)}`))
  } catch {
    // whoever goes back there passes over it, for this process has ended by then
  }
}

/** We did not mend what a crash may have left there; whoever goes back to it does. */
function outcomeOf(held: HeldLock): 'done' | 'undone' {
  return held.inherited ? 'undone' : 'done'
}

function switchError(root: string, error: unknown): KeepsakeError {
  const code = codeOf(error)
  if (code !== 'EBUSY' && code !== 'EXDEV') return wrapped('restoring to', root, error)
  const hint = 'It is where another disk begins and can not be renamed. Restore to a folder inside it.'
  return new StorageError('restoring to', root, error, hint)
}
