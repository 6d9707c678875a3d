/** How long somebody waits for vectors, and what is left when that is cut short. The model takes its time, of the test's making. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Operation } from '../../src/model/operation.ts'
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

describe('an embedding that is cut short', () => {
  it('has saved soon after a second what it had by then, and the rest where it was asked to stop', async () => {
    const memory = await open()
    await memory.apply(lines(400))
    slow(7)
    const kept = async (): Promise<number> => (await (await open()).embeddings()).entries
    const stop = new AbortController()
    const embedding = memory.embed({ signal: stop.signal })
    const failure = expect(embedding).rejects.toThrow('aborted')
    const first = await eventually(kept, (entries) => entries > 0, 10_000)
    expect(first).toBeLessThan(256) // a second of it, and a batch
    await eventually(
      () => letters.given.length,
      (given) => given > first,
      10_000,
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
