/** A fold changes nothing that anybody can ask for: for this process, for others, and for who was reading when it came. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../errors.ts'
import { pastStore } from '../../history/past-store.ts'
import type { Applied, Movable, Store } from '../../ports/store.ts'
import { collected } from '../../testing/images.ts'
import { randomOperations } from '../../testing/random-operations.ts'
import { apply, applyOne, experience, note, scanned } from '../../testing/requests.ts'
import { memoryStore } from '../memory.ts'
import { type FileStore, fileStore } from './store.ts'

const DAY_MS = 86_400_000

let folder: string
let path: string
let ms: number
const opened: Store[] = []

function open(options: { readonly retentionMb?: number } = {}): FileStore {
  const store = fileStore({ path, clock: () => ms, timezone: 'UTC', ...options })
  opened.push(store)
  return store
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-fold-'))
  path = join(folder, 'memory.keepsake')
  ms = Date.parse('2026-03-14T09:26:53.589Z')
})

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('folding', () => {
  it.each([11, 12])(
    'leaves every answer as it was, over random batches, folds and restarts (seed %i)',
    async (seed) => {
      let store = open()
      const oracle = memoryStore({ clock: () => ms, settings: await store.settings() })
      const other = open()
      const source = randomOperations(seed, 120)
      let turn = source.next()
      for (let n = 1; !turn.done; n++) {
        ms += 1500
        const { batch, expect: expected } = turn.value
        const applied = await attempted(() => store.apply(batch, expected ? { expect: expected } : {}))
        if (applied?.change) {
          await oracle.apply({ ...batch, operations: applied.change.operations })
          if (n % 5 === 0) await store.sessions.append('main', `s ${n % 3}`, [{ n }])
          if (n % 5 === 0) await oracle.sessions.append('main', `s ${n % 3}`, [{ n }])
        }
        if (n % 13 === 0) await store.fold()
        if (n % 31 === 0) {
          await store.close()
          store = open()
        }
        if (n % 20 === 0) await expectSame(other, store)
        turn = source.next(applied?.entries)
      }
      await store.fold()
      await expectSame(store, oracle)
      await expectSame(other, oracle)
      await expectSame(open(), oracle)
    },
  )

  it('comes by itself when much was appended, and the file opens with little behind its catalogue', async () => {
    const store = open()
    const before = new Set<number>()
    for (let n = 0; n < 30; n++) {
      await apply(store, [note(`n ${n}`, { content: 'x'.repeat(100_000) })])
      before.add(statSync(path).ino)
    }
    await store.close()
    expect(before.size).toBeGreaterThan(2)
    const again = open()
    expect((await scanned(again)).map(({ content }) => content.length)).toEqual(Array(30).fill(100_000))
    expect([...(await again.history()).changes]).toHaveLength(30)
  })

  it('lets who reads bit by bit go on with what there was', async () => {
    const store = open()
    await apply(store, [note('a'), note('b'), note('c')])
    const history = await store.history()
    const image = await store.image()
    const names: unknown[] = []
    for await (const { name } of store.scan()) {
      names.push(name)
      await apply(store, [note(`more ${names.length}`)])
      await store.fold()
      await store.fold()
    }
    expect(names).toEqual(['a', 'b', 'c'])
    expect([...history.changes]).toHaveLength(1)
    expect((await collected(image)).entries).toHaveLength(3)
    expect(await scanned(store)).toHaveLength(6)
  })

  it.skipIf(!existsSync('/proc/self/fd'))(
    'keeps no file open for a history that was read to its end or left, nor for anything once it is closed',
    async () => {
      const store = open()
      await apply(store, [note('a')])
      const [before, held] = [descriptors(), await store.history()]
      for (let n = 0; n < 20; n++) {
        const { changes } = await store.history()
        if (n % 2 === 0) expect([...changes]).toHaveLength(1)
        else for (const _ of changes) break
        await store.fold()
      }
      expect(descriptors() - before).toBeLessThan(5)
      for (let n = 0; n < 20; n++) {
        await store.image()
        await store.fold()
      }
      await store.close()
      expect(descriptors()).toBeLessThan(before)
      expect(() => [...held.changes]).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    },
  )

  it('tells an error of the clock, and keeps all where more days are to be kept than there were', async () => {
    const store = fileStore({ path, clock: () => ms, timezone: 'UTC', retentionDays: 1_000_000_000 })
    opened.push(store)
    await apply(store, [note('a')])
    await store.fold()
    expect([...(await store.history()).changes]).toHaveLength(1)
    ms = Number.NaN
    await expect(apply(store, [note('b')])).rejects.toThrow(RangeError)
  })

  it('keeps what was derived, the mode of the file, and leaves nothing beside it', async () => {
    const store = open()
    await apply(store, [note('a')])
    await store.derived.write('index', new Uint8Array([1, 2, 3]))
    await store.derived.write('index', new Uint8Array([4, 5]))
    const { cursor } = await store.changes('now')
    await store.fold()
    expect([...((await store.derived.read('index')) ?? [])]).toEqual([4, 5])
    expect((await store.changes('now')).cursor).toEqual(cursor)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await store.close()
    expect(readdirSync(folder)).toEqual(['memory.keepsake'])
  })
})

describe('the past that is kept', () => {
  it('goes back as far as it is to be kept, and not further, and what was there then is told', async () => {
    const store = open()
    const a = await applyOne(store, note('a', { content: 'the first text' }))
    await apply(store, [experience('an old line'), note('gone', { content: 'a text that is gone' })])
    const gone = await store.resolve('main', 'gone')
    ms += DAY_MS
    await apply(store, [
      { op: 'remove', id: gone?.id ?? '' },
      { op: 'rename', id: a.id, name: 'b' },
    ])
    const cutAt = new Date(ms).toISOString()
    ms += 60 * DAY_MS
    const written = await applyOne(store, { op: 'write', id: a.id, content: 'the second text' })
    await store.fold()
    expect((await store.history()).since).toBe(undefined)
    ms += 31 * DAY_MS
    const cursor = (await store.changes('now')).cursor
    await store.fold()
    const history = await store.history()
    expect(history.since).toBe(cutAt)
    expect(history.entries.map(({ name, content }) => [name, content])).toEqual([
      ['b', 'the first text'],
      [null, 'an old line'],
    ])
    expect([...history.changes].map(({ change, touched }) => [change.number, touched[0]?.after?.content])).toEqual([
      [4, 'the second text'],
    ])
    expect(readFileSync(path).includes('a text that is gone')).toBe(false)
    expect(await store.changes(cursor)).toMatchObject({ changes: [], restarted: false })
    expect(await store.changes({ ...cursor, number: 1 })).toMatchObject({ restarted: true })
    expect((await store.changes({ ...cursor, number: 3 })).changes.map(({ number }) => number)).toEqual([4])
    for (const one of [store, open()]) {
      expect(await one.get(a.id)).toEqual(written)
      expect((await scanned(one)).map(({ content }) => content)).toEqual(['the second text', 'an old line'])
    }
    const past = pastStore(history, cutAt, await store.settings())
    expect((await scanned(past)).map(({ content }) => content)).toEqual(['the first text', 'an old line'])
    await store.fold()
    expect([...(await open().history()).changes]).toHaveLength(1)
  })

  it('is cut for its size only where it is older than thirty days', async () => {
    const store = open({ retentionMb: 1 })
    const long = 'a long text.'.repeat(50_000)
    await apply(store, [note('a', { content: long })])
    ms += 20 * DAY_MS
    await apply(store, [note('b', { content: long })])
    await store.fold()
    expect((await store.history()).since).toBe(undefined)
    ms += 15 * DAY_MS
    await store.fold()
    expect([...(await store.history()).changes].map(({ change }) => change.number)).toEqual([2])
    expect((await scanned(store)).map(({ content }) => content === long)).toEqual([true, true])
  })
})

function descriptors(): number {
  return readdirSync('/proc/self/fd').length
}

async function attempted(run: () => Promise<Applied>): Promise<Applied | undefined> {
  try {
    return await run()
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}

async function expectSame(store: Movable, expected: Movable): Promise<void> {
  const [found, wanted] = [await collected(await store.image()), await collected(await expected.image())]
  const sessions = (image: typeof found): unknown =>
    image.sessions.map(({ scope, key, text }) => [scope, key, text.length])
  expect(found.entries).toEqual(wanted.entries)
  expect(found.changes).toEqual(wanted.changes)
  expect(sessions(found)).toEqual(sessions(wanted))
  expect([found.number, found.nextSeq]).toEqual([wanted.number, wanted.nextSeq])
}
