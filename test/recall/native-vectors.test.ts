/**
 * Search by meaning if the store keeps and searches the vectors: when they are made and of what, what of them is used again, what counts
 * while they are behind, and what a search does if they are another model's or can't be asked.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import type { NativeVectors } from '../../src/ports/vectors.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Letters } from '../faults/letters.mjs'
import { RamVectors } from './ram-vectors.ts'

interface Process extends Memory {
  /** Called before each call to the vectors. */
  hook: (name: keyof NativeVectors) => Promise<void> | void
}

/** A store that several processes use. */
class Server {
  readonly store = memoryStore({ settings: { timezone: 'UTC' } })
  readonly vectors = new RamVectors(this.store)

  async open(letters = new Letters(), agent = 'main'): Promise<Process> {
    const vectors = this.vectors.process((name) => memory.hook(name))
    const opened = await openMemory({ store: { ...this.store, vectors }, agent, embed: letters })
    const memory: Process = Object.assign(opened, { hook: () => undefined })
    return memory
  }

  piecesOf(id: string): number | undefined {
    return this.vectors.entries.get(id)?.pieces.length
  }
}

function texts(count: number, textOf = (n: number): string => `${'abcdefghijklm'[n % 13]?.repeat(3 + (n % 5))} ${n}`) {
  return Array.from(
    { length: count },
    (_, n): AddOperation => ({ op: 'add', scope: 'main', kind: 'experience', content: textOf(n) }),
  )
}

const LONG = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} says ${'word '.repeat(60)}.`).join('\n\n')
const ALL = { mode: 'semantic', minScore: 0 } as const

function failDown(): never {
  throw new KeepsakeError('IO', 'the server can not be reached', { hint: 'Is it running?' })
}

async function bestScore(memory: Memory, query: string): Promise<number | undefined> {
  return (await memory.search(query, ALL)).hits[0]?.score
}

describe('vectors of the store', () => {
  it('are made once, for every process and every agent', async () => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    await memory.apply(texts(70))
    await (await server.open(letters, 'scout')).remember('what scout saw', { name: 'Seen' })
    letters.take()
    const done: string[] = []
    const onProgress = (n: number, total: number): void => void done.push(`${n}/${total}`)
    expect(await memory.embed({ onProgress })).toMatchObject({ entries: 70, pending: 0, kept: true })
    expect(letters.take()).toHaveLength(1 + 70 + 2)
    expect([done[0], done.at(-1), done.length]).toEqual(['1/71', '71/71', 71])
    const scout = await server.open(letters, 'scout')
    expect(await scout.embeddings()).toMatchObject({ model: 'letters', entries: 1, pending: 0 })
    expect(await scout.embed()).toMatchObject({ embedded: 0, entries: 1 })
    expect(letters.take()).toEqual([])
  })

  it('are named with what searches them', async () => {
    const memory = await new Server().open()
    await memory.remember('aaaa')
    expect(await memory.embed()).toMatchObject({ searchedBy: 'vectors in RAM' })
    expect((await memory.search('aaaa')).searched.vectors).toMatchObject({ searchedBy: 'vectors in RAM' })
    expect(await memory.embeddings()).toMatchObject({ searchedBy: 'vectors in RAM' })
  })

  it('have as many pieces as the store takes, those of the text first', async () => {
    const server = new Server()
    server.vectors.maxPieces = 1
    const letters = new Letters()
    const memory = await server.open(letters)
    const { entry } = await memory.remember('Tea at four.', { name: 'Tea' })
    await memory.embed()
    expect(letters.take()).toEqual(['a word', 'Tea at four.'])
    expect(server.piecesOf(entry.id)).toBe(1)
  })

  it('are replaced as a whole, reused for the same text, and deleted with their entry', async () => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    const { entry } = await memory.remember(LONG, { name: 'Long' })
    await memory.embed()
    const pieces = server.piecesOf(entry.id)
    expect(pieces).toBeGreaterThan(5)
    letters.take()
    await memory.rename('Long', 'Longer')
    await memory.embed()
    expect([letters.take(), server.piecesOf(entry.id)]).toEqual([['Longer'], pieces])
    await memory.apply([{ op: 'write', id: entry.id, content: 'Short.' }])
    await memory.embed()
    expect([letters.take(), server.piecesOf(entry.id)]).toEqual([['Short.'], 2])
    await memory.forget('Longer')
    await memory.remember('something else')
    await memory.embed()
    expect([...server.vectors.entries.keys()]).not.toContain(entry.id)
  })

  it('are used only for the text that they were made from', async () => {
    const server = new Server()
    const [writer, reader] = [await server.open(), await server.open()]
    const { entry } = await writer.remember('aaaa aaaa')
    await writer.embed()
    expect(await bestScore(reader, 'aaaa')).toBeGreaterThan(0.9)
    await writer.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
    expect(await bestScore(reader, 'aaaa')).toBeUndefined()
    await reader.embed()
    expect(await bestScore(reader, 'aaaa')).toBeLessThan(0.5)
    expect(await bestScore(reader, 'zzzz')).toBeGreaterThan(0.9)
  })

  it('are not remembered if their entry changed while they were read', async () => {
    const server = new Server()
    const [writer, reader] = [await server.open(), await server.open()]
    const { entry } = await writer.remember('aaaa aaaa')
    await writer.embed()
    reader.hook = async (name) => {
      if (name !== 'read') return
      reader.hook = () => undefined
      await writer.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
      await writer.embed()
    }
    await reader.search('aaaa', ALL)
    expect(await bestScore(reader, 'zzzz')).toBeGreaterThan(0.9)
  })

  it('are not put for an entry that changed meanwhile, and are made later', async () => {
    const server = new Server()
    const other = await server.open()
    const { entry } = await other.remember('aaaa aaaa')
    const letters = new Letters()
    const memory = await server.open(letters)
    letters.before = async (given) => {
      if (given.includes('aaaa aaaa')) await other.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
    }
    await memory.embed()
    expect(await memory.embed()).toMatchObject({ entries: 1, pending: 0 })
    expect(await bestScore(memory, 'zzzz')).toBeGreaterThan(0.9)
  })

  it.each([
    { what: 'a failure', stop: () => failDown() },
    { what: 'an interruption', stop: (ending: AbortController) => ending.abort() },
  ])('of a half-finished entry are not made again after $what', async ({ stop }) => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    await memory.remember(LONG)
    const ending = new AbortController()
    let batches = 0
    letters.before = () => {
      if (batches++ === 2) stop(ending)
    }
    await expect(memory.embed({ signal: ending.signal })).rejects.toThrow()
    const given = letters.take()
    expect(given.length).toBeGreaterThan(1)
    expect(await memory.embed()).toMatchObject({ entries: 1, pending: 0 })
    expect(letters.take().filter((text) => given.includes(text))).toEqual([])
  })

  it('of an older rule for pieces are made again, reusing equal pieces', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.apply(texts(3))
    await memory.embed()
    const { model } = server.vectors
    if (model) server.vectors.model = { ...model, pieces: 0 }
    const letters = new Letters()
    expect(await (await server.open(letters)).embed()).toMatchObject({ entries: 3, pending: 0 })
    expect([letters.take(), server.vectors.model]).toEqual([[], model])
  })

  it('do not exist for entries without text, which are not pending', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('!!! ???')
    expect(await memory.embed()).toMatchObject({ entries: 1, pending: 0 })
    expect((await memory.search('aaaa')).searched.vectors).toMatchObject({ pending: 0 })
  })

  it('are found by a process that searched while they were made again', async () => {
    const server = new Server()
    const letters = new Letters()
    const other = await server.open(letters)
    for (const text of ['aaaa one', 'bbbb two', 'aaab three']) await other.remember(text)
    await other.embed()
    const memory = await server.open()
    memory.hook = async (name) => {
      if (name !== 'read') return
      memory.hook = () => undefined
      await server.vectors.reset({ name: 'letters', dimensions: 27, pieces: 2 })
    }
    const hits = async (): Promise<number> => (await memory.search('aaaa', ALL)).hits.length
    expect(await hits()).toBe(0)
    await other.embed()
    expect(await hits()).toBe(3)
  })

  it('give the same hits and scores as the local search, with any filter', async () => {
    const letters = new Letters()
    const operations = texts(
      700,
      (n) => `${'abcdefghijklm'[n % 13]?.repeat(1 + (n % 7))} ${n % 5 === 0 ? 'x' : n}`,
    ).map((one, n) => ({ ...one, metadata: { rare: n % 97 === 0 }, kind: n % 3 ? one.kind : ('fact' as const) }))
    const clock = (): number => Date.parse('2026-03-14T09:00:00Z')
    let made = 0
    const newId = (): string => `0195b2f0-0000-7000-8000-${String(made++).padStart(12, '0')}`
    const stores = [memoryStore({ clock, newId }), memoryStore({ clock, newId })] as const
    const [local, native] = await Promise.all(
      stores.map(async (store, n) => {
        made = 0
        await store.apply({ operations, origin: { by: 'user' } })
        const vectors = n === 0 ? {} : { vectors: new RamVectors(store) }
        return openMemory({ store: { ...store, ...vectors }, agent: 'main', embed: letters, clock })
      }),
    )
    await local?.embed()
    await native?.embed()
    const query = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'm', 'x', ' '), minLength: 1, maxLength: 12 })
    const where = fc.constantFrom([], [{ key: 'rare', op: '=' as const, value: true }])
    const kinds = fc.constantFrom(undefined, ['fact' as const])
    const mode = fc.constantFrom('semantic' as const, 'hybrid' as const)
    const asked = fc.tuple(query, fc.record({ where, mode, limit: fc.integer({ min: 1, max: 100 }) }), kinds)
    await fc.assert(
      fc.asyncProperty(asked, async ([text, rest, some]) => {
        const options = { ...rest, minScore: 0, ...(some ? { kinds: some } : {}) }
        const hits = async (memory: Memory | undefined) =>
          (await memory?.search(`${text} q`, options))?.hits.map(({ entry, score }) => [entry.id, score])
        expect(await hits(native)).toEqual(await hits(local))
      }),
      { numRuns: 60 },
    )
  })
})

describe('texts that the model refuses', () => {
  /** Refuses texts with an x. */
  function refusing(): Letters {
    const letters = new Letters()
    letters.before = async (given) => {
      if (!given.some((text) => text.includes('x'))) return
      throw new KeepsakeError('MODEL', 'too long', { data: { refused: true } })
    }
    return letters
  }

  it('are reported, and tried again by the next process and after a change', async () => {
    const server = new Server()
    const memory = await server.open(refusing())
    const { entry } = await memory.remember('xxxx', { name: 'Odd' })
    await memory.remember('aaaa')
    const refused = [{ id: entry.id, name: 'Odd', reason: 'too long.' }]
    expect(await memory.embed()).toMatchObject({ entries: 1, pending: 0, refused })
    expect(await memory.embed()).toMatchObject({ embedded: 0, refused })
    expect((await memory.search('aaaa')).searched.vectors).toMatchObject({ pending: 0, refused: 1 })
    const other = await server.open(refusing())
    expect(await other.embeddings()).toMatchObject({ entries: 1, pending: 1 })
    expect(await other.embed()).toMatchObject({ pending: 0, refused })
    await other.apply([{ op: 'write', id: entry.id, content: 'bbbb' }])
    expect(await other.embed()).toMatchObject({ entries: 2, pending: 0 })
    expect(await memory.embeddings()).not.toHaveProperty('refused')
  })

  it('get their vectors from a process whose model takes them', async () => {
    const server = new Server()
    const memory = await server.open(refusing())
    await memory.remember('xxxx')
    await memory.embed()
    expect(await (await server.open()).embed()).toMatchObject({ entries: 1, pending: 0 })
    expect(await memory.embeddings()).toMatchObject({ entries: 1, pending: 0 })
  })
})

describe('vectors of another model', () => {
  it('leave search to words, until all are made again', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb', { name: 'Ab' })
    await memory.embed()
    const other = await server.open(new Letters('numbers', 9))
    const { searched, hits, warnings } = await other.search('bbbb')
    expect([searched.mode, hits.length]).toEqual(['lexical', 1])
    expect(searched.wordsOnly).toBe('By words alone: the vectors of this memory are of letters, not of numbers.')
    expect(warnings.join()).toContain('keepsake embed --anew')
    const conflict = { code: 'CONFLICT', message: expect.stringContaining('of letters, not of numbers') }
    await expect(other.search('bbbb', { mode: 'semantic' })).rejects.toMatchObject(conflict)
    await expect(other.embed()).rejects.toMatchObject(conflict)
    expect(await other.embeddings()).toMatchObject({ problem: expect.stringContaining('numbers') })
    expect(await other.embed({ anew: true })).toMatchObject({ model: 'numbers', entries: 1, pending: 0 })
    expect((await other.search('bbbb')).searched.mode).toBe('hybrid')
    expect((await memory.search('bbbb')).searched.mode).toBe('lexical')
  })

  it('are also those of the same name with other dimensions', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb')
    await memory.embed()
    const { searched } = await (await server.open(new Letters('letters', 9))).search('bbbb')
    expect(searched.wordsOnly).toContain('have 27 dimensions, and letters now makes 9')
  })

  it('are not mixed with those of a process that lost the lease', async () => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    await memory.remember('aaaa bbbb')
    letters.before = async (given) => {
      if (given.includes('aaaa bbbb')) await server.vectors.reset({ name: 'numbers', dimensions: 27, pieces: 2 })
    }
    await expect(memory.embed()).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(server.vectors.entries.size).toBe(0)
  })
})

describe('vectors that can not be searched', () => {
  it.each(['status', 'nearest', 'read'] as const)(
    '(%s) leave search to words, and nothing else fails',
    async (call) => {
      const server = new Server()
      const writer = await server.open()
      await writer.remember('aaaa bbbb', { name: 'Ab' })
      await writer.embed()
      const memory = await server.open()
      memory.hook = (name) => (name === call ? failDown() : undefined)
      const { searched, hits, warnings } = await memory.search('bbbb')
      expect([searched.mode, hits.length]).toEqual(['lexical', 1])
      expect(warnings).toEqual(['By words alone: the server can not be reached. Is it running?'])
      await expect(memory.search('bbbb', { mode: 'hybrid' })).rejects.toMatchObject({ code: 'IO' })
      expect((await memory.whyNot('bbbb', 'Ab')).reason).toBe('found')
      memory.hook = () => undefined
      expect((await memory.search('bbbb')).searched.mode).toBe('hybrid')
    },
  )

  it('because another program uses the collection are reported', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb', { name: 'Ab' })
    memory.hook = (name) => {
      if (name === 'status') throw new KeepsakeError('FOREIGN', 'the collection is not Keepsake’s')
    }
    expect((await memory.search('bbbb')).searched.mode).toBe('lexical')
    await expect(memory.embed()).rejects.toMatchObject({ code: 'FOREIGN' })
    const problem = 'the collection is not Keepsake’s'
    expect(await memory.embeddings()).toMatchObject({ entries: 0, pending: 1, problem })
  })

  it('are made again if they were removed', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb')
    await memory.embed()
    server.vectors.entries.clear()
    server.vectors.model = undefined
    expect(await (await server.open()).embed()).toMatchObject({ entries: 1, embedded: 1 })
    expect(await bestScore(memory, 'aaaa')).toBeGreaterThan(0.5)
  })
})
