// Days and clocks: an entry's file, heading and time come from one reading of the clock, whatever the zone and whatever the
// clock does next; what was written in an order is read in that order, also from the files alone.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { localTime } from '../../src/model/time.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { entriesOf, scratchFolder } from './workspace.mjs'

let root: string
beforeEach(() => {
  root = scratchFolder('clock')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function open(clock: () => number, timezone?: string): Memory {
  const store = filesystemStore({ root, clock, ...(timezone === undefined ? {} : { timezone }) })
  return new Memory(store, 'main', clock)
}

/** Remembers one text at each instant, in this order. */
async function rememberAt(instants: readonly string[], timezone: string): Promise<void> {
  let ms = 0
  const memory = open(() => ms, timezone)
  for (const [n, instant] of instants.entries()) {
    ms = Date.parse(instant)
    await memory.remember(`text ${n}`)
  }
  await memory.close()
}

/** The headings of each day's file, in their order. */
function days(): Record<string, string[]> {
  const folder = join(root, 'agents/main/daily')
  const headings = (name: string) => readFileSync(join(folder, name), 'utf8').match(/^## .*$/gm) ?? []
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name.slice(0, 10), headings(name).map((line) => line.slice(3))]),
  )
}

async function texts(): Promise<string[]> {
  const store = filesystemStore({ root })
  const entries = await entriesOf(store)
  await store.close()
  return entries.map(({ content }) => content)
}

describe('a log', () => {
  const cases: readonly [string, string, readonly string[], Record<string, string[]>][] = [
    [
      'midnight in UTC',
      'UTC',
      ['2026-03-14T23:59:59.999Z', '2026-03-15T00:00:00.000Z'],
      { '2026-03-14': ['23:59'], '2026-03-15': ['00:00'] },
    ],
    [
      'midnight elsewhere',
      'Asia/Kathmandu',
      ['2026-03-14T18:14:59.999Z', '2026-03-14T18:15:00.000Z'],
      { '2026-03-14': ['23:59'], '2026-03-15': ['00:00'] },
    ],
    [
      'the hour that clocks skip',
      'Europe/Berlin',
      ['2026-03-29T00:59:59.999Z', '2026-03-29T01:00:00.000Z'],
      { '2026-03-29': ['01:59', '03:00'] },
    ],
    [
      'the hour that clocks show twice',
      'Europe/Berlin',
      ['2026-10-25T00:30:00.000Z', '2026-10-25T00:59:59.999Z', '2026-10-25T01:00:00.000Z', '2026-10-25T01:30:00.000Z'],
      { '2026-10-25': ['02:30', '02:59', '02:00', '02:30'] },
    ],
    [
      'a midnight that clocks skip',
      'America/Santiago',
      ['2026-09-06T03:59:59.999Z', '2026-09-06T04:00:00.000Z'],
      { '2026-09-05': ['23:59'], '2026-09-06': ['01:00'] },
    ],
    [
      'the end of a year, where it comes first',
      'Pacific/Kiritimati',
      ['2025-12-31T09:59:59.999Z', '2025-12-31T10:00:00.000Z'],
      { '2025-12-31': ['23:59'], '2026-01-01': ['00:00'] },
    ],
    [
      'the end of a year, where it comes last',
      'Pacific/Niue',
      ['2026-01-01T10:59:59.999Z', '2026-01-01T11:00:00.000Z'],
      { '2025-12-31': ['23:59'], '2026-01-01': ['00:00'] },
    ],
    [
      'a leap day',
      'UTC',
      ['2028-02-28T23:59:00.000Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
      { '2028-02-28': ['23:59'], '2028-02-29': ['00:00'], '2028-03-01': ['00:00'] },
    ],
    [
      'one and the same minute',
      'UTC',
      ['2026-03-14T10:00:00.000Z', '2026-03-14T10:00:00.000Z', '2026-03-14T10:00:30.000Z'],
      { '2026-03-14': ['10:00', '10:00', '10:00'] },
    ],
  ]

  it.each(cases)('over %s has each line in the file of its day, in order', async (_, zone, instants, expected) => {
    await rememberAt(instants, zone)
    expect(days()).toEqual(expected)
    const inOrder = instants.map((_, n) => `text ${n}`)
    expect(await texts()).toEqual(inOrder)
    rmSync(join(root, '.state'), { recursive: true })
    expect(await texts()).toEqual(inOrder)
  })

  it('keeps both lines and their order when the clock goes back', async () => {
    await rememberAt(['2026-03-15T00:00:10.000Z', '2026-03-14T23:59:50.000Z', '2026-03-14T22:00:00.000Z'], 'UTC')
    expect(days()).toEqual({ '2026-03-14': ['23:59', '22:00'], '2026-03-15': ['00:00'] })
    expect(await texts()).toEqual(['text 0', 'text 1', 'text 2'])
    rmSync(join(root, '.state'), { recursive: true })
    expect((await texts()).sort()).toEqual(['text 0', 'text 1', 'text 2'])
  })

  it('takes file, heading and expiry from one reading of a clock that leaps at each', async () => {
    let ms = Date.parse('2026-03-14T00:00:00.000Z')
    const leaping = () => (ms += 11 * 3_600_000 + 59 * 60_000 + 7_001)
    const memory = open(leaping, 'Europe/Berlin')
    for (let n = 0; n < 20; n++) {
      const { entry } = await memory.remember(`text ${n}`)
      const { day, time } = localTime(entry.createdAt, 'Europe/Berlin')
      expect(entry.path).toBe(`agents/main/daily/${day}.md`)
      const text = readFileSync(join(root, entry.path ?? ''), 'utf8')
      expect(
        text
          .split(`text ${n}\n`)[0]
          ?.split('\n')
          .findLast((line) => line.startsWith('## ')),
      ).toBe(`## ${time}`)
      const context = (await memory.remember('v', { key: `k ${n}` })).entry
      expect(context.path).toBe(`agents/main/context/${localTime(context.createdAt, 'Europe/Berlin').day}.md`)
      expect(localTime(new Date(Date.parse(context.expiresAt ?? '') - 1).toISOString(), 'Europe/Berlin').day).toBe(
        localTime(context.createdAt, 'Europe/Berlin').day,
      )
    }
    await memory.close()
  })

  it('does not make an entry older when it is changed under a clock that went back', async () => {
    let ms = Date.parse('2026-03-14T12:00:00.000Z')
    const memory = open(() => ms, 'UTC')
    const { entry } = await memory.remember('one', { name: 'note' })
    ms -= 86_400_000
    const changed = (await memory.remember('two', { name: 'note' })).entry
    expect(changed.updatedAt).toBe(entry.updatedAt)
    await memory.close()
  })

  it('gives ids that are apart and in order under a clock that stands still', async () => {
    const memory = open(() => Date.parse('2026-03-14T12:00:00.000Z'), 'UTC')
    const written = await Promise.all(Array.from({ length: 50 }, (_, n) => memory.remember(`text ${n}`)))
    const ids = written.map(({ entry }) => entry.id)
    expect(new Set(ids).size).toBe(50)
    expect([...ids].sort()).toEqual(ids)
    await memory.close()
  })
})
