/** Rewrites of MEMORY.md that are kept for a person: why, and what accepting, rejecting and undoing do. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { acceptReview, rejectReview } from '../../src/consolidate/review.ts'
import { reviews } from '../../src/consolidate/reviews.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { itOn } from '../one-row.ts'
import { liveTexts, PLACES, type Place, talk } from '../session/places.ts'
import { Workspace } from '../session/workspace.ts'
import { answering, memoryText, reply } from './models.ts'

const LONG = `# Facts\n${Array.from({ length: 12 }, (_, n) => `- fact number ${n}, which still holds`).join('\n')}`

describe.each(PLACES)('a rewrite kept for review, in %s', (where, makePlace) => {
  const it = itOn(where, 'is written when it is accepted; undo brings memory and question back')
  let place: Place
  let memory: Memory
  beforeEach(async () => {
    place = makePlace()
    memory = place.open()
    await memory.reflect(LONG)
    await talk(memory.session('s'), 1)
    const done = await consolidate(memory, 's', { model: answering(reply('Said.', '- nothing else matters')).model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'for review', review: { reason: 'shrinks' } })
  })
  afterEach(() => place.remove())

  it('drops nothing, and clears the session all the same', async () => {
    expect(await memoryText(memory)).toBe(LONG)
    expect(await liveTexts(memory.session('s'))).toEqual([])
    const [review, ...others] = await reviews(place.open())
    expect(others).toEqual([])
    expect(review).toMatchObject({ session: 's', name: 's-1', proposed: '- nothing else matters' })
    expect(review?.detail).toMatch(/bytes/)
  })

  it('is written when it is accepted; undo brings memory and question back', async () => {
    const { review, entry, replaced } = await acceptReview(memory, 's-1')
    expect([review.name, entry.content]).toEqual(['s-1', '- nothing else matters'])
    expect(replaced).toBe(review.seen)
    expect(await reviews(memory)).toEqual([])
    await expect(acceptReview(memory)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await memory.undo()
    expect(await memoryText(memory)).toBe(LONG)
    expect(await reviews(memory)).toEqual([review])
    expect(await liveTexts(place.open().session('s'))).toEqual([])
  })

  it('goes when it is rejected; undo brings it back', async () => {
    const { review, change } = await rejectReview(memory)
    expect(change).toBeDefined()
    expect(await memoryText(memory)).toBe(LONG)
    expect(await reviews(memory)).toEqual([])
    await memory.undo()
    expect(await reviews(memory)).toEqual([review])
  })

  it('is merged with what came since, where the lines allow it', async () => {
    await memory.reflect(`${LONG}\n- came since`)
    // All lines were to go, and one came after them: both can be.
    expect((await acceptReview(memory)).entry.content).toContain('- came since')
    await memory.undo()
    await memory.reflect(LONG.replace('number 3', 'number three'))
    await expect(acceptReview(memory)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await memoryText(memory)).toContain('number three')
    expect(await reviews(memory)).toHaveLength(1)
  })

  it('must be named where there are several', async () => {
    await talk(memory.session('t'), 1)
    await consolidate(memory, 't', { model: answering(reply('Said.', '- less')).model })
    await expect(acceptReview(memory)).rejects.toMatchObject({ code: 'INVALID' })
    await expect(rejectReview(memory, 'MEMORY')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await rejectReview(memory, 't-1')
    expect((await reviews(memory)).map(({ name }) => name)).toEqual(['s-1'])
  })

  it('goes with its condensing when that is undone', async () => {
    await memory.undo()
    expect(await reviews(memory)).toEqual([])
    expect(await liveTexts(place.open().session('s'))).toHaveLength(2)
  })
})

describe('a rewrite whose end is not certain', () => {
  it('is not lost: it is kept for review, and a person may accept it', async () => {
    const memory = new Memory(memoryStore(), 'main', Date.now)
    await memory.reflect('- one')
    await talk(memory.session('s'), 1)
    const model = answering(`${reply('Said.', '- one\n- two')} I have kept the rest.`).model
    const done = await consolidate(memory, 's', { model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'for review', review: { reason: 'doubtful' } })
    expect(done.review?.detail).toContain('the reply goes on behind it')
    expect(await memoryText(memory)).toBe('- one')
    expect((await reviews(memory)).map(({ proposed }) => proposed)).toEqual(['- one\n- two'])
    await acceptReview(memory)
    expect(await memoryText(memory)).toBe('- one\n- two')
  })

  it('is only kept as the part that it is where the reply was cut, and not at all where that says nothing new', async () => {
    const memory = new Memory(memoryStore(), 'main', Date.now)
    await memory.reflect('- one\n- two')
    const cut = async (text: string) => {
      await talk(memory.session('s'), 1)
      const content = reply('Said.', text).slice(0, -'"}'.length)
      return consolidate(memory, 's', { model: async () => ({ content, stop: 'length' }) })
    }
    expect(await cut('- one\n- t')).toMatchObject({ outcome: 'condensed', memory: 'unchanged' })
    expect((await cut('- one\n- three, and')).review?.detail).toContain('only a part')
    expect(await memoryText(memory)).toBe('- one\n- two')
  })
})

describe('a memory that is too long for any model', () => {
  const ENDLESS = `- fact\n${'- loop loop loop\n'.repeat(25_000)}- end`

  it('is not made by a model, but may be by a person who accepts it', async () => {
    const memory = new Memory(memoryStore(), 'main', Date.now)
    await memory.reflect('- fact')
    await talk(memory.session('s'), 1)
    const done = await consolidate(memory, 's', { model: answering(reply('Said.', ENDLESS)).model })
    expect(done).toMatchObject({ memory: 'for review', review: { reason: 'grows' }, warnings: [] })
    expect(await memoryText(memory)).toBe('- fact')
    await acceptReview(memory)
    expect(await memoryText(memory)).toBe(ENDLESS)
  })

  it('is told where it is there already', async () => {
    const memory = new Memory(memoryStore(), 'main', Date.now)
    await memory.reflect(ENDLESS)
    await talk(memory.session('s'), 1)
    const done = await consolidate(memory, 's', { model: answering(reply('Said.')).model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'unchanged' })
    expect(done.warnings).toEqual([expect.stringMatching(/^MEMORY\.md has 425\d{3} bytes, too many/)])
  })
})

describe('a rewrite that breaks what is expected of the memory', () => {
  let workspace: Workspace
  let memory: Memory
  beforeEach(async () => {
    workspace = new Workspace()
    memory = workspace.open()
    await memory.reflect('# Deploys\n- we deploy on Tuesdays\n# Tea\n- green tea')
    await talk(memory.session('s'), 1)
  })
  afterEach(() => workspace.remove())

  const expectations = (text: string): void => {
    mkdirSync(workspace.root, { recursive: true })
    writeFileSync(join(workspace.root, 'recall.tests.md'), text)
  }
  const without = answering(reply('Said.', '# Works\n- we work on Mondays\n# Tea\n- green tea')).model

  it('is kept for review, and the review names the test', async () => {
    expectations('- when do we deploy -> must find MEMORY\n- unicorns -> must find MEMORY\n- tea -> must find MEMORY\n')
    const done = await consolidate(memory, 's', { model: without })
    expect(done).toMatchObject({ memory: 'for review', review: { reason: 'breaks recall tests' } })
    expect(done.review?.detail).toContain('recall.tests.md:1 "when do we deploy"')
    expect(done.review?.detail).not.toContain('recall.tests.md:2')
    expect(done.review?.detail).not.toContain('recall.tests.md:3')
    expect(await memoryText(memory)).toContain('Tuesdays')
    expect((await memory.search('deploy')).hits.map(({ entry }) => entry.name)).toContain('MEMORY')
    expect((await memory.search('Mondays')).hits.map(({ entry }) => entry.name)).not.toContain('MEMORY')
  })

  it('is written where all that holds goes on to hold', async () => {
    expectations('- green tea -> must find MEMORY\n')
    expect(await consolidate(memory, 's', { model: without })).toMatchObject({ memory: 'updated', warnings: [] })
    expect((await memory.search('Mondays')).hits.map(({ entry }) => entry.name)).toContain('MEMORY')
  })

  it('also counts where it would be the first MEMORY.md', async () => {
    expectations('- Mondays -> must not find MEMORY\n')
    const other = memory.as('other')
    await talk(other.session('s'), 1)
    expect(await consolidate(other, 's', { model: without })).toMatchObject({ memory: 'for review' })
    expect(await memoryText(other)).toBeUndefined()
  })

  it('is not held up by tests that nobody can read', async () => {
    expectations('- when do we deploy -> MEMORY\n')
    const done = await consolidate(memory, 's', { model: without })
    expect(done.memory).toBe('updated')
    expect(done.warnings).toEqual([expect.stringContaining('recall.tests.md:1')])
  })

  it('is found out in RAM too', async () => {
    const store = memoryStore({ documents: { 'recall.tests.md': 'deploy -> must find MEMORY' } })
    const ram = new Memory(store, 'main', Date.now)
    await ram.reflect('- we deploy on Tuesdays')
    await talk(ram.session('s'), 1)
    expect(await consolidate(ram, 's', { model: without })).toMatchObject({ memory: 'for review' })
  })
})
