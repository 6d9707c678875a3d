/** Transcripts, derived bytes and leases in and beside the one file: what the contract suite can't see from outside. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeSession } from '../../codec/one-file/named-bytes.ts'
import { newId } from '../../model/id.ts'
import type { Derived, Sessions, Settings } from '../../ports/store.ts'
import { removeLock, tryLock } from '../disk/lock.ts'
import { fileDerived } from './derived.ts'
import { FileFollower } from './follower.ts'
import { fileLeases } from './leases.ts'
import { fileSessions } from './sessions.ts'
import { FileWriter } from './writer.ts'

const META = '{"key":"chat","createdAt":"2026-03-14T09:26:53.589Z"}\n'
const SETTINGS: Settings = {
  format: 1,
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  layout: 'agents',
  timezone: 'UTC',
  identityFile: 'SOUL.md',
  retentionDays: 90,
  retentionMb: 100,
}

/** As much of a store as transcripts and derived bytes are made of. */
class Opened {
  readonly follower: FileFollower
  readonly writer: FileWriter
  readonly sessions: Sessions
  readonly derived: Derived

  constructor(path: string) {
    this.follower = new FileFollower(path, () => undefined)
    this.writer = new FileWriter(this.follower, {
      clock: () => Date.UTC(2026, 2, 14),
      newId,
      lockWaitMs: 100,
      sidecar: `${path}.lock`,
      settings: () => SETTINGS,
    })
    this.sessions = fileSessions(
      this.follower,
      this.writer,
      () => Date.UTC(2026, 2, 14),
      () => undefined,
    )
    this.derived = fileDerived(this.follower, this.writer, () => undefined)
  }

  close(): void {
    this.writer.close()
    this.follower.close()
  }
}

let folder: string
let path: string
let opened: Opened
let sessions: Sessions
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-file-'))
  path = join(folder, 'memory.keepsake')
  opened = new Opened(path)
  sessions = opened.sessions
})
afterEach(() => {
  opened.close()
  rmSync(folder, { recursive: true, force: true })
})

/** As a move puts it here: to the byte. */
async function put(key: string, text: string): Promise<void> {
  await opened.writer.exclusively((turn) =>
    turn.append('sess', encodeSession({ scope: 'main', key }, Buffer.from(text), crc32), { durable: true }),
  )
}

function reopen(): void {
  opened.close()
  opened = new Opened(path)
  sessions = opened.sessions
}

function damage(text: string): void {
  const at = readFileSync(path).indexOf(text)
  const fd = openSync(path, 'r+')
  writeSync(fd, 'X', at)
  closeSync(fd)
}

describe('a transcript that came with a move', () => {
  it.each([
    ['a record of a hand', '{"n":2}', [{ n: 1 }, { n: 2 }, { n: 9 }], []],
    ['a text of a hand', 'see you', [{ n: 1 }, { n: 9 }], [{ line: 3, problem: 'it is not a JSON object' }]],
    ['what a crash left', '{"n":2,"te', [{ n: 1 }, { n: 9 }], [{ line: 3, problem: 'it is not a JSON object' }]],
  ])('keeps a last line without its end, %s, and goes on behind it', async (_, last, records, broken) => {
    await put('chat', `${META}{"n":1}\n${last}`)
    const before = await sessions.read('main', 'chat')
    expect(before).toMatchObject({ records: [{ n: 1 }], broken: [], next: META.length + 8 })
    expect(await sessions.readBefore('main', 'chat')).toEqual({ ...before, start: 0 })
    const { end } = await sessions.append('main', 'chat', [{ n: 9 }])
    const after = await sessions.read('main', 'chat')
    expect(after).toMatchObject({ records, broken, next: end })
    const { end: later } = await sessions.append('main', 'chat', [{ n: 10 }], { expectEnd: end })
    reopen()
    expect(await sessions.read('main', 'chat', end)).toMatchObject({ records: [{ n: 10 }], next: later })
  })

  it('refuses an append that expects the end before a line of a hand, and takes it after that was read', async () => {
    await put('chat', `${META}{"n":1}\n{"n":2}`)
    const { next } = (await sessions.read('main', 'chat')) ?? { next: 0 }
    const early = sessions.append('main', 'chat', [{ n: 3 }], { expectEnd: next })
    await expect(early).rejects.toMatchObject({ code: 'CONFLICT' })
    const page = await sessions.read('main', 'chat', next)
    expect(page?.records).toEqual([{ n: 2 }])
    await sessions.append('main', 'chat', [{ n: 3 }], { expectEnd: page?.next ?? 0 })
    expect((await sessions.read('main', 'chat'))?.records).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('is the session that it is kept as, and says when its metadata tells another', async () => {
    await put('other', `${META}{"n":1}\n`)
    await put('bare', '{"n":1}\n')
    await put('empty', '')
    expect(await sessions.list('main')).toEqual([
      { key: 'bare', createdAt: null, problem: 'there is no metadata line before it' },
      {
        key: 'other',
        createdAt: '2026-03-14T09:26:53.589Z',
        problem: 'its metadata says the key "chat", and it is kept under "other", which counts',
      },
    ])
    expect(await sessions.read('main', 'chat')).toBeUndefined()
    expect(await sessions.read('main', 'empty')).toBeUndefined()
    expect((await sessions.read('main', 'bare'))?.records).toEqual([{ n: 1 }])
    await sessions.append('main', 'empty', [{ n: 1 }], { expectEnd: 0 })
    expect((await sessions.read('main', 'empty'))?.meta).toEqual({
      key: 'empty',
      createdAt: '2026-03-14T00:00:00.000Z',
    })
  })
})

describe('a transcript', () => {
  it('is the same after a fold, with the positions that were given before', async () => {
    for (let n = 0; n < 40; n++) await sessions.append('main', 'chat', [{ n, text: '語'.repeat(n * 100) }])
    const half = await sessions.append('main', 'chat', [{ n: 40 }])
    for (let n = 41; n < 60; n++) await sessions.append('main', 'chat', [{ n, text: 'x'.repeat(5000) }])
    const all = await sessions.read('main', 'chat')
    const tail = await sessions.readBefore('main', 'chat')
    await opened.writer.exclusively((turn) => turn.rebuild())
    for (const _ of ['at once', 'opened again']) {
      expect(await sessions.read('main', 'chat')).toEqual(all)
      expect(await sessions.readBefore('main', 'chat')).toEqual(tail)
      expect((await sessions.read('main', 'chat', half.end))?.records.length).toBe(19)
      reopen()
    }
    const other = new Opened(path)
    const { end } = await other.sessions.append('main', 'chat', [{ n: 60 }], { expectEnd: all?.next ?? 0 })
    expect(await sessions.read('main', 'chat', all?.next)).toMatchObject({ records: [{ n: 60 }], next: end })
    other.close()
  })

  it('makes no file for an append that expects an end of what is not there', async () => {
    const early = sessions.append('main', 'chat', [{ n: 1 }], { expectEnd: 7 })
    await expect(early).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('tells damage with the session it is in, and reads what is not damaged', async () => {
    for (let n = 0; n < 30; n++) await sessions.append('main', 'chat', [{ n, text: `${n}`.repeat(10_000) }])
    await sessions.append('main', 'other', [{ n: 1 }])
    await opened.writer.exclusively((turn) => turn.rebuild())
    damage('"n":15,')
    reopen()
    const failure = await sessions.read('main', 'chat').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('the session "chat" is damaged'),
    })
    expect((await sessions.readBefore('main', 'chat'))?.records.at(-1)).toMatchObject({ n: 29 })
    expect((await sessions.read('main', 'other'))?.records).toEqual([{ n: 1 }])
    damage('{"key":"chat"')
    reopen()
    expect(await sessions.list('main')).toMatchObject([
      { key: 'chat', createdAt: null, problem: expect.stringContaining('the session "chat" is damaged') },
      { key: 'other', createdAt: '2026-03-14T00:00:00.000Z' },
    ])
  })
})

describe('derived bytes', () => {
  const BYTES = Buffer.from('bytes that can be made anew')

  it('are not kept where there is no memory yet, and make none', async () => {
    expect(await opened.derived.write('index', BYTES)).toBe(false)
    expect(await opened.derived.read('index')).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('are read by others and after a fold, and begin where numbers may', async () => {
    await sessions.append('main', 'chat', [{ n: 1 }])
    await opened.derived.write('index', Buffer.from('old'))
    expect(await opened.derived.write('index', BYTES)).toBe(true)
    for (const _ of ['as appended', 'folded']) {
      const other = new Opened(path)
      const read = await other.derived.read('index')
      expect(read && Buffer.from(read)).toEqual(BYTES)
      expect((read?.byteOffset ?? 1) % 8).toBe(0)
      other.close()
      await opened.writer.exclusively((turn) => turn.rebuild())
    }
  })

  it('that were damaged are as good as none, and the memory is whole', async () => {
    await sessions.append('main', 'chat', [{ n: 1 }])
    await opened.derived.write('index', BYTES)
    damage('anew')
    reopen()
    expect(await opened.derived.read('index')).toBeUndefined()
    await sessions.append('main', 'chat', [{ n: 2 }])
    expect((await sessions.read('main', 'chat'))?.records).toEqual([{ n: 1 }, { n: 2 }])
    expect(await opened.derived.write('index', BYTES)).toBe(true)
    expect(await opened.derived.read('index')).toBeDefined()
  })

  it('are not waited for long where another process writes', async () => {
    await sessions.append('main', 'chat', [{ n: 1 }])
    let done: () => void = () => undefined
    const other = new Opened(path)
    const writing = other.writer.exclusively(() => new Promise<void>((resolve) => (done = resolve)))
    expect(await opened.derived.write('index', BYTES)).toBe(false)
    done()
    await writing
    other.close()
  })
})

describe('leases', () => {
  it('are not taken through a link', async () => {
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), `${path}.lock`)
    const leases = fileLeases(`${path}.lock`)
    await expect(leases.lease('embed')).rejects.toMatchObject({ code: 'FOREIGN' })
    leases.tidy()
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
  })

  it('are had although somebody tidies up at that moment', async () => {
    const leases = fileLeases(`${path}.lock`)
    const { held } = tryLock(join(`${path}.lock`, 'leases', 'embed'))
    const taking = leases.lease('embed')
    held?.releaseAndRemove()
    expect(await taking).toBeDefined()
  })

  it('are beside the file, and are gone when nobody holds one', async () => {
    const sidecar = `${path}.lock`
    const leases = fileLeases(sidecar)
    const first = await leases.lease('condense main')
    const second = await leases.lease('embed')
    expect(await leases.lease('embed')).toBeUndefined()
    await second?.release()
    leases.tidy()
    expect(readdirSync(join(sidecar, 'leases'))).toEqual(['condense%20main'])
    expect(await fileLeases(sidecar).lease('condense main')).toBeUndefined()
    await first?.release()
    leases.tidy()
    expect(removeLock(sidecar)).toBe(true)
    expect(existsSync(sidecar)).toBe(false)
  })
})
