/**
 * A lock between processes without heartbeats or native code. Each holder makes the next generation: a link named by a
 * number, its target the owner, made in one system call. Released, it is renamed to `N.done`, or to `N.undone` when files
 * that the journal tells of could not be written.
 * Invariant: a link is taken away only by who made it, or when that one is provably gone. So whoever has made one and then looks
 * sees every other that is held: two can't both believe to hold it, also where the folder was removed and begun anew between.
 */
import { readdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isKeepsakeError, LockedError } from '../../errors.ts'
import { type Generation, generations, heldHere, livingOwner, newestOf, ownerOf, remove, sweep } from './lock-folder.ts'
import { formatOwner, thisProcess } from './owner.ts'
import { statFile } from './reading.ts'
import { codeOf, makeFolder, wrapped } from './system.ts'

export interface HeldLock {
  /** Nobody let go of it in good order before us: what was under way, if anything was, may be half done. */
  readonly inherited: boolean
  /** Somebody before us did not let go of it, or left something undone. Not so where nobody held it since its folder was made. */
  readonly leftOpen: boolean
  /** `false` once the folder was deleted or moved away: then it holds nobody off. */
  isHeld(): boolean
  /** `undone`: something that the journal tells of is still to be written to files. */
  release(outcome?: 'done' | 'undone'): void
  /** Lets go and takes the folder away with it. `false`: other things are in it, or somebody came meanwhile, and so it stays. */
  releaseAndRemove(): boolean
}

/** Those of one process that wait for one folder. */
interface Line {
  /** In the order they came; only the first one tries. */
  readonly waiting: object[]
  /** Who had the lock when it was last tried. */
  owner: string
}

const lines = new Map<string, Line>()
/** The last generation of each folder that was let go of here, in good order. */
const letGoHere = new Map<string, number>()
let holdings = 0

const FIRST_WAIT_MS = 0.5
const LONGEST_WAIT_MS = 8
/** Who has waited so long asks often again: one that lets go takes the lock back at once if nobody is awake. */
const PATIENCE_MS = 1000

/**
 * Takes the lock, waiting up to `waitMs` for a living owner; throws LockedError with the owner's name after that. Within a process it
 * goes by turns: one that lets go and comes back at once leaves no moment in which a timer of another could find the lock free.
 */
export async function acquireLock(folder: string, waitMs: number, signal?: AbortSignal): Promise<HeldLock> {
  const line = lines.get(folder) ?? { waiting: [], owner: '' }
  lines.set(folder, line)
  const me = {}
  line.waiting.push(me)
  try {
    return await patientLock(folder, waitMs, { line, isFirst: () => line.waiting[0] === me, signal })
  } finally {
    line.waiting.splice(line.waiting.indexOf(me), 1)
    if (line.waiting.length === 0) lines.delete(folder)
  }
}

interface Waiting {
  readonly line: Line
  readonly isFirst: () => boolean
  readonly signal: AbortSignal | undefined
}

async function patientLock(folder: string, waitMs: number, { line, isFirst, signal }: Waiting): Promise<HeldLock> {
  let started: number | undefined
  let pause = FIRST_WAIT_MS
  for (;;) {
    signal?.throwIfAborted()
    const tried = isFirst() ? tryLock(folder) : undefined
    if (tried?.held) return tried.held
    if (tried) line.owner = tried.owner
    // Only who has to wait needs a clock: Node takes two milliseconds to load it.
    started ??= performance.now()
    const waited = performance.now() - started
    if (waited >= waitMs) throw new LockedError(folder, line.owner, waitMs)
    await sleep(pause + Math.random() * pause)
    pause = waited > Math.min(waitMs / 4, PATIENCE_MS) ? FIRST_WAIT_MS : Math.min(pause * 1.5, LONGEST_WAIT_MS)
  }
}

/**
 * Whether the last holder let go in good order. Asked after reading the journal, it proves that the files of everything
 * read are written: a holder keeps the lock from before it journals until after it has written.
 */
export function wasLeftInOrder(folder: string): boolean {
  return newestOf(generations(folder))?.name.endsWith('.done') ?? false
}

interface Tried {
  readonly held?: HeldLock
  readonly owner: string
}

/** One try, without waiting: the lock, or who has it. */
export function tryLock(folder: string): Tried {
  const last = letGoHere.get(folder)
  if (last === undefined) return tryNext(folder)
  const isStillLast = (all: readonly Generation[]): boolean =>
    all.some(({ generation, done }) => generation === last && done)
  const again = takeAfter(folder, last, isStillLast)
  if (again.held) return again
  letGoHere.delete(folder)
  return tryNext(folder)
}

function tryNext(folder: string): Tried {
  const all = generations(folder)
  const owner = livingOwner(folder, all)
  return owner === undefined ? takeAfter(folder, newestOf(all)?.generation ?? 0, () => true) : { owner }
}

/**
 * Makes the generation after `last`. Whoever let go of the last one itself need not look first: the look afterwards, which
 * there must be anyway, tells by `isSound` whether it was still the last, and let go.
 */
function takeAfter(folder: string, last: number, isSound: (all: readonly Generation[]) => boolean): Tried {
  const mine = last + 1
  // The mark after the owner tells this very holding from any other of the process, by whatever path it came here.
  const target = `${formatOwner(thisProcess())}/${(++holdings).toString(36)}`
  try {
    symlinkSync(target, join(folder, String(mine)))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return { owner: 'another process that was faster' }
    if (codeOf(error) !== 'ENOENT') throw wrapped('locking', folder, error)
    return madeLockFolder(folder) ? tryNext(folder) : { owner: 'a process that is just letting go' }
  }
  // Late: others took this very number and let it go, or went on, before we made it; or they began anew. It is not the lock.
  const all = generations(folder)
  const newest = newestOf(all)
  const others = all.filter(({ generation }) => generation !== mine)
  if (newest?.generation !== mine || newest.done || !isSound(all) || livingOwner(folder, others) !== undefined) {
    remove(join(folder, String(mine)))
    return { owner: 'another process that was faster' }
  }
  sweep(folder, others)
  heldHere.add(target)
  const leftOpen = others.some(({ name }) => !name.endsWith('.done'))
  const held: HeldLock = {
    inherited: others.length === 0 || leftOpen,
    leftOpen,
    isHeld: () => ownerOf(folder, mine) === target,
    release: (outcome = 'done') => release(folder, mine, target, outcome),
    releaseAndRemove: () => releaseAndRemove(folder, mine, target),
  }
  return { owner: '', held }
}

/** `false`: somebody has removed it again, after it was made and before it was looked at. */
function madeLockFolder(folder: string): boolean {
  try {
    makeFolder(folder)
    return true
  } catch (error) {
    const { code, syscall } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException // as makeFolder wraps what it meets
    if (code === 'ENOENT' && syscall !== 'mkdir') return false
    throw error
  }
}

/**
 * Never throws: what was done under the lock is done. A generation that could not be renamed is passed over as left over; one
 * that another process made, in a folder that was deleted and made anew meanwhile, is not ours to let go of.
 */
function release(folder: string, mine: number, target: string, outcome: 'done' | 'undone'): void {
  heldHere.delete(target)
  letGoHere.delete(folder)
  for (let tries = 0; tries < 2; tries++) {
    try {
      if (ownerOf(folder, mine) !== target) return
      renameSync(join(folder, String(mine)), join(folder, `${mine}.${outcome}`))
      if (outcome === 'done') letGoHere.set(folder, mine)
      return
    } catch {
      // tried once more; then the next writer of this process, or its end, frees it
    }
  }
}

/**
 * The own link goes last, and then the folder if it is empty: who made a link in it meanwhile has the lock, and who finds no folder
 * begins anew, at 1. Nobody is told by this that all was left in order: whoever comes next looks for itself.
 */
function releaseAndRemove(folder: string, mine: number, target: string): boolean {
  try {
    const name = String(mine)
    if (ownerOf(folder, mine) === target && readdirSync(folder).every((other) => other === name)) {
      heldHere.delete(target)
      letGoHere.delete(folder)
      unlinkSync(join(folder, name))
      rmdirSync(folder)
      return true
    }
  } catch {
    // somebody was faster, or it can't be removed: then it is only let go of
  }
  release(folder, mine, target, 'done')
  return false
}

/** Takes a lock's folder away where nobody holds it and nothing else is in it. `false`: it is still there, which harms nobody. */
export function removeLock(folder: string): boolean {
  try {
    if (!statFile(folder)) return true
    return tryLock(folder).held?.releaseAndRemove() ?? false
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return false // on a disk that can only be read from
  }
}
