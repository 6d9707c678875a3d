/**
 * A lock between processes without heartbeats or native code. Each holder makes the next generation: a link named by a
 * number that only grows, its target the owner, made in one system call. Released, it is renamed to `N.done`, or to
 * `N.undone` when files that the journal tells of could not be written.
 * Invariant: the highest generation is never removed, so two processes can't both believe to have made the next one;
 * a dead owner is passed over by making the generation after it, never by removing its own.
 */
import { readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LockedError } from '../../errors.ts'
import { describeOwner, formatOwner, isProvablyDead, parseOwner, thisProcess } from './owner.ts'
import { codeOf, makeFolder, wrapped } from './system.ts'

export interface HeldLock {
  /** Nobody let go of it in good order before us: what was under way, if anything was, may be half done. */
  readonly inherited: boolean
  /** `false` once the folder was deleted or moved away: then it holds nobody off. */
  isHeld(): boolean
  /** `undone`: something that the journal tells of is still to be written to files. */
  release(outcome?: 'done' | 'undone'): void
}

/** Those of one process that wait for one folder. */
interface Line {
  /** In the order they came; only the first one tries. */
  readonly waiting: object[]
  /** Who had the lock when it was last tried. */
  owner: string
}

const heldHere = new Set<string>()
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
  const again = takeAfter(folder, last, false, isStillLast)
  return again.held ? again : tryNext(folder)
}

function tryNext(folder: string): Tried {
  const top = newestOf(generations(folder))
  let inherited = top === undefined || top.name.endsWith('.undone')
  if (top && !top.done) {
    const target = ownerOf(folder, top.generation)
    if (target === undefined) return { owner: 'a process that is just letting go' }
    const owner = parseOwner(target.split('/')[0] ?? '')
    if (!owner || !(isProvablyDead(owner) || isLeftOver(target)))
      return { owner: owner ? describeOwner(owner) : `"${target}"` }
    inherited = true
  }
  return takeAfter(folder, top?.generation ?? 0, inherited, () => true)
}

/**
 * Makes the generation after `last`. Whoever let go of the last one itself need not look first: the look afterwards, which
 * there must be anyway, tells by `isSound` whether it was still the last, and let go.
 */
function takeAfter(
  folder: string,
  last: number,
  inherited: boolean,
  isSound: (all: readonly Generation[]) => boolean,
): Tried {
  const mine = last + 1
  // The mark after the owner tells this very holding from any other of the process, by whatever path it came here.
  const target = `${formatOwner(thisProcess())}/${++holdings}`
  try {
    symlinkSync(target, join(folder, String(mine)))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return { owner: 'another process that was faster' }
    if (codeOf(error) !== 'ENOENT') throw wrapped('locking', folder, error)
    makeFolder(folder)
    return tryNext(folder)
  }
  // Late: others took this very number and let it go, or went on and swept it away, before we made it. It is not the lock.
  const all = generations(folder)
  const newest = newestOf(all)
  if (newest?.generation !== mine || newest.done || !isSound(all)) {
    remove(join(folder, String(mine)))
    return { owner: 'another process that was faster' }
  }
  for (const old of all) if (old.generation < mine) remove(join(folder, old.name))
  heldHere.add(target)
  const held: HeldLock = {
    inherited,
    isHeld: () => ownerOf(folder, mine) === target,
    release: (outcome = 'done') => release(folder, mine, target, outcome),
  }
  return { owner: '', held }
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

/** Ours by name, but nobody here holds it: its release failed. */
function isLeftOver(target: string): boolean {
  return parseOwner(target.split('/')[0] ?? '')?.copy === thisProcess().copy && !heldHere.has(target)
}

interface Generation {
  readonly generation: number
  /** Whether its owner has let go. */
  readonly done: boolean
  readonly name: string
}

function newestOf(all: readonly Generation[]): Generation | undefined {
  let top: Generation | undefined
  for (const found of all) {
    if (!top || found.generation > top.generation || (found.generation === top.generation && found.done)) top = found
  }
  return top
}

function generations(folder: string): Generation[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw wrapped('reading', folder, error)
  }
  return names.flatMap((name) => {
    const match = /^([1-9]\d{0,15})(\.done|\.undone)?$/.exec(name)
    return match ? [{ generation: Number(match[1]), done: match[2] !== undefined, name }] : []
  })
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    // Left for the next sweep: a stale lower generation harms nobody, and a lock must not fail for it.
    if (codeOf(error) === undefined) throw error
  }
}

function ownerOf(folder: string, generation: number): string | undefined {
  try {
    return readlinkSync(join(folder, String(generation)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw wrapped('reading', join(folder, String(generation)), error)
  }
}
