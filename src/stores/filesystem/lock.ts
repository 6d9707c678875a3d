/**
 * A lock between processes without heartbeats or native code. Each holder makes the next generation: a link named by a
 * number that only grows, its target the owner, made in one system call. Released, it is renamed to `N.done`.
 * Invariant: the highest generation is never removed, so two processes can't both believe to have made the next one;
 * a dead owner is passed over by making the generation after it, never by removing its own.
 */
import { readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LockedError } from '../../errors.ts'
import { describeOwner, formatOwner, isProvablyDead, type Owner, parseOwner, thisProcess } from './owner.ts'
import { codeOf, makeFolder, wrapped } from './system.ts'

export interface HeldLock {
  /** The owner before us died while it held the lock: what it was doing may be half done. */
  readonly inherited: boolean
  release(): void
}

const heldHere = new Set<string>()

const FIRST_WAIT_MS = 0.5
const LONGEST_WAIT_MS = 8

/** Takes the lock, waiting up to `waitMs` for a living owner; throws LockedError with the owner's name after that. */
export async function acquireLock(folder: string, waitMs: number, signal?: AbortSignal): Promise<HeldLock> {
  const started = performance.now()
  let pause = FIRST_WAIT_MS
  for (;;) {
    signal?.throwIfAborted()
    const { held, owner } = tryLock(folder)
    if (held) return held
    if (performance.now() - started >= waitMs) throw new LockedError(folder, owner, waitMs)
    await sleep(pause + Math.random() * pause)
    pause = Math.min(pause * 1.5, LONGEST_WAIT_MS)
  }
}

/** One try, without waiting: the lock, or who has it. */
export function tryLock(folder: string): { readonly held?: HeldLock; readonly owner: string } {
  const top = newestOf(generations(folder))
  let inherited = false
  if (top && !top.done) {
    const target = ownerOf(folder, top.generation)
    if (target === undefined) return { owner: 'a process that is just letting go' }
    const owner = parseOwner(target)
    if (!owner || !(isProvablyDead(owner) || isLeftOver(folder, top.generation, owner)))
      return { owner: owner ? describeOwner(owner) : `"${target}"` }
    inherited = true
  }
  const mine = (top?.generation ?? 0) + 1
  try {
    symlinkSync(formatOwner(thisProcess()), join(folder, String(mine)))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return { owner: 'another process that was faster' }
    if (codeOf(error) !== 'ENOENT') throw wrapped('locking', folder, error)
    makeFolder(folder)
    return tryLock(folder)
  }
  // Late: others took this very number and let it go, or went on and swept it away, before we made it. It is not the lock.
  const all = generations(folder)
  const newest = newestOf(all)
  if (newest?.generation !== mine || newest.done) {
    remove(join(folder, String(mine)))
    return { owner: 'another process that was faster' }
  }
  for (const old of all) if (old.generation < mine) remove(join(folder, nameOf(old)))
  const token = `${folder}\0${mine}`
  heldHere.add(token)
  return { owner: '', held: { inherited, release: () => release(folder, mine, token) } }
}

/** Never throws: what was done under the lock is done. A generation that could not be renamed is passed over as left over. */
function release(folder: string, mine: number, token: string): void {
  heldHere.delete(token)
  for (let tries = 0; tries < 2; tries++) {
    try {
      renameSync(join(folder, String(mine)), join(folder, `${mine}.done`))
      return
    } catch {
      // tried once more; then the next writer of this process, or its end, frees it
    }
  }
}

/** Ours by name, but nobody here holds it: its release failed. */
function isLeftOver(folder: string, generation: number, owner: Owner): boolean {
  return owner.copy === thisProcess().copy && !heldHere.has(`${folder}\0${generation}`)
}

interface Generation {
  readonly generation: number
  readonly done: boolean
}

function newestOf(all: readonly Generation[]): Generation | undefined {
  let top: Generation | undefined
  for (const found of all) {
    if (!top || found.generation > top.generation || (found.generation === top.generation && found.done)) top = found
  }
  return top
}

function nameOf({ generation, done }: Generation): string {
  return done ? `${generation}.done` : String(generation)
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
    const match = /^([1-9]\d{0,15})(\.done)?$/.exec(name)
    return match ? [{ generation: Number(match[1]), done: match[2] !== undefined }] : []
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
