/** How long somebody waits for vectors, and what is left when that is cut short. The model takes its time, of the test's making. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Operation } from '../../src/model/operation.ts'
import { EMBED_LEASE } from '../../src/recall/vectors/meaning.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { Letters } from '../faults/letters.mjs'
import { eventually } from '../mcp/harness.ts'

let root: string
let letters: Letters
const opened: Memory[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-in-time-'))
  letters = new Letters()
})

afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(): Promise<Memory> {
  const memory = await openMemory({ store: filesystemStore({ root }), embed: letters })
  opened.push(memory)
  return memory
}

function lines(count: number): Operation[] {
  const texts = Array.from({ length: count }, (_, n) => `the text of ${n}`)
  return texts.map((content) => ({ op: 'add', scope: 'main', kind: 'experience', content }))
}

/** For each text that is given at once. */
function slow(perTextMs: number): void {
  letters.before = (texts) => new Promise((resolve) => setTimeout(resolve, texts.length * perTextMs))
}

describe('a search', () => {
  it('without a mode waits about a second, however slow the model is, and tells what is left', async () => {
    const memory = await open()
    await memory.apply(lines(400))
    slow(20)
    const { searched } = await memory.search('text')
    // The query, 50 in a second, and a batch that was begun by then.
    expect(letters.take().length).toBeLessThanOrEqual(1 + 50 + 8)
    expect(searched.mode).toBe('hybrid')
    expect(searched.vectors?.pending).toBeGreaterThanOrEqual(400 - 58)
    expect(searched.vectors?.pending).toBeLessThan(400)
  })
})

describe('what was just written is found by meaning', () => {
  const found = async (memory: Memory): Promise<(string | null)[]> =>
    (await memory.search('norhe', { limit: 1 })).hits.map(({ entry }) => entry.name)

  it('by all who search at once, in one memory or two', async () => {
    const [memory, other] = [await open(), await open()]
    await memory.remember('heron', { name: 'Bird' })
    slow(30)
    expect(await Promise.all([memory, memory, other].map(found))).toEqual([['Bird'], ['Bird'], ['Bird']])
    expect(letters.take().filter((text) => text === 'heron')).toHaveLength(1)
  })

  it('where another process is at it for longer than one waits', async () => {
    const [memory, other] = [await open(), await open()]
    await memory.remember('heron', { name: 'Bird' })
    const lease = await other.store.lease(EMBED_LEASE)
    expect(await found(memory)).toEqual(['Bird'])
    await lease?.release()
    expect(await memory.embed()).toMatchObject({ embedded: 0, kept: true })
    expect(await other.embeddings()).toMatchObject({ entries: 1, pending: 0 })
  })

  it('where much is being embedded', async () => {
    const memory = await open()
    await memory.apply(lines(400))
    slow(5)
    const stop = new AbortController()
    const embedding = memory.embed({ signal: stop.signal }).catch(() => undefined)
    await eventually(
      () => letters.given.length,
      (given) => given > 0,
    )
    await memory.remember('heron', { name: 'Bird' })
    expect(await found(memory)).toEqual(['Bird'])
    expect(letters.take().length).toBeLessThan(300)
    stop.abort()
    await embedding
  })
})

describe('a model that hangs and heeds no signal', () => {
  async function hanging(work: (memory: Memory) => Promise<unknown>): Promise<[Memory, Promise<unknown>]> {
    const memory = await open()
    await memory.apply(lines(20))
    let batches = 0
    const hangs = new Promise<void>((resolve) => {
      letters.before = (texts) => {
        if (texts[0]?.startsWith('the text') !== true || ++batches === 1) return undefined
        resolve()
        return new Promise(() => undefined)
      }
    })
    const working = work(memory)
    working.catch(() => undefined)
    await hangs
    return [memory, working]
  }

  it('keeps nobody from embedding once it is given up', async () => {
    const stop = new AbortController()
    const [, embedding] = await hanging((memory) => memory.embed({ signal: stop.signal }))
    stop.abort()
    await expect(embedding).rejects.toThrow('aborted')
    letters.before = () => undefined
    expect(await (await open()).embed()).toMatchObject({ entries: 20, pending: 0 })
  })

  it('keeps no memory from closing while it is searched, and what it has made is kept', async () => {
    const [memory, searching] = await hanging((searched) => searched.search('text'))
    await memory.close()
    await expect(searching).rejects.toMatchObject({ code: 'CLOSED' })
    letters.before = () => undefined
    const again = await open()
    expect((await again.embeddings()).entries).toBe(8)
    expect(await again.embed()).toMatchObject({ entries: 20, pending: 0 })
  })
})

describe('an embedding that is cut short', () => {
  it('has saved soon after a second what it had by then, and the rest where it was asked to stop', async () => {
    const memory = await open()
    await memory.apply(lines(400))
    // It hangs after more than it can do in a second: what is kept was saved before that.
    letters.before = (texts) =>
      new Promise((resolve) => {
        if (letters.given.length < 240) setTimeout(resolve, texts.length * 7)
      })
    const kept = async (): Promise<number> => (await (await open()).embeddings()).entries
    const stop = new AbortController()
    const embedding = memory.embed({ signal: stop.signal })
    const failure = expect(embedding).rejects.toThrow('aborted')
    const first = await eventually(kept, (entries) => entries > 0)
    expect(first).toBeGreaterThan(0)
    await eventually(
      () => letters.given.length,
      (given) => given > first,
    )
    stop.abort()
    await failure
    expect(await kept()).toBeGreaterThan(first)
    expect(await kept()).toBeLessThan(400)
  })
})

describe('vectors that can not be kept', () => {
  it('are made for this process, which is told; or are an error where they must be kept', async () => {
    const memory = await open()
    await memory.apply(lines(3))
    // In the place of the folder; as good as a full disk, also for who may write anywhere.
    writeFileSync(join(root, '.state/derived'), '')
    await expect(memory.embed({ mustKeep: true })).rejects.toMatchObject({
      code: 'IO',
      hint: expect.stringContaining('room'),
    })
    expect(await memory.embed()).toMatchObject({ entries: 3, pending: 0, kept: false })
    expect((await memory.search('text', { mode: 'semantic' })).hits).toHaveLength(3)
    rmSync(join(root, '.state/derived'))
    expect(await memory.embed()).toMatchObject({ embedded: 0, kept: true })
    await memory.close()
    expect(await (await open()).embeddings()).toMatchObject({ entries: 3, pending: 0 })
  })

  it('where nobody may embed: the error comes before the work', async () => {
    const memory = await open()
    await memory.apply(lines(3))
    writeFileSync(join(root, '.state/leases'), '')
    await expect(memory.embed({ mustKeep: true })).rejects.toMatchObject({
      code: expect.stringMatching(/IO|READ_ONLY/),
    })
    expect(letters.take()).toEqual([])
    expect(await memory.embed()).toMatchObject({ entries: 3, pending: 0, kept: false })
  })
})
