/** What another process, a crash or damage did to the file, as who reads it or writes to it next finds it. */
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { encodeChange } from '../../codec/one-file/change.ts'
import { encodeFrame } from '../../codec/one-file/frame.ts'
import { decodeHeader, slotOffset } from '../../codec/one-file/header.ts'
import type { Store, Watch } from '../../ports/store.ts'
import { apply, applyOne, note, scanned } from '../../testing/requests.ts'
import type { HeldLock } from '../disk/lock.ts'
import { Appender } from './appender.ts'
import { FileFollower } from './follower.ts'
import { type FileStore, fileStore } from './store.ts'

let folder: string
let path: string
const opened: Store[] = []

function open(): FileStore {
  const store = fileStore({ path, timezone: 'UTC', lockWaitMs: 1000 })
  opened.push(store)
  return store
}

async function names(store: Store): Promise<unknown[]> {
  return (await scanned(store)).map(({ name }) => name)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-following-'))
  path = join(folder, 'memory.keepsake')
})

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A change as a process would have appended it that died before it could acknowledge it. */
function unacknowledged(number: number, name: string): Uint8Array {
  const id = `30000000-0000-7000-8000-${number.toString().padStart(12, '0')}`
  const at = '2026-01-01T00:00:00.000Z'
  const origin = { by: 'agent' } as const
  const add = { ...note(name), id, seq: 100 + number, createdAt: at, updatedAt: at, expiresAt: null, origin }
  const more = { revision: '0000000000000000', aliases: [], description: '', metadata: {} }
  return encodeFrame('chng', encodeChange({ number, at, origin, operations: [add], set: [more] }, crc32), crc32)
}

describe('following', () => {
  it('makes no file, and nothing beside it, before the first write, and none for reading', async () => {
    const store = open()
    expect([await names(store), await store.get('x'), (await store.history()).entries]).toEqual([[], undefined, []])
    expect(await store.derived.write('index', new Uint8Array([1]))).toBe(false)
    await store.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes in what another one writes, folds and purges', async () => {
    const [one, other] = [open(), open()]
    const a = await applyOne(one, note('a'))
    expect(await names(other)).toEqual(['a'])
    await apply(other, [note('b')])
    await one.fold()
    await apply(other, [{ op: 'write', id: a.id, content: 'new' }])
    expect([await names(one), (await one.get(a.id))?.content]).toEqual([['a', 'b'], 'new'])
    await one.purge([a.id])
    expect(await names(other)).toEqual(['b'])
    await apply(other, [note('a')])
    expect(await names(one)).toEqual(['b', 'a'])
  })

  it('sees another memory that was put in its place, and one that was removed', async () => {
    const store = open()
    await apply(store, [note('a')])
    copyFileSync(path, join(folder, 'copy'))
    await apply(store, [note('b')])
    const reader = open()
    expect(await names(reader)).toEqual(['a', 'b'])
    copyFileSync(join(folder, 'copy'), path)
    expect([await names(reader), await names(store)]).toEqual([['a'], ['a']])
    await apply(store, [note('c'), note('d')])
    expect(await names(reader)).toEqual(['a', 'c', 'd'])
    rmSync(path)
    expect(await names(reader)).toEqual([])
    await apply(reader, [note('e')])
    expect(await names(store)).toEqual(['e'])
  })

  it.each([
    ['copied over it', copyFileSync],
    ['renamed to it', renameSync],
  ])('starts the feed over for who has read other changes than a copy has that is %s', async (_, putBack) => {
    const store = open()
    await apply(store, [note('a')])
    const { cursor: common } = await store.changes()
    copyFileSync(path, join(folder, 'copy'))
    await apply(store, [note('b')])
    const reader = open()
    const { cursor } = await reader.changes()
    putBack(join(folder, 'copy'), path)
    const bytes = new Uint8Array([1])
    const isTaken = async () => [
      !(await reader.changes(cursor)).restarted,
      await reader.derived.write('x', bytes, cursor),
    ]
    expect(await isTaken(), 'fewer changes').toEqual([false, false])
    await apply(store, [note('c')])
    expect(await isTaken(), 'as many').toEqual([false, false])
    const { cursor: now } = await reader.changes('now')
    expect(now.number).toBe(cursor.number)
    await apply(store, [note('d')])
    expect(await isTaken(), 'more').toEqual([false, false])
    await store.fold()
    for (const ours of [common, now]) {
      expect((await reader.changes(ours)).restarted, 'what is in it').toBe(false)
      expect(await reader.derived.write('x', bytes, ours)).toBe(true)
    }
  })

  it('tells a watcher of a copy with as many other changes', async () => {
    const store = open()
    await apply(store, [note('a')])
    copyFileSync(path, join(folder, 'copy.keepsake'))
    const other = fileStore({ path: join(folder, 'copy.keepsake'), timezone: 'UTC' })
    await apply(other, [note('b')])
    await other.close()
    await apply(store, [note('c')])
    let watch: Watch | undefined
    await new Promise<void>((resolve) => {
      void store.watch(resolve).then((begun) => {
        watch = begun
        renameSync(join(folder, 'copy.keepsake'), path)
      })
    })
    await watch?.stop()
    expect(await names(store)).toEqual(['a', 'b'])
  })

  it("keeps watching while its folder can't be reached", async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const outer = join(folder, 'outer')
    mkdirSync(join(outer, 'inner'), { recursive: true })
    path = join(outer, 'inner/memory.keepsake')
    const store = open()
    await apply(store, [note('a')])
    let calls = 0
    const watch = await store.watch(() => calls++)
    renameSync(outer, join(folder, 'away'))
    // A link that leads to itself can't be followed, not even by root.
    symlinkSync('outer', outer)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toBe(1)
    rmSync(outer)
    renameSync(join(folder, 'away'), outer)
    await vi.advanceTimersByTimeAsync(3000)
    expect(calls).toBe(2)
    await watch.stop()
  })

  it('does not take a part of a frame for a change, and the next writer cuts it', async () => {
    await apply(open(), [note('a')])
    const reader = open()
    const frame = unacknowledged(2, 'b')
    for (const length of [1, 16, 17, frame.length - 8]) {
      const { size } = statSync(path)
      appendFileSync(path, frame.subarray(0, length))
      expect(await names(reader), `${length} bytes`).toEqual(['a'])
      expect(await names(open()), `${length} bytes, opened anew`).toEqual(['a'])
      truncateSync(path, size)
    }
    appendFileSync(path, frame.subarray(0, 40))
    appendFileSync(path, new Uint8Array(4096))
    await apply(open(), [note('c')])
    expect([await names(reader), await names(open())]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ])
  })

  it('takes a whole change that nobody was promised, also when it is taken back again', async () => {
    await apply(open(), [note('a')])
    const { size } = statSync(path)
    const reader = open()
    appendFileSync(path, unacknowledged(2, 'b'))
    expect(await names(reader)).toEqual(['a', 'b'])
    truncateSync(path, size)
    expect(await names(reader)).toEqual(['a'])
    appendFileSync(path, unacknowledged(2, 'b'))
    expect(await names(reader)).toEqual(['a', 'b'])
    truncateSync(path, size)
    appendFileSync(path, unacknowledged(2, 'c'))
    expect(await names(reader)).toEqual(['a', 'c'])
    await apply(open(), [note('d')])
    expect(await names(reader)).toEqual(['a', 'c', 'd'])
    expect((await reader.changes()).changes.map(({ number }) => number)).toEqual([1, 2, 3])
  })

  it('cuts a whole frame that can not follow what was there', async () => {
    await apply(open(), [note('a')])
    appendFileSync(path, unacknowledged(7, 'b'))
    expect(await names(open())).toEqual(['a'])
    await apply(open(), [note('c')])
    expect(await names(open())).toEqual(['a', 'c'])
  })
})

describe('a lock that was removed', () => {
  it.each(['before', 'while'])('%s it is written to: what another one wrote meanwhile stays', async (when) => {
    await apply(open(), [note('a')])
    const [follower, bytes] = [new FileFollower(path, () => undefined), unacknowledged(2, 'b')]
    const state = follower.catchUp()
    if (!state) throw new Error('unreachable: it was made')
    const held = { isHeld: () => true } as HeldLock // all that is asked
    let asked = 0
    const lost = { isHeld: () => when === 'while' && ++asked === 1 } as HeldLock
    const appender = new Appender(follower)
    appender.prepare(state, held)
    appendFileSync(path, bytes)
    await expect(appender.append(state, bytes, { durable: true, lock: lost })).rejects.toMatchObject({ code: 'IO' })
    expect(() => appender.prepare(state, lost)).toThrow(expect.objectContaining({ code: 'IO' }))
    appender.close()
    follower.close()
    expect(await names(open())).toEqual(['a', 'b'])
  })
})

describe('damage', () => {
  it('is told where it is, and the file is left as it is', async () => {
    const store = open()
    await apply(store, [note('a', { content: 'the text of a' })])
    await apply(store, [note('b', { content: 'the text of b' })])
    const whole = readFileSync(path)
    for (const text of ['the text of a', 'the text of b']) {
      flip(whole.indexOf(text))
      await expect(async () => open()).rejects.toThrow(expect.objectContaining({ code: 'DAMAGED' }))
      writeFileSync(path, whole)
    }
    truncateSync(path, whole.length - 1)
    await expect(async () => open()).rejects.toThrow(/it ends at byte/)
    await expect(apply(store, [note('c')])).rejects.toMatchObject({ code: 'DAMAGED' })
    expect(readFileSync(path).equals(whole.subarray(0, -1))).toBe(true)
    writeFileSync(path, whole)
    expect(await names(open())).toEqual(['a', 'b'])
  })

  it('of one text is told of this entry, and the others are read', async () => {
    const store = open()
    const a = await applyOne(store, note('a', { content: 'the text of a' }))
    const b = await applyOne(store, note('b', { content: 'the text of b' }))
    await store.fold()
    flip(readFileSync(path).indexOf('the text of a'))
    expect((await store.get(b.id))?.content).toBe('the text of b')
    await expect(store.get(a.id)).rejects.toMatchObject({ code: 'DAMAGED', message: expect.stringContaining('"a"') })
    await expect(store.fold()).rejects.toMatchObject({ code: 'DAMAGED' })
    await apply(store, [note('c')])
    expect((await open().heads()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it.each(['A', 'B'] as const)('of slot %s is told and mended', async (slot) => {
    const store = open()
    await apply(store, [note('a')])
    await apply(store, [note('b')])
    await store.close()
    flip(slotOffset(slot))
    const again = open()
    expect(await names(again)).toEqual(['a', 'b'])
    expect(await again.problems()).toEqual([{ path, problem: expect.stringContaining('damaged') }])
    await apply(again, [note('c')])
    await apply(again, [note('d')])
    expect(await again.problems()).toEqual([])
    expect([await names(open()), await open().problems()]).toEqual([['a', 'b', 'c', 'd'], []])
  })

  it.each(['the first', 'the second'])(
    'of a slot and of %s record behind the end that the other one tells is damage',
    async (which) => {
      const store = open()
      await apply(store, [note('a')])
      await Promise.all(['b', 'c'].map((name) => apply(store, [note(name, { content: `the text of ${name}` })])))
      const reader = open()
      const { size } = statSync(path)
      flip(slotOffset(newerSlot()))
      flip(readFileSync(path).indexOf(which === 'the first' ? 'the text of b' : 'the text of c'))
      expect(() => open()).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
      await expect(apply(reader, [note('d')])).rejects.toMatchObject({ code: 'DAMAGED' })
      expect(statSync(path).size).toBe(size)
    },
  )

  it('of a slot is mended before anything is appended, so that a crash then is no damage', async () => {
    const store = open()
    await apply(store, [note('a')])
    await apply(store, [note('b')])
    flip(slotOffset(newerSlot() === 'A' ? 'B' : 'A'))
    const { ino } = statSync(path)
    await apply(open(), [note('c')])
    expect(statSync(path).ino).not.toBe(ino)
    appendFileSync(path, unacknowledged(4, 'd').subarray(0, 40))
    expect([await names(open()), await open().problems()]).toEqual([['a', 'b', 'c'], []])
  })

  it('of both slots is refused', async () => {
    await apply(open(), [note('a')])
    flip(slotOffset('A'))
    flip(slotOffset('B'))
    expect(() => open()).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })

  it('of derived bytes is as if they were not there', async () => {
    const store = open()
    await apply(store, [note('a')])
    await store.derived.write('index', Buffer.from('derived bytes'))
    await apply(store, [note('b')])
    flip(readFileSync(path).indexOf('derived bytes'))
    expect([await store.derived.read('index'), await open().derived.read('index')]).toEqual([undefined, undefined])
    await store.fold()
    expect(await names(open())).toEqual(['a', 'b'])
  })
})

describe('what is no file of ours', () => {
  it.each([
    ['an empty file', 'DAMAGED', () => writeFileSync(path, '')],
    ['half a header', 'DAMAGED', () => writeFileSync(path, Buffer.from('\x89KEEP\r\n\x1a1234', 'latin1'))],
    ['a text', 'FOREIGN', () => writeFileSync(path, 'some notes of mine\n'.repeat(20))],
    ['a folder', 'FOREIGN', () => mkdirSync(path)],
    ['a link', 'FOREIGN', () => symlinkSync(join(folder, 'elsewhere'), path)],
  ])('is refused and left: %s', (_, code, make) => {
    make()
    expect(() => open()).toThrow(expect.objectContaining({ code }))
    expect(readdirSync(folder)).toEqual(['memory.keepsake'])
  })

  it('is refused when other settings are asked for than it was made with', async () => {
    await apply(open(), [note('a')])
    expect(() => fileStore({ path, timezone: 'Europe/Berlin' })).toThrow(expect.objectContaining({ code: 'INVALID' }))
    expect(() => fileStore({ path, layout: 'flat' })).toThrow(expect.objectContaining({ code: 'INVALID' }))
  })

  it('has one agent where it is flat', async () => {
    const store = fileStore({ path, layout: 'flat', agent: 'ada', timezone: 'UTC' })
    opened.push(store)
    await apply(store, [note('a', { scope: 'ada' })])
    await expect(apply(store, [note('b', { scope: 'main' })])).rejects.toMatchObject({ code: 'INVALID' })
    expect(() => fileStore({ path, agent: 'main' })).toThrow(expect.objectContaining({ code: 'INVALID' }))
    const again = fileStore({ path })
    opened.push(again)
    expect(await again.settings()).toMatchObject({ layout: 'flat', agent: 'ada' })
  })
})

/** The one that was written last. */
function newerSlot(): 'A' | 'B' {
  const { nextSlot } = decodeHeader(readFileSync(path), crc32, path)
  return nextSlot === 'A' ? 'B' : 'A'
}

function flip(offset: number): void {
  const byte = readFileSync(path)[offset] ?? 0
  const fd = openSync(path, 'r+')
  writeSync(fd, Uint8Array.of(byte ^ 0x20), 0, 1, offset)
  closeSync(fd)
}
