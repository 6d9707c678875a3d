/** A move that was cut short is gone on with, and checked; what differs is written anew. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MemoryImage } from '../../ports/store.ts'
import { collected, each } from '../../testing/images.ts'
import { apply, note, scanned } from '../../testing/requests.ts'
import { memoryStore } from '../memory.ts'
import { fileStore } from './store.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-adopt-'))
  path = join(folder, 'memory.keepsake')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Megabytes, so that a part of it is written before the rest. */
async function source(): Promise<MemoryImage> {
  const store = memoryStore({ settings: { timezone: 'UTC' } })
  for (let n = 0; n < 40; n++) await apply(store, [note(`n ${n}`, { content: `${n} `.repeat(40_000).trim() })])
  for (let n = 0; n < 20; n++) await store.sessions.append('main', 'long', [{ text: 'said '.repeat(4_000), n }])
  return store.image()
}

/** Tries it, and is told to stop when the sessions are asked for; what it leaves. */
async function cutShort(image: MemoryImage): Promise<string> {
  const store = fileStore({ path })
  const broken = new Error('the source broke off')
  const breaking = async function* (): AsyncGenerator<never> {
    yield* each<never>([])
    throw broken
  }
  await expect(store.adopt({ ...image, sessions: breaking })).rejects.toBe(broken)
  expect(existsSync(path)).toBe(false)
  await store.close()
  const left = readdirSync(`${path}.lock`).filter((name) => name.startsWith('moving-'))
  expect(left).toHaveLength(1)
  return join(`${path}.lock`, left[0] ?? '')
}

async function finish(image: MemoryImage): Promise<boolean> {
  const store = fileStore({ path })
  const { resumed } = await store.adopt(image)
  expect(await told(await store.image())).toBe(await told(image))
  await store.close()
  expect(readdirSync(folder)).toEqual(['memory.keepsake'])
  return resumed
}

/** All of it as one text, which is compared in no time. */
async function told(image: MemoryImage): Promise<string> {
  const all = await collected(image)
  const sessions = all.sessions.map((session) => ({ ...session, text: Buffer.from(session.text).toString() }))
  return JSON.stringify({ ...all, sessions }, sortedKeys)
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

describe('a move that was cut short', () => {
  it('is gone on with where it was', async () => {
    const image = await source()
    await cutShort(image)
    expect(await finish(image)).toBe(true)
  })

  it('is gone on with behind the last bytes that are right', async () => {
    const image = await source()
    const left = await cutShort(image)
    const { size } = statSync(left)
    expect(size).toBeGreaterThan(2_000_000)
    truncateSync(left, size - 12_345)
    const bytes = readFileSync(left)
    bytes[1_500_000] = (bytes[1_500_000] ?? 0) ^ 1
    writeFileSync(left, bytes)
    expect(await finish(image)).toBe(true)
  })

  it('is begun anew for another source, and the old one is removed', async () => {
    await cutShort(await source())
    expect(await finish(await source())).toBe(false)
  })

  it('is no memory for anybody meanwhile, and a write makes a new one', async () => {
    await cutShort(await source())
    const store = fileStore({ path })
    expect(await scanned(store)).toEqual([])
    await apply(store, [note('mine')])
    await expect(store.adopt(await source())).rejects.toMatchObject({ code: 'CONFLICT' })
    await store.close()
  })
})

describe('a copy', () => {
  it('is the same memory, of another epoch, and is made only where nothing is', async () => {
    const store = fileStore({ path })
    await store.adopt(await source())
    await apply(store, [note('one more')])
    await store.derived.write('index', new Uint8Array([1]))
    const copied = join(folder, 'copy.keepsake')
    await store.copyTo(copied)
    await expect(store.copyTo(copied)).rejects.toMatchObject({ code: 'CONFLICT' })
    const copy = fileStore({ path: copied })
    expect(await told(await copy.image())).toBe(await told(await store.image()))
    expect((await copy.changes('now')).cursor.epoch).not.toBe((await store.changes('now')).cursor.epoch)
    await copy.close()
    await store.close()
    expect(readdirSync(folder)).toEqual(['copy.keepsake', 'memory.keepsake'])
  })
})
