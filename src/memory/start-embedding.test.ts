/** Embedding behind a program: by its own, after changes, and again after failures. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { Letters } from '../../test/faults/letters.mjs'
import { LaterEmbed } from '../embed/later-embed.ts'
import { KeepsakeError } from '../errors.ts'
import { type EmbedOptions, openMemory } from '../memory.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import { memoryStore } from '../stores/memory.ts'
import { type Embedding, startEmbedding } from './start-embedding.ts'

let running: Embedding | undefined

afterEach(() => {
  running?.stop()
  vi.useRealTimers()
})

it('embeds what is there, then what is written by another', async () => {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-start-embedding-'))
  const memory = await openMemory({ store: filesystemStore({ root }), embed: new Letters() })
  const other = await openMemory({ store: filesystemStore({ root }) })
  await memory.remember('a heron')
  const embedded = await new Promise<number[]>((resolve) => {
    const counts: number[] = []
    running = startEmbedding(memory, {
      firstAfterMs: 1,
      changeAfterMs: 1,
      told: ({ entries }) => {
        counts.push(entries)
        if (counts.length === 1) void other.remember('a stork')
        else resolve(counts)
      },
    })
  })
  expect(embedded).toEqual([1, 2])
  running?.stop()
  await other.close()
  await memory.close()
  rmSync(root, { recursive: true })
})

it('embeds what is written by its own where it is told so', async () => {
  const memory = await openMemory({ store: memoryStore(), embed: new Letters() })
  await new Promise<void>((resolve) => {
    running = startEmbedding(memory, { firstAfterMs: 1, changeAfterMs: 1, told: () => resolve() })
    void memory.embeddings().then(async () => {
      await memory.remember('a heron')
      running?.changed()
    })
  })
  expect(await memory.embeddings()).toMatchObject({ entries: 1, pending: 0 })
})

it('fails silently, tells why to who asks, and tries again later each time', async () => {
  vi.useFakeTimers()
  const letters = new Letters()
  const tries: number[] = []
  letters.before = () => {
    tries.push(Date.now())
    throw new KeepsakeError('MODEL', 'the model is out of order')
  }
  const memory = await openMemory({ store: memoryStore(), embed: letters })
  await memory.remember('a heron')
  running = startEmbedding(memory)
  await vi.advanceTimersByTimeAsync(200_000)
  const [first = 0, second = 0, third = 0] = tries
  expect(second - first).toBeGreaterThanOrEqual(30_000)
  expect(third - second).toBeGreaterThanOrEqual(60_000)
  expect(tries.length).toBeLessThan(5)
  const asked = memory.embeddings()
  await vi.advanceTimersByTimeAsync(100)
  expect(await asked).toMatchObject({ pending: 1, problem: 'the model is out of order' })
})

it('looks for a model that was missing after a search or a change, and not after each', async () => {
  vi.useFakeTimers()
  let looks = 0
  const source = new LaterEmbed('letters', async () => {
    if (++looks < 4) throw new KeepsakeError('NO_EMBEDDINGS', 'there is none')
    return new Letters()
  })
  const memory = await openMemory({ store: memoryStore(), embed: source })
  await memory.remember('a heron')
  running = startEmbedding(memory)
  const looksAfter = async (ms: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(ms)
    running?.asked()
    await vi.advanceTimersByTimeAsync(100)
    return looks
  }
  expect(await looksAfter(3000)).toBe(1)
  expect(await looksAfter(35_000)).toBe(2) // by itself
  expect(await looksAfter(31_000)).toBe(3)
  expect(await looksAfter(1000)).toBe(3)
  await vi.advanceTimersByTimeAsync(31_000)
  running.changed()
  await vi.advanceTimersByTimeAsync(100)
  expect([looks, source.loaded !== undefined]).toEqual([4, true])
})

it('watches nothing where there is no model', async () => {
  const memory = await openMemory({ store: memoryStore() })
  const asked: string[] = []
  await new Promise<void>((resolve) => {
    const listened = {
      embeddings: async () => {
        asked.push('embeddings')
        setImmediate(resolve)
        return memory.embeddings()
      },
      embed: (options: EmbedOptions) => {
        asked.push('embed')
        return memory.embed(options)
      },
      watch: (changed: () => void) => {
        asked.push('watch')
        return memory.watch(changed)
      },
    }
    running = startEmbedding(listened, { firstAfterMs: 1 })
  })
  await memory.embeddings()
  expect(asked).toEqual(['embeddings'])
})

it('stops in the middle, and keeps what is done', async () => {
  const letters = new Letters()
  const memory = await openMemory({ store: memoryStore(), embed: letters })
  await memory.apply(
    Array.from({ length: 300 }, (_, n) => ({ op: 'add', scope: 'main', kind: 'experience', content: `text ${n}` })),
  )
  await new Promise<void>((resolve) => {
    let batches = 0
    letters.before = () => {
      if (++batches < 3) return
      running?.stop()
      resolve()
    }
    running = startEmbedding(memory, { firstAfterMs: 1 })
  })
  await new Promise((resolve) => setImmediate(resolve))
  letters.before = () => undefined
  const { length: done } = letters.take()
  expect(done).toBeGreaterThan(0)
  expect(await memory.embeddings()).toMatchObject({ entries: done, pending: 300 - done })
})

it('is waited for by a memory that closes: what is done is kept, and no model is asked any more', async () => {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-start-embedding-'))
  const letters = new Letters()
  const memory = await openMemory({ store: filesystemStore({ root }), embed: letters })
  await memory.apply(
    Array.from({ length: 300 }, (_, n) => ({ op: 'add', scope: 'main', kind: 'experience', content: `text ${n}` })),
  )
  let closed: Promise<void> | undefined
  let batches = 0
  letters.before = () => {
    if (++batches === 3) closed = memory.as('scout').close()
  }
  await expect(memory.embed()).rejects.toMatchObject({ code: 'CLOSED' })
  await closed
  await expect(memory.embed()).rejects.toMatchObject({ code: 'CLOSED' })
  const { length: done } = letters.take()
  expect(batches).toBe(3)
  expect(done).toBeGreaterThan(0)

  const again = await openMemory({ store: filesystemStore({ root }), embed: letters })
  expect(await again.embeddings()).toMatchObject({ entries: done, pending: 300 - done })
  await again.close()
  rmSync(root, { recursive: true })
})
