/** Nothing that has expired is returned by any path, whatever the kind, the zone and the clock; and cleanup removes just that. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openMemory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import { defaultExpiry } from '../../src/model/expiry.ts'
import type { Kind } from '../../src/model/kinds.ts'
import { instant, localTime } from '../../src/model/time.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { isNightly } from '../tier.ts'
import { newFolder } from '../tools/bench.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
]

const HOUR_MS = 3_600_000

const FULL_MS = isNightly ? 900_000 : 60_000

describe('the end of a day', () => {
  it.each([
    ['Pacific/Apia', '2011-12-29T12:00:00.000Z', '2011-12-30T10:00:00.000Z', 'the next day is skipped'],
    ['Australia/Lord_Howe', '2026-04-04T12:00:00.000Z', '2026-04-04T13:00:00.000Z', 'half an hour is repeated later'],
    ['America/Sao_Paulo', '2018-11-03T20:00:00.000Z', '2018-11-04T03:00:00.000Z', 'midnight is skipped'],
    ['America/Sao_Paulo', '2018-02-18T02:30:00.000Z', '2018-02-18T03:00:00.000Z', 'the last hour is repeated'],
    [
      'America/Havana',
      '2026-10-31T12:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
      'the first hour of the next is repeated',
    ],
    ['America/St_Johns', '2010-11-07T02:45:00.000Z', '2010-11-07T03:30:00.000Z', 'midnight comes twice, second time'],
    ['Africa/Cairo', '2026-04-23T12:00:00.000Z', '2026-04-23T22:00:00.000Z', 'midnight is skipped'],
  ])('in %s of %s is %s (%s)', (zone, at, end) => {
    expect(defaultExpiry('context', at, zone)).toBe(end)
  })

  it('lies after the moment, and just before it the day is still the same', () => {
    const times = fc.integer({ min: Date.UTC(1973, 0), max: Date.UTC(2040, 0) })
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (zone, ms) => {
        const end = Date.parse(defaultExpiry('context', instant(ms), zone) ?? '')
        const { day } = localTime(instant(ms), zone)
        expect(end - ms).toBeGreaterThan(0)
        expect(end - ms).toBeLessThanOrEqual(26 * HOUR_MS)
        expect(localTime(instant(end - 1), zone).day).toBe(day)
        expect(localTime(instant(end), zone).day).not.toBe(day)
      }),
      { numRuns: 500 },
    )
  })
})

const MORTAL: readonly Kind[] = ['note', 'fact', 'archive', 'experience', 'history', 'conversation', 'context']

interface Life {
  readonly kind: Kind
  readonly ttl: string | undefined
  readonly waitMs: number
}

const life: fc.Arbitrary<Life> = fc.record({
  kind: fc.constantFrom(...MORTAL),
  ttl: fc.constantFrom(undefined, undefined, '45s', '90m', '12h', '3d'),
  waitMs: fc.constantFrom(1000, HOUR_MS, 7 * HOUR_MS, 26 * HOUR_MS),
})

interface World {
  readonly zone: string
  readonly startMs: number
  readonly lives: readonly Life[]
  /** From the moment of the first entry. */
  readonly looks: readonly number[]
}

const world: fc.Arbitrary<World> = fc.record({
  zone: fc.constantFrom(...ZONES),
  startMs: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }),
  lives: fc.array(life, { minLength: 4, maxLength: 7 }),
  looks: fc.array(fc.integer({ min: 0, max: 45 * 24 * HOUR_MS }), { minLength: 2, maxLength: 3 }),
})

/** All there is of an entry in what a path gives. */
function marks(text: string): string[] {
  return [...new Set(text.match(/zq\d+q/g) ?? [])].sort()
}

async function remembered(memory: Memory, { kind, ttl }: Life, mark: string): Promise<Entry> {
  const named = ['note', 'archive'].includes(kind) || (kind === 'fact' && ttl !== undefined)
  const { entry } = await memory.remember(`zebra ${mark} was seen`, {
    kind,
    ...(ttl === undefined ? {} : { ttl }),
    ...(named ? { name: `Name ${mark}`, aliases: [`Alias ${mark}`] } : {}),
    ...(kind === 'context' ? { key: `key ${mark}` } : {}),
  })
  return entry
}

/** What each path that may name several gives; each must give some of those that live, and these must give all. */
async function all(memory: Memory): Promise<Record<string, string>> {
  const json = (value: unknown): string => JSON.stringify(value) ?? ''
  const shown: Record<string, string> = {
    list: json(await memory.list()),
    search: json((await memory.search('zebra', { limit: 50 })).hits),
    'recall QUERY': json(await memory.recall({ query: 'zebra', limit: 50 })),
    recall: json(await memory.recall({ days: 60 })),
    context: json(await memory.context({ message: 'Which zebra was seen?' })),
    'auto-recall': json(await memory.session('s').autoRecall('Which zebra was seen?')),
  }
  for (const preset of ['default', 'agnx', 'reachy', 'crabtalk'] as const) {
    for (const tool of createMemoryTools(memory, memory.agent, { preset })) {
      if (!tool.annotations.readOnlyHint) continue
      const asked = tool.name === 'learn_fact' || tool.name === 'reflect' ? {} : { query: 'zebra', limit: 50 }
      shown[`${preset}.${tool.name}`] = json(await tool.run(preset === 'agnx' ? {} : asked))
    }
  }
  return shown
}

const WHOLE = ['list', 'search', 'recall QUERY', 'default.recall']

async function expectOnly(memory: Memory, entries: readonly Entry[], alive: readonly Entry[]): Promise<void> {
  const wanted = marks(JSON.stringify(alive))
  for (const [path, text] of Object.entries(await all(memory))) {
    const given = marks(text)
    expect([path, given.filter((mark) => !wanted.includes(mark))]).toEqual([path, []])
    if (WHOLE.includes(path)) expect([path, given]).toEqual([path, wanted])
  }
  const heads = (await memory.heads()).map(({ id }) => id)
  expect(heads.toSorted()).toEqual(alive.map(({ id }) => id).toSorted())
  for (const entry of entries) {
    const { id, name, aliases, key, content } = entry
    const lives = alive.includes(entry)
    for (const ref of [id, ...(name === null ? [] : [name]), ...aliases]) {
      expect((await memory.get(ref))?.id).toBe(lives ? id : undefined)
      const found = await Promise.all([memory.find(ref), memory.blame(ref)]).catch((error) => error.message as string)
      if (!lives) expect(found).not.toContain('zebra')
      expect(typeof found === 'string').toBe(!lives)
      const { entry: told, reason } = await memory.whyNot('zebra', ref)
      expect([told?.id, reason === 'expired']).toEqual([lives ? id : undefined, !lives])
    }
    if (key !== undefined) expect(await memory.getContext(key)).toBe(lives ? content : null)
  }
}

async function play({ zone, startMs, lives, looks }: World, store: 'memory' | 'filesystem'): Promise<void> {
  const time = { now: startMs }
  const clock = (): number => time.now
  const workspace = store === 'filesystem' ? newFolder() : ''
  const where =
    store === 'filesystem'
      ? { workspace, timezone: zone }
      : { store: memoryStore({ clock, settings: { timezone: zone } }) }
  const memory = await openMemory({ clock, ...where, embeddingModel: 'none' })
  const entries: Entry[] = []
  for (const [n, one] of lives.entries()) {
    entries.push(await remembered(memory, one, `zq${n}q`))
    time.now += one.waitMs
  }
  const madeMs = time.now
  const aliveAt = (ms: number): Entry[] =>
    entries.filter(({ expiresAt }) => expiresAt === null || ms < Date.parse(expiresAt))
  // In the order they come: the clock also goes back. The index is the one that was made at the first look.
  for (const look of looks) {
    time.now = madeMs + look
    await expectOnly(memory, entries, aliveAt(time.now))
  }
  time.now = madeMs + (looks[0] ?? 0)
  const alive = aliveAt(time.now)
  if (store === 'filesystem') {
    const other = await openMemory({ clock, workspace, embeddingModel: 'none' })
    await expectOnly(other, entries, alive)
    await other.close()
  }
  await memory.as('other').remember('theirs', { name: 'theirs', ttl: '45s' })
  time.now += 1
  const { deleted, entries: gone } = await memory.cleanup()
  const dead = entries.filter((entry) => !aliveAt(time.now).includes(entry))
  expect([deleted, gone.map(({ id }) => id).toSorted()]).toEqual([dead.length, dead.map(({ id }) => id).toSorted()])
  expect(await memory.as('other').get('theirs')).toBeDefined()
  const there: string[] = []
  for await (const { id } of memory.store.scan({ scopes: ['main'] })) there.push(id)
  expect(there.toSorted()).toEqual(
    aliveAt(time.now)
      .map(({ id }) => id)
      .toSorted(),
  )
  // What was alive at an earlier moment is so when that is asked for, though it is gone by now.
  const then = madeMs + 1
  const past = await memory.asOf(instant(then))
  expect((await past.list()).map(({ id }) => id)).toEqual(aliveAt(then).map(({ id }) => id))
  await memory.close()
}

describe('what has expired', () => {
  it.each([
    ['memory', 8],
    ['filesystem', 2],
  ] as const)(
    'is returned by no path of the %s store, and removed by cleanup',
    async (store, runs) => {
      const numRuns = isNightly ? runs * 30 : runs
      await fc.assert(
        fc.asyncProperty(world, (one) => play(one, store)),
        { numRuns, endOnFailure: true },
      )
    },
    FULL_MS,
  )
})
