/** Vectors in step with a memory in files: what is embedded, and above all what is not embedded again. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Operation } from '../../src/model/operation.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Letters } from '../faults/letters.mjs'

let root: string
let letters: Letters
const opened: Memory[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-embedding-'))
  letters = new Letters()
})

afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(embed: Letters = letters, agent = 'main'): Promise<Memory> {
  const memory = await openMemory({ store: filesystemStore({ root, agent }), agent, embed, soulEditable: true })
  opened.push(memory)
  return memory
}

function derived(): string[] {
  const folder = join(root, '.state/derived')
  return readdirSync(folder)
    .filter((name) => name.startsWith('vectors'))
    .map((name) => join(folder, name))
}

async function nearest(memory: Memory, query: string): Promise<string | undefined> {
  const { hits } = await memory.search(query, { mode: 'semantic', minScore: 0 })
  return hits[0]?.entry.content
}

/** Entries of the log: many of them are one file. */
function lines(count: number): Operation[] {
  const texts = Array.from({ length: count }, (_, n) => `the text of ${n}`)
  return texts.map((content) => ({ op: 'add', scope: 'main', kind: 'experience', content }))
}

async function herons(memory: Memory): Promise<void> {
  await memory.remember('a heron stands in the reeds', { name: 'heron' })
  await memory.remember('zzz zzzz zz', { name: 'sleep' })
  await memory.embed()
  letters.take()
}

describe('embeds once', () => {
  it('each piece of what is new, and nothing the second time', async () => {
    const memory = await open()
    await memory.remember('a heron', { name: 'bird', description: 'of the reeds' })
    await memory.remember('a heron in the log')
    expect(await memory.embeddings()).toEqual({ model: 'letters', loaded: true, entries: 0, pending: 2 })
    const told: number[][] = []
    const embedded = await memory.embed({ onProgress: (...progress) => told.push(progress) })
    expect(embedded).toEqual({ model: 'letters', embedded: 3, entries: 2, pending: 0, kept: true })
    expect(told).toEqual([
      [1, 2],
      [2, 2],
    ])
    expect(letters.take().sort()).toEqual(['a heron in the log', 'bird', 'of the reeds\n\na heron'])
    expect(await memory.embed()).toMatchObject({ embedded: 0, entries: 2 })
    expect(letters.take()).toEqual([])
  })

  it('nothing after a restart, nor as another agent what the world has', async () => {
    const memory = await open()
    await herons(memory)
    await memory.learnFact('reeds', 'reeds grow in water')
    await memory.embed()
    expect(letters.take()).toEqual(['reeds', 'reeds grow in water'])
    await memory.close()
    const again = await open()
    expect(await nearest(again, 'zzzz')).toBe('zzz zzzz zz')
    expect(await again.embed()).toMatchObject({ embedded: 0, entries: 3, pending: 0 })
    expect(await again.as('scout').embed()).toMatchObject({ embedded: 0, entries: 1, pending: 0 })
    expect(letters.take()).toEqual(['zzzz'])
  })

  it('only the new name after a rename, and nothing after a change of metadata or an alias', async () => {
    const memory = await open()
    await herons(memory)
    await memory.rename('heron', 'grey heron')
    await memory.alias('sleep', 'nap')
    await memory.remember('zzz zzzz zz', { name: 'sleep', metadata: { tags: ['night'] } })
    expect((await memory.embeddings()).pending).toBe(1)
    await memory.embed()
    expect(letters.take()).toEqual(['grey heron'])
    await memory.close()
    const again = await open()
    expect(await again.embeddings()).toMatchObject({ entries: 2, pending: 0 })
  })

  it('nothing after an undone removal or an undone edit', async () => {
    const memory = await open()
    await herons(memory)
    await memory.forget('heron')
    await memory.embed()
    expect(await nearest(memory, 'heron')).toBe('zzz zzzz zz')
    await memory.undo()
    expect(await memory.embeddings()).toMatchObject({ entries: 2, pending: 0 })
    await memory.remember('quite another text', { name: 'heron' })
    await memory.embed()
    letters.take()
    await memory.undo()
    expect(await memory.embeddings()).toMatchObject({ entries: 2, pending: 0 })
    await memory.forget('sleep')
    await memory.embed()
    await memory.close()
    const again = await open()
    await again.undo()
    expect(await again.embed()).toMatchObject({ embedded: 0, entries: 2 })
    expect(letters.take()).toEqual([])
  })

  it('nothing for a file that a hand has moved or touched, and what a hand wrote into it', async () => {
    const memory = await open()
    await herons(memory)
    const folder = join(root, 'agents/main/entries')
    renameSync(join(folder, 'heron.md'), join(folder, 'bird.md'))
    await memory.embed()
    expect(letters.take().filter((text) => text.includes('reeds'))).toEqual([])
    const path = join(folder, 'sleep.md')
    writeFileSync(path, readFileSync(path, 'utf8').replace('zzz zzzz zz', 'awake again'))
    await memory.embed()
    expect(letters.take()).toEqual(['awake again'])
    expect(await memory.embeddings()).toMatchObject({ entries: 2, pending: 0 })
  })

  it('a text that two entries have', async () => {
    const memory = await open()
    await memory.apply(
      [1, 2, 3].map((n) => ({ op: 'add', scope: 'main', kind: 'note', name: `n${n}`, content: 'the same text' })),
    )
    await memory.embed()
    expect(letters.take().filter((text) => text === 'the same text')).toHaveLength(1)
    expect(await memory.embeddings()).toMatchObject({ entries: 3, pending: 0 })
  })

  it('no identity, and nothing that has no text', async () => {
    const memory = await open()
    await memory.apply([{ op: 'add', scope: 'main', kind: 'identity', content: 'I am a heron' }])
    expect(await memory.embed()).toMatchObject({ embedded: 0, entries: 0, pending: 0 })
  })
})

describe('a changed text', () => {
  it('is not found by what it said before, nor is one that is gone', async () => {
    const memory = await open()
    await herons(memory)
    await memory.remember('quuux quux quuuux', { name: 'sleep' })
    const { hits } = await memory.search('zzz', { mode: 'semantic', minScore: 0.5 })
    expect(hits).toEqual([])
    await memory.forget('heron')
    expect(await nearest(memory, 'a heron stands in the reeds')).toBe('quuux quux quuuux')
  })

  it('in pieces is embedded where it changed', async () => {
    const memory = await open()
    const paragraphs = Array.from({ length: 12 }, (_, n) => `${'reed '.repeat(120)}paragraph ${n}.`)
    await memory.remember(paragraphs.join('\n\n'), { name: 'long' })
    await memory.embed()
    expect(letters.take().length).toBeGreaterThan(6)
    paragraphs[11] = `${paragraphs[11]} changed`
    await memory.remember(paragraphs.join('\n\n'), { name: 'long' })
    await memory.embed()
    expect(letters.take()).toHaveLength(1)
  })
})

describe('another model', () => {
  it('embeds all anew with progress, beside the vectors of the first, which are there for who switches back', async () => {
    await herons(await open())
    const other = new Letters('others', 14)
    const switched = await open(other)
    expect(await switched.embeddings()).toMatchObject({ model: 'others', entries: 0, pending: 2 })
    const told: number[][] = []
    await switched.embed({ onProgress: (...progress) => told.push(progress) })
    expect(told.at(-1)).toEqual([2, 2])
    expect(other.take()).toHaveLength(4)
    expect(await nearest(switched, 'zzzz')).toBe('zzz zzzz zz')
    await switched.remember('zebra', { name: 'z' })
    await switched.embed()
    const back = await open()
    expect(await back.embed()).toMatchObject({ embedded: 2, entries: 3, pending: 0 })
    expect(letters.take()).toEqual(['z', 'zebra'])
  })

  it('of the same name but another length begins anew', async () => {
    await herons(await open())
    const longer = new Letters('letters', 40)
    const memory = await open(longer)
    await memory.remember('zebra', { name: 'z' })
    await memory.embed()
    expect(await memory.embed()).toMatchObject({ entries: 3, pending: 0 })
    expect(await nearest(memory, 'zzzz')).toBe('zzz zzzz zz')
  })

  it.each([false, true])(
    'of the same name but another length is noticed by a search (read before: %s)',
    async (isRead) => {
      await herons(await open())
      const longer = new Letters('letters', 40)
      longer.before = (texts) => {
        if (texts.includes('a heron stands in the reeds')) throw new KeepsakeError('MODEL', 'it is busy')
      }
      const memory = await open(longer)
      if (isRead) expect(await memory.embeddings()).toMatchObject({ entries: 2, pending: 0 })
      const { searched } = await memory.search('zzzz', { mode: 'semantic', minScore: 0 })
      expect(searched.vectors).toMatchObject({ pending: 2 })
      longer.before = () => undefined
      expect(await memory.embed()).toMatchObject({ embedded: 4, entries: 2, pending: 0 })
      expect(await nearest(memory, 'zzzz')).toBe('zzz zzzz zz')
      await memory.close()
      const again = await open(longer)
      expect(await nearest(again, 'heron')).toBe('a heron stands in the reeds')
      expect(await again.embed()).toMatchObject({ embedded: 0, entries: 2, pending: 0 })
    },
  )
})

describe('two at once', () => {
  it('read what the other has embedded', async () => {
    const [one, two] = [await open(), await open()]
    await herons(one)
    expect(await two.embeddings()).toMatchObject({ entries: 2, pending: 0 })
    await two.remember('zebra', { name: 'z' })
    await two.embed()
    letters.take()
    await one.remember('yak', { name: 'y' })
    await one.embed()
    expect(letters.take()).toEqual(['y', 'yak'])
    expect(await two.embed()).toMatchObject({ embedded: 0, entries: 4, pending: 0 })
    await one.close()
    await two.close()
    expect(await (await open()).embeddings()).toMatchObject({ entries: 4, pending: 0 })
  })

  it('do not do the same work', async () => {
    const [one, two] = [await open(), await open()]
    await one.apply(lines(100))
    await Promise.all([one.embed(), two.embed()])
    await Promise.all([one.embed(), two.embed()])
    expect(letters.take()).toHaveLength(100)
    expect(await one.embeddings()).toMatchObject({ entries: 100, pending: 0 })
    expect(await two.embeddings()).toMatchObject({ entries: 100, pending: 0 })
  })
})

describe('a purge', () => {
  it('takes the vectors of what it purged out of the files, and keeps the others', async () => {
    const memory = await open()
    await herons(memory)
    await memory.learnFact('reeds', 'reeds grow in water')
    const scout = await open(letters, 'scout')
    await scout.remember('a scout looks', { name: 'look' })
    await scout.embed()
    await memory.embed()
    letters.take()
    const gone = (await memory.get('sleep'))?.id ?? ''
    expect(derived().some((path) => readFileSync(path).includes(gone))).toBe(true)
    await memory.purge('sleep')
    expect(derived().length).toBeGreaterThan(0)
    expect(derived().some((path) => readFileSync(path).includes(gone))).toBe(false)
    for (const one of [memory, scout, await open(), await open(letters, 'scout')]) await one.embed()
    expect(letters.take()).toEqual([])
    expect(derived().some((path) => readFileSync(path).includes(gone))).toBe(false)
  })

  it('takes what was removed before with it, also from the memory of another process', async () => {
    const [one, two] = [await open(), await open()]
    await herons(one)
    const gone = (await one.get('sleep'))?.id ?? ''
    await two.embed()
    await one.forget('sleep')
    await one.purge('sleep')
    await two.remember('new', { name: 'n' })
    await two.embed()
    await two.remember('newer', { name: 'm' })
    await one.embed()
    await two.embed()
    expect(derived().some((path) => readFileSync(path).includes(gone))).toBe(false)
    expect(letters.take().sort()).toEqual(['m', 'n', 'new', 'newer'])
  })

  it('while another embeds what it takes leaves no vector of it', async () => {
    const [one, two] = [await open(), await open()]
    await herons(one)
    const { entry } = await one.remember('secret secret', { name: 's' })
    letters.before = async () => {
      letters.before = () => undefined
      await two.purge('s')
      await one.embeddings()
    }
    await one.embed()
    await one.remember('zebra', { name: 'z' })
    await one.embed()
    expect(await one.embeddings()).toMatchObject({ entries: 3, pending: 0 })
    expect(derived().some((path) => readFileSync(path).includes(entry?.id ?? '-'))).toBe(false)
  })
})

describe('what is lost or damaged', () => {
  it('is made anew, and nothing else', async () => {
    const memory = await open()
    await memory.apply(lines(1100))
    await memory.embed()
    await memory.close()
    expect(letters.take()).toHaveLength(1100)
    const first = derived().find((path) => path.includes('vectors.0-')) ?? ''
    const bytes = readFileSync(first)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(first, bytes)
    const again = await open()
    expect(await again.embeddings()).toMatchObject({ entries: 76, pending: 1024 })
    await again.embed()
    expect(letters.take()).toHaveLength(1024)
    await again.close()
    const third = await open()
    expect(await third.embeddings()).toMatchObject({ entries: 1100, pending: 0 })
    expect(await nearest(third, 'the text of 7')).toMatch(/^the text of/)
    letters.take()
    rmSync(join(root, '.state/derived'), { recursive: true })
    await third.remember('more')
    await third.embed()
    expect(letters.take()).toEqual(['more'])
    await third.close()
    expect(await (await open()).embeddings()).toMatchObject({ entries: 1101, pending: 0 })
  })

  it('of another agent in its place is not taken for its own', async () => {
    const memory = await open()
    await herons(memory)
    const scout = await open(letters, 'scout')
    await scout.remember('mine', { name: 'mine' })
    await scout.embed()
    for (const path of derived().filter((one) => one.includes('-scout%2F'))) {
      cpSync(path, path.replace('-scout%2F', '-main%2F'))
    }
    const again = await open()
    expect(await again.embeddings()).toMatchObject({ entries: 0, pending: 2 })
  })

  it('leaves no more than it needs when most of it is dead', async () => {
    const memory = await open()
    await memory.apply(lines(1300))
    await memory.embed()
    const size = (): number => derived().reduce((sum, path) => sum + statSync(path).size, 0)
    const before = size()
    const entries = await memory.list()
    await memory.apply(entries.slice(100).map(({ id }) => ({ op: 'remove', id })))
    await memory.remember('more')
    await memory.embed()
    expect(size()).toBeLessThan(before / 5)
    await memory.close()
    letters.take()
    expect(await (await open()).embed()).toMatchObject({ embedded: 0, entries: 101, pending: 0 })
  })
})

describe('a memory that keeps nothing', () => {
  it('in RAM embeds once', async () => {
    const memory = await openMemory({ store: memoryStore(), embed: letters })
    await herons(memory)
    expect(await nearest(memory, 'zzzz')).toBe('zzz zzzz zz')
    expect(await memory.as('scout').embed()).toMatchObject({ entries: 0, pending: 0 })
    await memory.purge('sleep')
    expect(await memory.embed()).toMatchObject({ embedded: 0, entries: 1, pending: 0 })
  })

  it('lets others have a turn between long texts', async () => {
    const memory = await openMemory({ store: memoryStore(), embed: letters })
    for (let n = 0; n < 8; n++) await memory.remember(`${n} herons. ${'A heron. '.repeat(10_000)}`, { name: `n ${n}` })
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await memory.embed()
    clearInterval(timer)
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  it('and without a model says what to do', async () => {
    const memory = await openMemory({ store: memoryStore() })
    await memory.remember('a heron')
    await expect(memory.embed()).rejects.toMatchObject({ code: 'NO_EMBEDDINGS' })
    expect(await memory.embeddings()).toEqual({ model: undefined, loaded: false, entries: 0, pending: 0 })
  })
})
