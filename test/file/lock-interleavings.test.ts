// The lock's own code, run by several actors that interrupt each other before any of its system calls: each has modules of its own,
// as a process has, and while one stands still others take the lock, let go of it, remove its folder and begin anew. Some die.
// Which ones and where is random by a seed, so that what fails can be played again. Stopping processes from outside
// hardly ever meets the moments that are met here thousands of times.

import fs, { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { HeldLock } from '../../src/stores/disk/lock.ts'
import { isNightly, seed } from '../tier.ts'

const RUN_MS = isNightly ? 120_000 : 500
const ACTORS = 4
const STEPS = 25
const DEEPEST = 3
const DEAD_PID = 2 ** 22 + 1 // above the highest pid that Linux gives
const CALLS = [
  'symlinkSync',
  'readdirSync',
  'readlinkSync',
  'renameSync',
  'unlinkSync',
  'rmdirSync',
  'mkdirSync',
  'lstatSync',
  'statSync',
] as const

interface Actor {
  readonly lock: typeof import('../../src/stores/disk/lock.ts')
  readonly owner: typeof import('../../src/stores/disk/owner.ts')
  held: HeldLock | undefined
  isBusy: boolean
  isDying: boolean
}

const real = { readdirSync, readlinkSync, symlinkSync, unlinkSync }
const originals = CALLS.map((name) => [name, fs[name]] as const)
let root: string
let folder: string
let actors: Actor[]
let random: () => number
let acting: Actor[] = []

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-interleavings-'))
  actors = []
  for (let n = 0; n < ACTORS; n++) {
    vi.resetModules()
    const lock = await import('../../src/stores/disk/lock.ts')
    const owner = await import('../../src/stores/disk/owner.ts')
    owner.thisProcess()
    actors.push({ lock, owner, held: undefined, isBusy: false, isDying: false })
  }
  for (const [name, original] of originals) {
    const call = original as (...given: unknown[]) => unknown // each of them is one
    Reflect.set(fs, name, (...given: unknown[]) => {
      if (given.some((path) => typeof path === 'string' && path.startsWith(root))) interrupt()
      return call(...given)
    })
  }
  syncBuiltinESMExports()
})
afterAll(() => {
  for (const [name, original] of originals) Reflect.set(fs, name, original)
  syncBuiltinESMExports()
  rmSync(root, { recursive: true, force: true })
})

/** Before a system call of whoever acts. */
function interrupt(): void {
  const actor = acting.at(-1)
  if (!actor) return
  if (random() < 0.004) actor.isDying = true
  if (actor.isDying) throw new Error('killed')
  while (acting.length < DEEPEST && random() < 0.25) act()
}

/** One deed of one who is not at something already. */
function act(): void {
  const idle = actors.filter(({ isBusy }) => !isBusy)
  const actor = idle[Math.floor(random() * idle.length)]
  if (!actor) return
  actor.isBusy = true
  acting.push(actor)
  try {
    if (actor.held) letGo(actor, actor.held)
    else if (random() < 0.25) actor.lock.removeLock(folder)
    else take(actor)
  } catch (error) {
    if (!actor.isDying) throw error
  } finally {
    acting.pop()
    actor.isBusy = false
    if (actor.isDying) bury(actor)
  }
}

function take(actor: Actor): void {
  const { held } = actor.lock.tryLock(folder)
  if (!held || actor.isDying) return
  expect(actors.filter((other) => other.held)).toEqual([])
  actor.held = held
}

function letGo(actor: Actor, held: HeldLock): void {
  const others = acting.splice(0) // the look itself is not interrupted
  expect(held.isHeld()).toBe(true)
  acting.push(...others)
  actor.held = undefined
  if (random() < 0.5) held.release()
  else held.releaseAndRemove()
}

/** What a dead one leaves can be told to be a dead one's. Its modules serve the next one. */
function bury(actor: Actor): void {
  const { copy } = actor.owner.thisProcess()
  actor.isDying = false
  actor.held = undefined
  const others = acting.splice(0)
  for (const name of existsSync(folder) ? real.readdirSync(folder) : []) {
    const [owner] = real.readlinkSync(join(folder, name)).split('/')
    if (name.includes('.') || actor.owner.parseOwner(owner ?? '')?.copy !== copy) continue
    real.unlinkSync(join(folder, name))
    const dead = { ...actor.owner.thisProcess(), copy: 'ffffffff', pid: DEAD_PID }
    real.symlinkSync(actor.owner.formatOwner(dead), join(folder, name))
  }
  acting.push(...others)
}

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

it('is held by one at a time wherever a holder, a taker or a remover is interrupted, and leaves nothing behind', {
  timeout: isNightly ? 1_800_000 : 60_000,
}, () => {
  const until = performance.now() + RUN_MS
  for (let run = 0; performance.now() < until; run++) {
    random = seeded(seed + run)
    folder = join(root, `lock-${run}`)
    try {
      for (let step = 0; step < STEPS; step++) act()
      for (const actor of actors) {
        actor.held?.release()
        actor.held = undefined
      }
      expect(actors[0]?.lock.removeLock(folder)).toBe(true)
      expect(existsSync(folder)).toBe(false)
    } catch (error) {
      throw new Error(`seed ${seed + run}: ${String(error)}`, { cause: error })
    } finally {
      acting = []
    }
  }
})
