/** A text that the model does not take keeps no other from its vector, and is told of by the name of its entry. */
import { afterEach, expect, it, vi } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { meaningText } from '../../src/prompt/searched-text.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Letters } from '../faults/letters.mjs'

const REFUSAL = new KeepsakeError('MODEL', 'the input is too long', { data: { refused: true } })

const PASSING = new KeepsakeError('MODEL', 'its process ended', { data: { refused: true, mayPass: true } })

afterEach(() => {
  vi.useRealTimers()
})

/** Refuses a batch with such a text in it. */
function picky(refuses: (text: string) => boolean): { readonly letters: Letters; readonly calls: string[][] } {
  const letters = new Letters()
  const calls: string[][] = []
  letters.before = (texts) => {
    calls.push([...texts])
    if (texts.some(refuses)) throw REFUSAL
  }
  return { letters, calls }
}

const isPoison = (text: string): boolean => text.includes('poison')

async function filled(letters: Letters): Promise<Memory> {
  const memory = await openMemory({ store: memoryStore(), embed: letters })
  await memory.apply(
    Array.from({ length: 100 }, (_, n) => ({ op: 'add', scope: 'main', kind: 'experience', content: `text ${n}` })),
  )
  await memory.remember('a cup of poison', { name: 'Cup' })
  return memory
}

it('is set aside, and all others get their vectors', async () => {
  const { letters, calls } = picky(isPoison)
  const memory = await filled(letters)
  const { entry } = await memory.remember('more poison')
  const refused = [
    { id: (await memory.find('Cup')).id, name: 'Cup', reason: 'the input is too long.' },
    { id: entry.id, name: null, reason: 'the input is too long.' },
  ]
  const told: number[] = []
  const embedded = await memory.embed({ onProgress: (done) => told.push(done) })
  expect(embedded).toMatchObject({ entries: 100, pending: 0, refused: expect.arrayContaining(refused) })
  expect(told.at(-1)).toBe(102)
  expect(await memory.embeddings()).toMatchObject({
    entries: 100,
    pending: 0,
    refused: expect.arrayContaining(refused),
  })
  expect(calls.filter((texts) => texts.some(isPoison)).length).toBeLessThan(20)
})

it('is not tried again by searches, which go on by meaning and find its entry by its words', async () => {
  const { letters, calls } = picky(isPoison)
  const memory = await filled(letters)
  await memory.embed()
  calls.length = 0
  const { hits, searched, warnings } = await memory.search('cup')
  expect([hits[0]?.entry.name, searched.mode, warnings]).toEqual(['Cup', 'hybrid', []])
  expect(searched.vectors).toEqual({ model: 'letters', pending: 0, refused: 1 })
  expect(meaningText(searched)).toEqual(['1 entry has no vector: the model does not take the text.'])
  await memory.embed()
  expect(calls).toEqual([['cup']])
})

it('does not end search by meaning, even if background embedding meets the refusal first', async () => {
  const memory = await filled(picky(isPoison).letters)
  await memory.search('cup')
  await vi.waitFor(async () => {
    const { searched, warnings } = await memory.search('cup')
    expect(searched).toMatchObject({ mode: 'hybrid', vectors: { pending: 0, refused: 1 } })
    expect(warnings).toEqual([])
  })
})

it('is found by words if meaning is only preferred', async () => {
  const memory = await filled(picky(isPoison).letters)
  await memory.embed()
  const { hits, searched } = await memory.search('cup', { preferredMode: 'semantic', limit: 100 })
  expect(searched.mode).toBe('semantic')
  expect(hits.map(({ entry }) => entry.name)).toContain('Cup')
})

it('is told of where somebody asks why its entry is not found', async () => {
  const memory = await filled(picky(isPoison).letters)
  await memory.embed()
  const told = 'It has no vector, because the model does not take its text: the input is too long.'
  expect(await memory.whyNot('tea', 'Cup', { mode: 'semantic' })).toMatchObject({ reason: 'no-vector', sentence: told })
  const { reason, sentence } = await memory.whyNot('tea', 'Cup', { mode: 'hybrid' })
  expect([reason, sentence]).toEqual([
    'no-words',
    `None of the query's words stands in it: "tea". ${told} Search by a word that it has.`,
  ])
})

it('is tried again when it is another, and not for its metadata', async () => {
  const { letters, calls } = picky(isPoison)
  const memory = await filled(letters)
  await memory.embed()
  calls.length = 0
  await memory.remember('a cup of poison', { name: 'Cup', metadata: { tags: ['kitchen'] } })
  expect((await memory.embed()).refused).toHaveLength(1)
  expect(calls.filter((texts) => texts.some(isPoison))).toEqual([])
  await memory.remember('a cup of tea', { name: 'Cup' })
  expect(await memory.embed()).toEqual(expect.not.objectContaining({ refused: expect.anything() }))
  expect(await memory.embeddings()).toMatchObject({ entries: 101, pending: 0 })
  await memory.remember('poison again', { name: 'Cup' })
  expect((await memory.embed()).refused).toHaveLength(1)
  await memory.forget('Cup')
  expect((await memory.embeddings()).refused).toBeUndefined()
})

it('is tried again by the next process', async () => {
  const { letters } = picky(isPoison)
  const memory = await filled(letters)
  await memory.embed()
  letters.before = () => undefined
  expect((await memory.embed()).entries).toBe(100)
  const next = await openMemory({ store: memory.store, embed: letters })
  expect(await next.embed()).toMatchObject({ entries: 101, pending: 0 })
  expect(await memory.embeddings()).toMatchObject({ entries: 101, pending: 0 })
})

it('is not what is wrong where the model takes nothing at all', async () => {
  const { letters, calls } = picky(() => true)
  const memory = await filled(letters)
  await expect(memory.embed()).rejects.toThrow('the input is too long')
  expect(calls).toHaveLength(2)
  expect(await memory.embeddings()).toMatchObject({ entries: 0, pending: 101, problem: 'the input is too long' })
})

it('is not blamed for a failure that passes', async () => {
  const letters = new Letters()
  const memory = await openMemory({ store: memoryStore(), embed: letters })
  await memory.remember('a heron')
  let failures = 0
  letters.before = () => {
    if (++failures === 1) throw PASSING
  }
  expect(await memory.embed()).toEqual(expect.not.objectContaining({ refused: expect.anything() }))
  expect(await memory.embeddings()).toMatchObject({ entries: 1, pending: 0 })
})

it('is the only one to be blamed where the model fails altogether after it', async () => {
  const letters = new Letters()
  const memory = await filled(letters)
  let isDown = false
  letters.before = (texts) => {
    if (isDown) throw PASSING
    if (!texts.some(isPoison)) return
    isDown = texts.length === 1
    throw REFUSAL
  }
  await expect(memory.embed()).rejects.toThrow('its process ended')
  expect((await memory.embeddings()).refused).toBeUndefined()
  letters.before = (texts) => {
    if (texts.some(isPoison)) throw REFUSAL
  }
  expect(await memory.embed()).toMatchObject({ entries: 100, pending: 0, refused: [{ name: 'Cup' }] })
})

it.each([
  ['for good where it is at fault', REFUSAL, 1],
  ['for some minutes where something else may be', PASSING, 0],
])('stands refused %s', async (_, failure, refused) => {
  const letters = new Letters()
  const memory = await filled(letters)
  letters.before = (texts) => {
    if (texts.some(isPoison)) throw failure
  }
  vi.useFakeTimers({ toFake: ['performance'] })
  expect((await memory.embed()).refused).toHaveLength(1)
  letters.before = () => undefined
  vi.advanceTimersByTime(60_000)
  expect((await memory.embed()).refused).toHaveLength(1)
  vi.advanceTimersByTime(600_000)
  expect((await memory.embed()).refused ?? []).toHaveLength(refused)
  expect(await memory.embeddings()).toMatchObject({ entries: 101 - refused, pending: 0 })
})
