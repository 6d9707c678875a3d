/**
 * Search by meaning where the server keeps the vectors: who makes them and when, what of them is used again, what counts while they are
 * behind, and what a search does when they are another model's or can't be asked.
 */
import { describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import { storeOn } from '../../src/stores/chroma/store.ts'
import { Letters } from '../faults/letters.mjs'
import { ramConnection } from './ram-connection.ts'
import { RamShelf } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

type Process = Memory & { readonly vectors: RamVectors; readonly log: RamShelf }

/** What several processes see, each through its own connection. */
class Server {
  readonly log: RamShelf = new RamShelf()
  readonly vectors: RamVectors = new RamVectors()

  async open(letters: Letters = new Letters(), agent = 'main'): Promise<Process> {
    const vectors = this.vectors.another()
    const log = this.log.another({})
    const store = storeOn(ramConnection(log, vectors))
    return Object.assign(await openMemory({ store, agent, embed: letters }), { vectors, log })
  }

  /** As if those who have them had stood still for a minute. */
  endLeases(): void {
    for (const [id, { labels }] of this.log.records) if (labels['kind'] === 'l') this.log.records.delete(id)
  }

  /** Everything that it holds. */
  get text(): string {
    return JSON.stringify([[...this.log.records.values()], [...this.vectors.records.values()]])
  }

  /** Ids of the records, sorted. */
  get ids(): readonly string[] {
    return [...this.vectors.records.keys()].sort()
  }
}

function texts(
  count: number,
  of = (n: number): string => `${'abcdefghijklm'[n % 13]?.repeat(3 + (n % 5))} ${n}`,
): AddOperation[] {
  return Array.from({ length: count }, (_, n) => ({ op: 'add', scope: 'main', kind: 'experience', content: of(n) }))
}

/** What is put from now on through this connection. */
function recordPuts(vectors: RamVectors): () => string {
  const put = vectors.put.bind(vectors)
  const all: string[] = []
  vectors.put = (records, options) => {
    all.push(...records.map(({ document = '' }) => document))
    return put(records, options)
  }
  return () => all.join()
}

const IS_DOWN = (): never => {
  throw new KeepsakeError('IO', 'the server can not be reached', { hint: 'Is it running?' })
}

describe('vectors on the server', () => {
  it('are made once, for every process and every agent', async () => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    await memory.apply(texts(70))
    await (await server.open(letters, 'scout')).remember('what scout saw', { name: 'Seen' })
    letters.take()
    expect(await memory.embed()).toMatchObject({ entries: 70, pending: 0, kept: true })
    expect(letters.take()).toHaveLength(1 + 70 + 2)
    const scout = await server.open(letters, 'scout')
    expect(await scout.embeddings()).toMatchObject({ model: 'letters', entries: 1, pending: 0 })
    expect(await scout.embed()).toMatchObject({ embedded: 0, entries: 1 })
    expect(letters.take()).toEqual([])
  })

  it('hold what other clients may read, and the text before the name', async () => {
    const server = new Server()
    const memory = await server.open()
    const options = { name: 'Tea', description: 'a habit', metadata: { tags: ['x'], cups: 3, hot: true, of: 'leaf' } }
    const { entry } = await memory.remember('Tea at four.', options)
    await memory.embed()
    const first = server.vectors.records.get(entry.id)
    expect(first?.document).toBe('Tea at four.')
    expect(first?.metadata).toMatchObject({
      ...{ entry: entry.id, scope: 'main', kind: entry.kind, name: 'Tea', description: 'a habit', seq: entry.seq },
      ...{ revision: entry.revision, piece: 0, of: 2, m_cups: 3, m_hot: true, m_of: 'leaf', created: entry.createdAt },
    })
    expect(server.ids).toEqual([entry.id, `${entry.id}~1`])
  })

  it('are replaced whole, used again by their text, and go with their entry', async () => {
    const server = new Server()
    const letters = new Letters()
    const memory = await server.open(letters)
    const long = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} says ${'word '.repeat(60)}.`).join('\n\n')
    const { entry } = await memory.remember(long, { name: 'Long' })
    await memory.embed()
    const pieces = server.ids.length
    expect(pieces).toBeGreaterThan(5)
    letters.take()
    await memory.rename('Long', 'Longer')
    await memory.embed()
    expect(letters.take()).toEqual(['Longer'])
    expect(server.ids).toHaveLength(pieces)
    await memory.apply([{ op: 'write', id: entry.id, content: 'Short.' }])
    await memory.embed()
    expect(letters.take()).toEqual(['Short.'])
    expect(server.ids).toEqual([entry.id, `${entry.id}~1`])
    await memory.forget('Longer')
    await memory.embed()
    expect(server.ids).toEqual([])
  })

  it('count only for the text that they were made of', async () => {
    const server = new Server()
    const writer = await server.open()
    const reader = await server.open()
    const { entry } = await writer.remember('aaaa aaaa')
    await writer.embed()
    const near = async (query: string): Promise<number | undefined> =>
      (await reader.search(query, { mode: 'semantic', minScore: 0 })).hits[0]?.score
    expect(await near('aaaa')).toBeGreaterThan(0.9)
    await writer.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
    expect(await near('aaaa')).toBeUndefined()
    await reader.embed()
    expect(await near('aaaa')).toBeLessThan(0.5)
    expect(await near('zzzz')).toBeGreaterThan(0.9)
  })

  it('leave nothing of what was purged', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('a secret', { name: 'Secret' })
    await memory.remember('no secret', { name: 'Other' })
    await memory.embed()
    await memory.purge('Secret')
    expect(JSON.stringify([...server.vectors.records])).not.toContain('a secret')
    expect(server.ids).toHaveLength(2)
    expect(await memory.embeddings()).toMatchObject({ entries: 1, pending: 0 })
  })

  it.each([
    ['is gone', false],
    ['came back as another', true],
  ])('leave nothing of what was purged while the model read it, and %s', async (_, comesBack) => {
    const server = new Server()
    const other = await server.open()
    const { entry } = await other.remember('a secret', { name: 'Secret' })
    const letters = new Letters()
    const memory = await server.open(letters)
    const putTexts = recordPuts(memory.vectors)
    letters.before = async (given) => {
      // Before what came back has its turn.
      if (given.includes('no more')) expect(server.text).not.toContain('a secret')
      if (!given.includes('a secret')) return
      await other.purge('Secret')
      if (comesBack) await other.apply([{ op: 'add', id: entry.id, scope: 'main', kind: 'fact', content: 'no more' }])
    }
    await memory.embed()
    expect(putTexts()).toContain('a secret') // else nothing is shown here
    expect(server.text).not.toContain('a secret')
    expect(await memory.embed()).toMatchObject({ pending: 0, entries: comesBack ? 1 : 0 })
    expect(server.ids).toEqual(comesBack ? [entry.id] : [])
  })

  it('are not even put of what was purged before its turn came', async () => {
    const server = new Server()
    const other = await server.open()
    await other.apply(texts(64))
    await other.remember('a secret', { name: 'Secret' })
    const letters = new Letters()
    const memory = await server.open(letters)
    const putTexts = recordPuts(memory.vectors)
    letters.before = async (given) => {
      if (given[0]?.startsWith('aaa') && (await other.get('Secret'))) await other.purge('Secret')
    }
    await memory.embed()
    expect(await other.get('Secret')).toBeUndefined()
    expect(putTexts()).not.toContain('a secret')
    expect(letters.take()).not.toContain('a secret')
  })

  it('lose what was purged with the next embedding, where who had put it was stopped right then', async () => {
    const server = new Server()
    const other = await server.open()
    const long = Array.from({ length: 10 }, () => `a secret ${'word '.repeat(100)}`).join('\n\n')
    await other.remember('plain text')
    await other.embed()
    await other.remember(long, { name: 'Secret' })
    const letters = new Letters()
    const memory = await server.open(letters)
    letters.before = async () => {
      if (await other.get('Secret')) await other.purge('Secret')
    }
    memory.vectors.before = (name) => {
      if (name === 'put') memory.log.troubles = { before: IS_DOWN }
    }
    await expect(memory.embed()).rejects.toMatchObject({ code: 'IO' })
    expect(server.text).toContain('a secret')
    server.endLeases()
    const next = await server.open()
    await next.remember('something else')
    await next.embed()
    expect(server.text).not.toContain('a secret')
    expect(server.text).not.toContain('Secret')
  })

  it.each([
    ['goes', 0],
    ['gets a shorter text', 2],
  ])('are nobody’s never, also where an embedding is stopped and the entry then %s', async (_, left) => {
    const server = new Server()
    const memory = await server.open()
    const long = Array.from({ length: 10 }, (_, n) => `Paragraph ${n} says ${'word '.repeat(100)}`).join('\n\n')
    const { entry } = await memory.remember(long, { name: 'Long', description: 'a description' })
    await memory.embed()
    expect(server.ids.length).toBeGreaterThan(5)
    await memory.apply([{ op: 'write', id: entry.id, description: '' }])
    memory.vectors.before = (name) => (name === 'put' ? IS_DOWN() : undefined)
    await expect(memory.embed()).rejects.toMatchObject({ code: 'IO' })
    memory.vectors.before = () => undefined
    if (left === 0) await memory.forget('Long')
    else await memory.apply([{ op: 'write', id: entry.id, content: 'Short.' }])
    await memory.embed()
    expect(server.ids).toHaveLength(left)
  })

  it('are not written by who has lost the lease, and slept over it', async () => {
    const server = new Server()
    const other = await server.open()
    const { entry } = await other.remember('aaaa aaaa')
    const letters = new Letters()
    const memory = await server.open(letters)
    const putTexts = recordPuts(memory.vectors)
    letters.before = async (given) => {
      if (!given.includes('aaaa aaaa')) return
      server.endLeases()
      await other.embed({ anew: true })
      await other.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
      await other.embed()
    }
    const progress = (): unknown => [...server.log.records.values()].find(({ labels }) => labels['kind'] === 'v')?.text
    expect(await memory.embed()).toMatchObject({ pending: 0, entries: 1 })
    expect(putTexts()).toBe('')
    expect(server.vectors.records.get(entry.id)?.document).toBe('zzzz zzzz')
    expect(progress()).toContain('"number":2')
  })

  it('of another text never count, and are made again, where who wrote them came too late', async () => {
    const server = new Server()
    const other = await server.open()
    const { entry } = await other.remember('aaaa aaaa')
    const memory = await server.open()
    memory.vectors.before = async (name) => {
      if (name !== 'put') return
      memory.vectors.before = () => undefined
      server.endLeases()
      await other.apply([{ op: 'write', id: entry.id, content: 'zzzz zzzz' }])
      await other.embed({ anew: true })
      memory.log.troubles = { before: IS_DOWN }
    }
    await expect(memory.embed()).rejects.toMatchObject({ code: 'IO' })
    expect(server.vectors.records.get(entry.id)?.document).toBe('aaaa aaaa')
    server.endLeases()
    const reader = await server.open()
    const near = async (query: string): Promise<number | undefined> =>
      (await reader.search(query, { mode: 'semantic', minScore: 0 })).hits[0]?.score
    expect(await near('aaaa')).toBeUndefined()
    await reader.embed()
    expect(await near('zzzz')).toBeGreaterThan(0.9)
    expect(await near('aaaa')).toBeLessThan(0.5)
    expect(server.vectors.records.get(entry.id)?.document).toBe('zzzz zzzz')
  })

  it('are found again by who searched while they were made anew', async () => {
    const server = new Server()
    const letters = new Letters()
    const other = await server.open(letters)
    for (const text of ['aaaa one', 'bbbb two', 'aaab three']) await other.remember(text)
    await other.embed()
    const memory = await server.open()
    let anew: Promise<unknown> = Promise.resolve()
    memory.vectors.before = async (name) => {
      if (name !== 'get') return
      memory.vectors.before = () => undefined
      const emptied = new Promise<void>((resolve) => {
        letters.before = async (given) => {
          if (given.includes('a word')) return
          resolve()
          await new Promise((go) => setTimeout(go, 50))
        }
      })
      anew = other.embed({ anew: true })
      await emptied
    }
    const hits = async (): Promise<number> =>
      (await memory.search('aaaa', { mode: 'semantic', minScore: 0 })).hits.length
    await hits()
    await anew
    expect(await hits()).toBe(3)
  })

  it('find what filters leave, however few are left', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.apply(texts(400, (n) => `aaaa ${n}`))
    await memory.remember('zzzz', { kind: 'fact', name: 'Last', metadata: { rare: true } })
    await memory.embed()
    const where = [{ key: 'rare', op: '=' as const, value: true }]
    for (const options of [{ where }, { kinds: ['fact' as const] }]) {
      const { hits } = await memory.search('aaaa', { mode: 'semantic', minScore: 0, ...options })
      expect(hits.map(({ entry }) => entry.name)).toEqual(['Last'])
    }
  })
})

describe('vectors of another model', () => {
  it('cost the hits by meaning, until all are made anew', async () => {
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

  it('are another model’s too where only their length differs', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb')
    await memory.embed()
    const other = await server.open(new Letters('letters', 9))
    const { searched } = await other.search('bbbb')
    expect(searched.wordsOnly).toContain('have 27 numbers, and letters makes 9 now')
  })
})

describe('vectors that can not be asked', () => {
  it.each(['metadata', 'nearest', 'get'] as const)('(%s) cost the hits by meaning and no more', async (call) => {
    const server = new Server()
    const writer = await server.open()
    await writer.remember('aaaa bbbb', { name: 'Ab' })
    await writer.embed()
    const memory = await server.open()
    memory.vectors.before = (name) => (name === call ? IS_DOWN() : undefined)
    const { searched, hits, warnings } = await memory.search('bbbb')
    expect([searched.mode, hits.length]).toEqual(['lexical', 1])
    expect(warnings).toEqual(['By words alone: the server can not be reached. Is it running?'])
    await expect(memory.search('bbbb', { mode: 'hybrid' })).rejects.toMatchObject({ code: 'IO' })
    expect((await memory.whyNot('bbbb', 'Ab')).reason).toBe('found')
    memory.vectors.before = () => undefined
    expect((await memory.search('bbbb')).searched.mode).toBe('hybrid')
  })

  it.each([true, false])('because the collection is somebody else’s are told of (embedded before: %s)', async (had) => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb', { name: 'Ab' })
    if (had) await memory.embed()
    server.vectors.becomeForeign()
    const problem = 'chroma://ram: the collection "memories" is there and is not Keepsake\'s'
    const { searched, hits, warnings } = await memory.search('bbbb')
    expect([searched.mode, hits.length]).toEqual(['lexical', 1])
    expect(warnings).toEqual([expect.stringContaining(`By words alone: ${problem}. It was left as it is.`)])
    await expect(memory.search('bbbb', { mode: 'semantic' })).rejects.toMatchObject({ code: 'FOREIGN' })
    await expect(memory.embed()).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(await (await server.open()).embeddings()).toMatchObject({ entries: 0, pending: 1, problem })
    expect((await memory.whyNot('bbbb', 'Ab')).reason).toBe('found')
  })

  it('are begun anew where somebody has removed them', async () => {
    const server = new Server()
    const memory = await server.open()
    await memory.remember('aaaa bbbb')
    await memory.embed()
    await server.vectors.begin({ keepsake: 'somebody else' })
    const next = await server.open()
    expect(await next.embed()).toMatchObject({ entries: 1, embedded: 1 })
  })
})
