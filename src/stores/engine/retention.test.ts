/** How far back the history goes: by days, beyond 30 days by size; and how earlier times are refused. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../../model/entry.ts'
import { apply, applyOne, note, scanned } from '../../testing/requests.ts'
import { type FileStore, fileStore } from '../file/store.ts'

const DAY_MS = 86_400_000
/** The store removes old changes once in so many changes. */
const UPKEEP_INTERVAL = 256

let folder: string
let ms: number
let store: FileStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-retention-'))
  ms = Date.parse('2026-01-01T00:00:00.000Z')
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function open(retentionDays: number, retentionMb: number): FileStore {
  const path = join(folder, 'memory.keepsake')
  store = fileStore({ path, clock: () => ms, timezone: 'UTC', retentionDays, retentionMb })
  return store
}

/** Writes until old changes are removed. Returns the entries after each change, by its number. */
async function writeUntilCut(everyMs: number, content: (n: number) => string): Promise<Map<number, readonly Entry[]>> {
  const states = new Map<number, readonly Entry[]>()
  for (let n = 1; n < UPKEEP_INTERVAL; n++) {
    ms += everyMs
    await write(n, content(n))
    states.set(n, await scanned(store))
  }
  ms += everyMs
  await apply(store, [note('last')])
  states.set(UPKEEP_INTERVAL, await scanned(store))
  // Old changes are removed in the background; two more writes make sure that this is done.
  await apply(store, [note('behind')])
  await apply(store, [note('behind that')])
  return states
}

async function write(n: number, content: string): Promise<void> {
  const [current] = (await store.heads()).filter(({ name }) => name === `note ${n % 10}`)
  if (!current) await applyOne(store, note(`note ${n % 10}`, { content }))
  else if (n % 35 === 0) await apply(store, [{ op: 'remove', id: current.id }])
  else await apply(store, [{ op: 'write', id: current.id, content }])
}

async function checkKept(states: ReadonlyMap<number, readonly Entry[]>, first: number): Promise<void> {
  const numbers = (await store.changes()).map(({ change }) => change.number)
  expect(numbers.at(-1)).toBe(first)
  expect(numbers.at(0)).toBe(UPKEEP_INTERVAL + 2)
  for (const [number, state] of states) {
    if (Math.abs(number - first) > 2 && number % 19 !== 0) continue
    if (number >= first - 1) {
      expect(await store.stateAt(number), `after change ${number}`).toEqual(state)
    } else {
      const refusal = {
        code: 'NOT_FOUND',
        data: { earliest: first - 1 },
        hint: expect.stringContaining(`${first - 1}`),
      }
      await expect(store.stateAt(number), `after change ${number}`).rejects.toMatchObject(refusal)
    }
  }
}

describe('the history', () => {
  it('goes back as many days as its settings say, and refuses earlier times', async () => {
    open(40, 1000)
    const states = await writeUntilCut(DAY_MS, (n) => `text ${n}`)
    const oldest = ms - 40 * DAY_MS
    const first = UPKEEP_INTERVAL - 40
    await checkKept(states, first)
    const image = await store.image()
    expect(image.history.since).toBe(new Date(oldest - DAY_MS).toISOString())
    await image.close()
    const before = new Date(oldest - 2 * DAY_MS).toISOString()
    await expect(store.stateAt(before)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      data: { earliest: image.history.since },
    })
    expect(await store.stateAt(image.history.since ?? '')).toEqual(states.get(first - 1))
  })

  it('beyond 30 days goes back only as far as its size allows', async () => {
    open(3650, 1)
    const states = await writeUntilCut(DAY_MS, (n) => `${n} ${'x'.repeat(15_000)}`)
    const kept = await store.changes()
    const first = kept.at(-1)?.change.number ?? 0
    const bytes = kept
      .flatMap(({ touched }) => touched)
      .reduce((sum, { after }) => sum + JSON.stringify(after ?? '').length, 0)
    expect(first).toBeGreaterThan(2)
    expect(bytes).toBeLessThan(1024 * 1024 + 20_000)
    await checkKept(states, first)
  })

  it('of the last 30 days stays, whatever its size', async () => {
    open(3650, 1)
    const states = await writeUntilCut(60_000, (n) => `${n} ${'x'.repeat(5000)}`)
    await checkKept(states, 1)
  })

  it('restarts the feed for a cursor from before it begins, and keeps old entries', async () => {
    open(30, 1000)
    const { cursor } = await store.feed('now')
    await apply(store, [note('very old')])
    const old = (await store.feed()).cursor
    await writeUntilCut(DAY_MS, (n) => `text ${n}`)
    expect((await store.feed(old)).restarted).toBe(true)
    expect((await store.feed(cursor)).restarted).toBe(true)
    expect((await scanned(store)).map(({ name }) => name)).toContain('very old')
    const id = (await store.resolve('main', 'very old'))?.id ?? ''
    const [first, ...others] = await store.versions([id])
    expect([first?.change, first?.entry?.name, others]).toEqual([undefined, 'very old', []])
  })

  it('forgets an entry that was removed before it begins, and its names', async () => {
    open(30, 1000)
    const { id } = await applyOne(store, note('gone for long'))
    await apply(store, [{ op: 'remove', id }])
    expect(await store.gone({ called: 'gone for long' })).toHaveLength(1)
    await writeUntilCut(DAY_MS, (n) => `text ${n}`)
    expect(await store.gone({ called: 'gone for long' })).toEqual([])
    expect(await store.versions([id])).toEqual([])
  })
})
