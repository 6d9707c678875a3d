/**
 * Several writers on one log in RAM, thousands of appends in small worlds: requests take turns at random, fail before or after they took
 * effect, or take effect long after; writers append behind what they read long ago, give up, or stop in the middle for good.
 * What the writers were told is held against what the log says in the end. A world that fails is played again with KEEPSAKE_SEED.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { LogRecord } from '../../src/stores/chroma/log/log-record.ts'
import { NumberedLog } from '../../src/stores/chroma/log/numbered-log.ts'
import { isNightly, seed } from '../tier.ts'
import { noAnswer, RamShelf, type Request, type Troubles, unreachable } from './ram-shelf.ts'
import { seeded } from './seeded.ts'

const WORLDS = isNightly ? 1500 : 15
const AT_ONCE = isNightly ? 50 : 15
const WRITERS = 4
const APPENDS = 12
const PLACE = { generation: 'g', kind: 'c', prefix: 'g/c/' }
/** Twice what fits in a record. */
const LONG = 'so it goes on, and on… '.repeat(2500)

type Told = 'won' | 'unknown' | 'certainly not'

interface World {
  readonly random: () => number
  readonly shelf: RamShelf
  /** What became of each append, by what it says. One that was cut off tells nothing. */
  readonly told: Map<string, { readonly told: Told; readonly position: number }>
  /** What anybody ever read at a position. */
  readonly seen: Map<number, string>
  /** Requests that arrive when all writers are through. */
  readonly latest: (() => void)[]
  /** All up to here are erased. */
  erasedUpTo: number
  losses: number
}

describe(`a numbered log (seeds from ${seed})`, () => {
  it(`keeps what was acknowledged, once and in one row: ${WORLDS} worlds`, { timeout: 600_000 }, async () => {
    const counts = { won: 0, lost: 0, unknown: 0, 'certainly not': 0 }
    for (let next = seed; next < seed + WORLDS; next += AT_ONCE) {
      const worlds = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => play(next + n)))
      for (const { told, losses } of worlds) {
        for (const one of told.values()) counts[one.told]++
        counts.lost += losses
      }
    }
    console.log(`appends in RAM: ${JSON.stringify(counts)}`)
    // Else the worlds are too quiet to show anything.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(WORLDS / 2)
  })
})

async function play(seed: number): Promise<World> {
  const world: World = {
    random: seeded(seed),
    shelf: new RamShelf(),
    told: new Map(),
    seen: new Map(),
    latest: [],
    erasedUpTo: 0,
    losses: 0,
  }
  try {
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, lane) => writeAll(world, lane)))
    if (seed % 3 === 0) await eraseUntil(world, writing)
    await writing
    await check(world)
    for (const arrive of world.latest) arrive()
    await turn()
    await check(world)
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  return world
}

/** One writer after the other: each is stopped for good at some request, and the next one knows nothing of it. */
async function writeAll(world: World, lane: number): Promise<void> {
  const texts = Array.from({ length: APPENDS }, (_, n) => `${lane}-${n} ${world.random() < 0.08 ? LONG : ''}`)
  while (texts.length > 0) {
    await new Promise<void>((ended, failed) => {
      const troubles = troublesOf(world, ended)
      new Writer(world, world.shelf.another(troubles)).write(texts).then(ended, failed)
    })
  }
}

class Writer {
  readonly #world: World
  readonly #log: NumberedLog
  #known: { position: number; tag?: string } = { position: 0 }

  constructor(world: World, shelf: RamShelf) {
    this.#world = world
    this.#log = new NumberedLog(shelf, PLACE)
  }

  async write(texts: string[]): Promise<void> {
    for (let text = texts.shift(); text !== undefined; text = texts.shift()) {
      // Now and then it appends behind what it read long ago: that must only lose.
      if (this.#world.random() < 0.8) await this.#catchUp()
      await this.#append(text)
    }
  }

  async #append(text: string): Promise<void> {
    const { told } = this.#world
    for (;;) {
      const position = this.#known.position + 1
      const tag = crypto.randomUUID()
      try {
        const outcome = await this.#log.append(position, text, { tag, patienceMs: this.#world.random() < 0.7 ? 0 : 60 })
        if (outcome === 'lost') {
          this.#world.losses++
          await this.#catchUp()
          continue
        }
        told.set(text, { told: 'won', position })
        this.#known = { position, tag }
      } catch (error) {
        if (!isKeepsakeError(error)) throw error
        told.set(text, { told: error.data['unknown'] === true ? 'unknown' : 'certainly not', position })
      }
      return
    }
  }

  async #catchUp(): Promise<void> {
    try {
      const { position, tag } = this.#known
      const records = await (tag === undefined ? this.#log.read(position) : this.#log.follow({ position, tag }))
      // As from a snapshot: at or behind the erased ones.
      if (!records) this.#known = { position: this.#world.erasedUpTo }
      for (const record of records ?? []) {
        see(this.#world, record)
        this.#known = record
      }
    } catch (error) {
      if (!isKeepsakeError(error)) throw error // it goes on with what it knows
    }
  }
}

async function eraseUntil(world: World, writing: Promise<unknown>): Promise<void> {
  let isOver = false
  void writing.finally(() => {
    isOver = true
  })
  const log = new NumberedLog(world.shelf, PLACE)
  while (!isOver) {
    const records = (await log.read(world.erasedUpTo)) ?? []
    const some = records.slice(0, Math.floor(world.random() * (records.length + 1)))
    for (const record of some) see(world, record)
    world.erasedUpTo += some.length
    await log.erase(some)
    for (let turns = world.random() * 50; turns > 0; turns--) await turn()
  }
}

function see({ seen }: World, { position, text }: LogRecord): void {
  const before = seen.get(position)
  if (before !== undefined && before !== text)
    throw new Error(`at ${position} stands "${text.slice(0, 9)}" for "${before.slice(0, 9)}"`)
  seen.set(position, text)
}

function troublesOf(world: World, stopped: () => void): Troubles {
  const { random } = world
  const meddle = async (request: Request, failure: (request: Request) => Error): Promise<void> => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn()
    if (random() < 0.004) {
      stopped()
      await new Promise(() => undefined)
    }
    if (random() < 0.06) throw failure(request)
  }
  return {
    before: (request) => meddle(request, unreachable),
    after: (request) => meddle(request, request.name === 'add' ? noAnswer : unreachable),
    late: (request) => (request.name === 'add' && random() < 0.06 ? lateBy(world) : undefined),
  }
}

/** Soon, when its writer is gone, or when all are. */
function lateBy({ random, latest }: World): Promise<void> {
  if (random() < 0.3) return new Promise((arrive) => latest.push(arrive))
  return (async () => {
    for (let turns = random() * 300; turns > 0; turns--) await turn()
  })()
}

async function check(world: World): Promise<void> {
  const { shelf, told, seen, erasedUpTo } = world
  const log = new NumberedLog(shelf, PLACE)
  for (const record of (await log.read(erasedUpTo)) ?? []) see(world, record)
  const row = [...seen.values()]
  const numbered = [...shelf.records.values()].filter(({ labels }) => labels['kind'] === 'c')
  expect(numbered.length, 'no record stands apart').toBe(row.length)
  expect(await log.last()).toBe(row.length)
  expect(new Set(row).size, 'none is there twice').toBe(row.length)
  for (const [text, { told: outcome, position }] of told) {
    const what = `${text.slice(0, 9)}, ${outcome} at ${position}`
    if (outcome === 'won') expect(seen.get(position), what).toBe(text)
    if (outcome === 'certainly not') expect(row.includes(text), what).toBe(false)
  }
}
