/** Embedding behind searches, and what is left when it is cut short. The model takes its time, of the test's making. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/** Opens the workspace, searches and does nothing else. Prints how many texts the model has read by the end. */
const SEARCHING = `
  import { openMemory } from './dist/index.js'
  import { Letters } from './test/faults/letters.mjs'
  const letters = new Letters()
  letters.before = (texts) => new Promise((resolve) => setTimeout(resolve, texts.length * 25))
  const memory = await openMemory({ workspace: process.argv[1], embed: letters })
  const { searched } = await memory.search('text')
  const given = letters.given.length
  process.on('exit', () => console.log(JSON.stringify({ pending: searched.vectors.pending, given, read: letters.given.length })))
`

describe('a program that only searches', () => {
  it('gets its answer before entries are embedded, ends before all are, and keeps the vectors made so far', async () => {
    const memory = await open()
    await memory.apply(lines(400))
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SEARCHING, root])
    const { pending, given, read } = JSON.parse(stdout)
    // The query, and then for about a second.
    expect([pending, given]).toEqual([400, 1])
    expect(read).toBeLessThan(400)
    expect((await memory.embeddings()).entries).toBe(read - 1)
    expect(read).toBeGreaterThan(1)
  })

  it('leaves embedding to another process that is already at it', async () => {
    const [memory, other] = [await open(), await open()]
    await memory.remember('heron', { name: 'Bird' })
    const lease = await other.store.lease(EMBED_LEASE)
    expect((await memory.search('heron')).hits.map(({ entry }) => entry.name)).toEqual(['Bird'])
    expect(await memory.embed()).toMatchObject({ isElsewhere: true, embedded: 0, pending: 1 })
    expect(letters.take()).toEqual(['heron'])
    await lease?.release()
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

  it('does not delay closing a memory after a search, and keeps the vectors made in the background', async () => {
    const [memory, searching] = await hanging((searched) => searched.search('text'))
    expect(await searching).toMatchObject({ searched: { vectors: { pending: 20 } } })
    await memory.close()
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
