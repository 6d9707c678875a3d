/** A journal's life: cut, copied, lost, damaged or someone else's. The files win, and nothing that was acknowledged goes. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeHeader } from '../../codec/journal-record.ts'
import { Memory } from '../../memory.ts'
import type { Entry } from '../../model/entry.ts'
import { stateDifference } from '../../testing/index.ts'
import { formatOwner, thisProcess } from '../disk/owner.ts'
import { type FilesystemStoreOptions, filesystemStore } from './store.ts'

let base: string
let root: string
const memories: Memory[] = []

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-epochs-'))
  root = join(base, 'ws')
})
afterEach(async () => {
  for (const memory of memories.splice(0)) await memory.close()
  rmSync(base, { recursive: true, force: true })
})

function open(folder = root, options: Partial<FilesystemStoreOptions> = {}): Memory {
  const memory = new Memory(filesystemStore({ root: folder, timezone: 'UTC', ...options }), 'main', Date.now)
  memories.push(memory)
  return memory
}

/** The same journal as a later version of this program would have begun it. */
function newer(text: string): string {
  const [first = ''] = text.split('\n')
  const header = { ...JSON.parse(first.slice(17)), version: 9 }
  return Buffer.from(encodeHeader(header)).toString() + text.slice(first.length + 1)
}

/** The path of the first segment, or a later one. */
function segment(number = 1): string {
  const name = readdirSync(join(root, '.state/journal')).sort()[number - 1]
  if (name === undefined) throw new Error(`there is no segment ${number}`)
  return join(root, '.state/journal', name)
}

async function filled(): Promise<Memory> {
  const memory = open()
  await memory.learnFact('deploys', 'We deploy on Tuesdays')
  await memory.remember('First')
  await memory.remember('text', { name: 'A', aliases: ['B'] })
  await memory.rename('deploys', 'releases')
  return memory
}

async function all(memory: Memory): Promise<Entry[]> {
  return memory.list()
}

describe('the journal', () => {
  it('is followed by a second process at once', async () => {
    const [one, other] = [await filled(), open()]
    expect(stateDifference(await all(one), await all(other))).toBeUndefined()
    await one.remember('Second')
    expect((await all(other)).at(-1)?.content).toBe('Second')
    await other.forget('A')
    expect(await one.get('B')).toBeUndefined()
  })

  it('loses a torn tail to the next writer only', async () => {
    const memory = await filled()
    appendFileSync(segment(), '0123456789abcdef {"number":5,"tu')
    const torn = readFileSync(segment()).length
    expect(await all(open())).toHaveLength(3)
    expect(readFileSync(segment()).length).toBe(torn)
    await memory.remember('Second')
    expect((await memory.store.feed()).changes.map((change) => change.number)).toEqual([1, 2, 3, 4, 5])
    expect(await all(open())).toHaveLength(4)
  })

  it('starts a new epoch in a copy, and goes on in the original', async () => {
    const memory = await filled()
    const { cursor } = await memory.store.feed()
    cpSync(root, join(base, 'copy'), { recursive: true })
    const copy = open(join(base, 'copy'))
    expect(stateDifference(await all(memory), await all(copy))).toBeUndefined()
    await copy.remember('In the copy')
    const feed = await copy.store.feed(cursor)
    expect(feed.restarted).toBe(true)
    expect(feed.cursor.epoch).not.toBe(cursor.epoch)
    await memory.remember('In the original')
    expect((await memory.store.feed(cursor)).restarted).toBe(false)
    expect((await all(copy)).map((entry) => entry.seq)).toEqual([1, 2, 3, 4])
  })

  it('may be deleted while a process has it open', async () => {
    const memory = await filled()
    const before = await all(memory)
    rmSync(join(root, '.state'), { recursive: true })
    expect(stateDifference(before, await all(memory), { withoutState: true })).toBeUndefined()
    await memory.remember('Second')
    expect(await all(open())).toHaveLength(4)
  })

  it('that is damaged in the middle is set aside: the files win, and what it still knows is used', async () => {
    const memory = await filled()
    await memory.close()
    const bytes = readFileSync(segment())
    const secondLine = bytes.indexOf(10, bytes.indexOf(10) + 1) + 40
    bytes[secondLine] = (bytes[secondLine] ?? 0) ^ 1
    writeFileSync(segment(), bytes)
    rmSync(join(root, '.state/checkpoint'))
    const again = open()
    expect((await all(again)).map((entry) => entry.content).sort()).toEqual(['First', 'We deploy on Tuesdays', 'text'])
    await again.remember('Second')
    expect(readFileSync(segment())).toEqual(bytes)
    expect(await all(open())).toHaveLength(4)
  })

  it('that lost a segment or has damage in one is read as far as it goes: the files win', async () => {
    const memory = open()
    const text = 'x'.repeat(300_000)
    for (let n = 0; n < 36; n++) await memory.remember(`${n} ${text}`, { name: `N${n % 3}` })
    await memory.close()
    const bytes = readFileSync(segment())
    bytes[5000] = (bytes[5000] ?? 0) ^ 1
    writeFileSync(segment(), bytes)
    rmSync(join(root, '.state/checkpoint'))
    expect((await open().get('N2'))?.content.slice(0, 3)).toBe('35 ')
    rmSync(segment())
    const last = open()
    expect((await last.list()).map((entry) => entry.content.slice(0, 2)).sort()).toEqual(['33', '34', '35'])
    const { change } = await last.remember('on')
    expect(change?.number).toBeGreaterThan(36)
  })

  it('that is shorter than its checkpoint says is no longer trusted', async () => {
    const memory = open()
    await memory.remember('one')
    await memory.close()
    writeFileSync(segment(), '')
    const again = open()
    const { change } = await again.remember('two')
    expect((await open().list()).map((entry) => entry.content).sort()).toEqual(['one', 'two'])
    expect(change?.number).toBeGreaterThan(0)
  })

  it('that is removed while it is written to is no promise', async () => {
    const memory = await filled()
    const pending = memory.remember('Second')
    // The write has begun by the time the next tick comes, and its sync has not ended.
    await Promise.resolve()
    rmSync(join(root, '.state'), { recursive: true, force: true })
    const outcome = await pending.then(
      () => 'acknowledged',
      () => 'refused',
    )
    const contents = (await open().list()).map((entry) => entry.content)
    if (outcome === 'acknowledged') expect(contents).toContain('Second')
    await memory.remember('Third')
    expect((await open().list()).map((entry) => entry.content)).toContain('Third')
  })

  it.each([
    ['of a newer format', newer, 'NEWER'],
    ['that is no journal', () => 'hello\nworld\n', 'FOREIGN'],
  ])('%s is refused and left as it is', async (_, change, code) => {
    const memory = await filled()
    await memory.close()
    const changed = change(readFileSync(segment(), 'utf8'))
    writeFileSync(segment(), changed)
    rmSync(join(root, '.state/checkpoint'))
    await expect(open().remember('x')).rejects.toMatchObject({ code, hint: expect.any(String) })
    expect(readFileSync(segment(), 'utf8')).toBe(changed)
  })

  it('of another workspace is refused', async () => {
    await (await filled()).close()
    const settings = readFileSync(join(root, 'keepsake.yaml'), 'utf8')
    writeFileSync(join(root, 'keepsake.yaml'), settings.replace(/id: .*/, 'id: 01a1e120-22e8-7144-bb48-941b8d469e39'))
    await expect(open().list()).rejects.toMatchObject({ code: 'FOREIGN' })
  })

  it('goes on in numbers that never repeat, over segments and checkpoints', async () => {
    const memory = open()
    const text = 'x'.repeat(200_000)
    for (let n = 0; n < 45; n++) await memory.remember(`${n} ${text}`, { name: `N${n % 3}` })
    expect(existsSync(segment(2))).toBe(true)
    const { changes, cursor } = await open().store.feed()
    expect(changes.map((change) => change.number)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1))
    await memory.remember('last')
    expect((await memory.store.feed(cursor)).changes.map((change) => change.number)).toEqual([46])
    expect((await open().get('N2'))?.content.slice(0, 3)).toBe('44 ')
  })
})

describe('keepsake.yaml', () => {
  it.each([
    ['a newer format', 'format: 2\n', 'NEWER'],
    ['no format', 'hello: world\n', 'FOREIGN'],
    ['a wrong layout', 'format: 1\nid: 01a1e120-22e8-7144-bb48-941b8d469e39\nlayout: round\n', 'DAMAGED'],
    ['an identity file outside', '', 'DAMAGED'],
  ])('with %s is refused, with the file and what is allowed', async (_, text, code) => {
    await (await filled()).close()
    const path = join(root, 'keepsake.yaml')
    const changed = text || readFileSync(path, 'utf8').replace(/identity_file: .*/, 'identity_file: ../../etc/x.md')
    writeFileSync(path, changed)
    const failure = (() => {
      try {
        return open()
      } catch (error) {
        return error
      }
    })()
    expect(failure).toMatchObject({ code, message: expect.stringContaining('keepsake.yaml'), hint: expect.any(String) })
    expect(readFileSync(path, 'utf8')).toBe(changed)
  })

  it('that was lost is made again for the same workspace', async () => {
    const memory = await filled()
    await memory.close()
    rmSync(join(root, 'keepsake.yaml'))
    const again = open()
    await again.remember('Second')
    expect(await again.list()).toHaveLength(4)
    expect((await again.store.feed()).changes).toHaveLength(5)
  })

  it('refuses options that say otherwise', async () => {
    await (await filled()).close()
    expect(() => open(root, { layout: 'flat' })).toThrow(/layout/)
    expect(() => open(root, { timezone: 'Asia/Kolkata' })).toThrow(/timezone/)
  })
})

describe('a writer', () => {
  it('gives up waiting when told to, while another process has the lock', async () => {
    const memory = await filled()
    const lock = join(root, '.state/lock')
    rmSync(lock, { recursive: true })
    mkdirSync(lock)
    symlinkSync(formatOwner({ ...thisProcess(), copy: 'ffffffff' }), join(lock, '1'))
    await expect(memory.remember('x', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    const impatient = open(root, { lockWaitMs: 20 })
    await expect(impatient.remember('x')).rejects.toMatchObject({ code: 'LOCKED' })
    rmSync(join(lock, '1'))
    await memory.remember('y')
    expect((await memory.list()).at(-1)?.content).toBe('y')
  })

  it('writes nothing through a linked state folder', async () => {
    mkdirSync(root)
    mkdirSync(join(base, 'elsewhere'))
    symlinkSync(join(base, 'elsewhere'), join(root, '.state'))
    await expect(open().remember('x')).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([])
  })
})
