/** The seeds' own tools on both stores: names, parameters, defaults and result shapes to the letter. */
import { describe, expect } from 'vitest'
import { itOn } from '../one-row.ts'
import { Bench, type Data, STORES } from './bench.ts'

describe.each(STORES)('agnx on the %s store', (store) => {
  const it = itOn(store, 'answers each call with a text, the same in both forms')
  it('answers each call with a text, the same in both forms', async () => {
    const bench = await Bench.open(store)
    const texts: string[] = []
    for (const [which, args] of [
      ['agnx.recall', undefined],
      ['agnx.remember', { content: 'Staging moved.' }],
      ['agnx.reflect', { content: 'Answer shortly.' }],
      ['agnx.learn_fact', { topic: 'People', content: 'Ada leads.' }],
      ['agnx.recall', { days: 1 }],
    ] as const) {
      const { text, structured, isError } = await bench.call(which, args)
      expect([isError, structured]).toEqual([undefined, { result: text }])
      texts.push(text)
    }
    expect(texts[0]).toBe('Nothing is remembered yet.')
    expect(texts[1]).toMatch(/^Remembered the experience [\s\S]*change: 1$/)
    expect(texts[2]).toMatch(/^Wrote MEMORY\.md\./)
    expect(texts[3]).toMatch(/^Wrote the topic "People"\./)
    expect(texts[4]).toMatch(
      /^# World Knowledge[\s\S]*\n---\n[\s\S]*# Your Memory[\s\S]*\n---\n[\s\S]*Staging moved\.$/,
    )
  })

  it('recalls three days when nothing is said', async () => {
    const bench = await Bench.open(store)
    for (const day of ['12', '13', '15']) {
      bench.at(`2026-11-${day}T10:00:00.000Z`)
      await bench.done('agnx.remember', { content: `Day ${day}.` })
    }
    const { result } = await bench.done('agnx.recall', {})
    expect([result.includes('Day 15'), result.includes('Day 13'), result.includes('Day 12')]).toEqual([
      true,
      true,
      false,
    ])
    expect(bench.tool('agnx', 'recall').inputSchema.properties['days']?.default).toBe(3)
  })

  it('asks for content in its schemas, but reads without', async () => {
    const bench = await Bench.open(store)
    expect(bench.tool('agnx', 'reflect').inputSchema.required).toEqual(['content'])
    expect(bench.tool('agnx', 'learn_fact').inputSchema.required).toEqual(['topic', 'content'])
    expect((await bench.done('agnx.reflect')).result).toBe('There is no MEMORY.md yet.')
    await bench.done('agnx.reflect', { content: 'One.' })
    await bench.done('agnx.learn_fact', { topic: 'People', content: 'Two.' })
    expect((await bench.done('agnx.reflect', {})).result).toMatch(/revision: [0-9a-f]{16}\n\nOne\.$/)
    expect((await bench.done('agnx.learn_fact', { topic: 'people', content: null })).result).toMatch(/\n\nTwo\.$/)
    const blank = await bench.call('agnx.reflect', { content: '  ' })
    expect([blank.isError, (await bench.memory.find('MEMORY')).content]).toEqual([true, 'One.'])
  })
})

describe.each(STORES)('reachy on the %s store', (store) => {
  const it = itOn(store, 'stores, finds and forgets, as JSON in both forms')
  it('stores, finds and forgets, as JSON in both forms', async () => {
    const bench = await Bench.open(store)
    const stored = await bench.call('reachy.store_memory', { content: 'User likes tea.', metadata: { sure: 0.9 } })
    const { id } = stored.structured as Data
    expect(stored.structured).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      content: 'User likes tea.',
      type: 'fact',
      created_at: '2026-11-15T14:03:00.000Z',
    })
    const found = await bench.call('reachy.search_memories', { query: 'tea' })
    expect(found.structured).toEqual({
      result: [
        {
          id,
          content: 'User likes tea.',
          type: 'fact',
          score: expect.any(Number),
          created_at: '2026-11-15T14:03:00.000Z',
          metadata: { sure: 0.9 },
        },
      ],
      mode: 'lexical',
    })
    const forgotten = await bench.call('reachy.forget_memory', { memory_id: id })
    expect(forgotten.structured).toEqual({ success: true, id })
    const again = await bench.call('reachy.forget_memory', { memory_id: id })
    expect([again.isError, again.structured]).toEqual([undefined, { success: false, id, reason: 'not found' }])
    for (const { text, structured } of [stored, found, forgotten, again]) expect(JSON.parse(text)).toEqual(structured)
    expect(await bench.done('reachy.search_memories', { query: 'tea' })).toEqual({ result: [], mode: 'lexical' })
  })

  it('sees only its three types, and forgets no other', async () => {
    const bench = await Bench.open(store)
    const tea = async (kind: string, args: object = {}): Promise<string> =>
      (await bench.done('default.remember', { content: `tea as ${kind}`, kind, ...args })).entry.id
    const [fact, talk, context] = [
      await tea('fact'),
      await tea('conversation'),
      await tea('context', { name: 'drink' }),
    ]
    const others = [await tea('note'), await tea('experience')]
    others.push((await bench.done('default.learn_fact', { topic: 'Tea', content: 'tea' })).entry.id)
    others.push((await bench.done('default.reflect', { content: 'tea' })).entry.id)
    const { result } = await bench.done('reachy.search_memories', { query: 'tea', limit: 50 })
    expect(result.map((hit: Data) => hit.id).sort()).toEqual([fact, talk, context].sort())
    expect(result.find((hit: Data) => hit.id === context).metadata).toEqual({ context_key: 'drink' })
    const talks = await bench.done('reachy.search_memories', { query: 'tea', memory_type: 'conversation' })
    expect(talks.result.map((hit: Data) => hit.id)).toEqual([talk])
    for (const id of [...others, 'Tea', 'drink', '../main/MEMORY']) {
      expect(await bench.done('reachy.forget_memory', { memory_id: id })).toMatchObject({ success: false, id })
    }
    expect(await bench.memory.list()).toHaveLength(7)
  })

  it('gives five results when nothing is said', async () => {
    const bench = await Bench.open(store)
    for (let n = 1; n <= 7; n++)
      await bench.done('reachy.store_memory', { content: `Cup number ${n} of ${n * n} tea.` })
    expect((await bench.done('reachy.search_memories', { query: 'tea' })).result).toHaveLength(5)
    expect((await bench.done('reachy.search_memories', { query: 'tea', limit: '6' })).result).toHaveLength(6)
  })

  it('keeps one value of a profile field, also of one that came by another way, and several at once', async () => {
    const bench = await Bench.open(store)
    const profile = (field: string): object => ({ category: 'user_profile', field })
    const first = await bench.done('reachy.store_memory', { content: 'Called Alex.', metadata: profile('name') })
    const second = await bench.done('reachy.store_memory', { content: 'Called Sam.', metadata: profile('name') })
    expect([second.id, second.content]).toEqual([first.id, 'Called Sam.'])
    await bench.done('reachy.store_memory', { content: 'Called Sam.', metadata: profile('nickname') })
    await bench.memory.remember('Likes robots.', { kind: 'fact', metadata: { ...profile('interests') } })
    await bench.done('reachy.store_memory', { content: 'Likes boats.', metadata: profile('interests') })
    await Promise.all(
      ['a', 'b', 'c'].map((content) => bench.done('reachy.store_memory', { content, metadata: profile('city') })),
    )
    const facts = (await bench.memory.list({ kinds: ['fact'] })).map(({ content, metadata }) => [
      metadata['field'],
      content,
    ])
    expect(facts).toEqual([
      ['name', 'Called Sam.'],
      ['nickname', 'Called Sam.'],
      ['interests', 'Likes boats.'],
      ['city', expect.stringMatching(/^[abc]$/)],
    ])
    const lines = { category: 'user_profile', field: `a\nfield ${'x'.repeat(300)}` }
    const long = await bench.done('reachy.store_memory', { content: 'one', metadata: lines })
    const other = await bench.done('reachy.store_memory', {
      content: 'two',
      metadata: { ...lines, field: `${lines.field}y` },
    })
    expect(other.id).not.toBe(long.id)
  })

  it('keeps the same fact once, with a new time', async () => {
    const bench = await Bench.open(store)
    const first = await bench.done('reachy.store_memory', { content: 'Likes tea.', metadata: { from: 'chat' } })
    bench.at('2026-11-16T09:00:00.000Z')
    const second = await bench.done('reachy.store_memory', { content: 'Likes tea.\n', metadata: { from: 'chat' } })
    expect(second).toEqual(first)
    const facts = await bench.memory.list({ kinds: ['fact'] })
    expect(facts).toMatchObject([
      { updatedAt: '2026-11-16T09:00:00.000Z', metadata: { from: 'chat' }, content: 'Likes tea.' },
    ])
  })

  it('sets context by its key, and without one replaces nothing', async () => {
    const bench = await Bench.open(store)
    const context = (content: string, metadata?: object): Promise<Data> =>
      bench.done('reachy.store_memory', { content, memory_type: 'context', metadata })
    const first = await context('tea task', { context_key: 'task', n: 1 })
    expect((await context('tea break', { context_key: 'task' })).id).toBe(first.id)
    await context('tea one')
    await context('tea two', { n: 2 })
    const { result } = await bench.done('reachy.search_memories', { query: 'tea', memory_type: 'context' })
    const byContent = Object.fromEntries(result.map((hit: Data) => [hit.content, hit.metadata]))
    expect(byContent).toEqual({ 'tea break': { context_key: 'task' }, 'tea one': {}, 'tea two': { n: 2 } })
    expect((await bench.memory.list()).every(({ expiresAt }) => expiresAt === '2026-11-15T23:00:00.000Z')).toBe(true)
    bench.at('2026-11-16T08:00:00.000Z')
    expect((await bench.done('reachy.search_memories', { query: 'tea' })).result).toEqual([])
  })

  it("keeps a user's own type and created_at apart from ours", async () => {
    const bench = await Bench.open(store)
    const metadata = JSON.parse('{"type":"x","created_at":"never","__proto__":{"a":1},"constructor":2}')
    await bench.done('reachy.store_memory', { content: 'tea talk', memory_type: 'conversation', metadata })
    const { result } = await bench.done('reachy.search_memories', { query: 'tea' })
    expect(result[0]).toMatchObject({ type: 'conversation', created_at: '2026-11-15T14:03:00.000Z' })
    expect(JSON.stringify(result[0].metadata)).toBe(JSON.stringify(metadata))
    expect((await bench.memory.list())[0]?.expiresAt).toBe('2026-12-15T14:03:00.000Z')
  })
})

describe.each(STORES)('crabtalk on the %s store', (store) => {
  const it = itOn(store, 'creates, overwrites, finds and forgets by name, and answers with a text')
  const ship = { name: 'Deploy Steps', description: 'Before a release', content: 'Run make ship.' }

  it('creates, overwrites, finds and forgets by name, and answers with a text', async () => {
    const bench = await Bench.open(store)
    const made = await bench.call('crabtalk.remember', ship)
    expect(made.structured).toEqual({ result: made.text })
    expect(made.text).toMatch(/^Remembered the note "Deploy Steps"\./)
    expect((await bench.done('crabtalk.remember', { ...ship, content: 'Run make.' })).result).toMatch(/^Rewrote /)
    expect((await bench.done('crabtalk.recall', { query: 'release', limit: 3 })).result).toBe(
      '## Deploy Steps\n\nBefore a release\n\nRun make.',
    )
    expect((await bench.call('crabtalk.forget', { name: 'Deploi Steps' })).text).toContain(
      'Did you mean "Deploy Steps"?',
    )
    expect((await bench.done('crabtalk.forget', { name: 'deploy-steps' })).result).toMatch(
      /^Forgot the note "Deploy Steps"\.[\s\S]*A person can bring it back: keepsake undo 3$/,
    )
    expect(await bench.memory.list()).toEqual([])
  })

  it('forgets own cards only: by name, alias, slug or case where only one is meant', async () => {
    const bench = await Bench.open(store)
    for (const [ref, name] of [
      ['deploys', 'Deploys'],
      ['releases', 'Deploys'],
      ['the-user', 'The User'],
    ] as const) {
      await bench.memory.remember('x', {
        kind: name === 'The User' ? 'fact' : 'note',
        name,
        ...(name === 'Deploys' ? { aliases: ['Releases'] } : {}),
      })
      expect((await bench.done('crabtalk.forget', { name: ref })).result).toContain(`"${name}"`)
    }
    await bench.memory.remember('x', { name: 'abc' })
    await bench.memory.remember('x', { name: 'ABC' })
    expect((await bench.call('crabtalk.forget', { name: 'aBc' })).text).toContain('Did you mean "abc" or "ABC"?')
    await bench.memory.learnFact('People', 'x')
    await bench.memory.reflect('x')
    await bench.memory.remember('x', { kind: 'archive', name: 'chat-1' })
    for (const name of ['People', 'MEMORY', 'chat-1', 'IDENTITY']) {
      expect((await bench.call('crabtalk.forget', { name })).isError).toBe(true)
    }
    expect(await bench.memory.list()).toHaveLength(5)
  })

  it('recalls what an entry can be, not MEMORY.md, and as many as the memory is set up for', async () => {
    const bench = await Bench.open(store, { recallLimit: 2 })
    await bench.done('crabtalk.memory', { content: 'zebra in the memory' })
    const nothing = (await bench.done('crabtalk.recall', { query: 'zebra' })).result
    expect(nothing).toMatch(/^Nothing to search was let through|^Nothing found for "zebra"/)
    expect(nothing).not.toMatch(/without kind/)
    await bench.done('crabtalk.remember', { ...ship, content: 'zebra one' })
    await bench.memory.learnFact('Animals', 'zebra two')
    await bench.memory.remember('zebra three')
    const { result } = await bench.done('crabtalk.recall', { query: 'zebra' })
    expect(result.match(/^## /gm)).toHaveLength(2)
    const all = (await bench.done('crabtalk.recall', { query: 'zebra', limit: 10 })).result
    expect(all.match(/^## .*$/gm).sort()).toEqual(['## 2026-11-15 15:03', '## Animals', '## Deploy Steps'])
    expect(bench.tool('crabtalk', 'recall').inputSchema.properties['limit']?.default).toBe(2)
  })

  it('overwrites MEMORY.md, and never with nothing', async () => {
    const bench = await Bench.open(store)
    expect((await bench.done('crabtalk.memory', { content: 'One.' })).result).toMatch(/^Wrote MEMORY\.md\./)
    expect((await bench.done('crabtalk.memory', { content: 'Two.' })).result).toMatch(/^Rewrote MEMORY\.md\./)
    expect((await bench.call('crabtalk.memory', { content: '' })).isError).toBe(true)
    expect((await bench.done('crabtalk.memory', {})).result).toMatch(/\n\nTwo\.$/)
  })

  it('tells what to do about a name that something else has', async () => {
    const bench = await Bench.open(store)
    await bench.memory.remember('x', { kind: 'archive', name: 'chat-1' })
    const { isError, text } = await bench.call('crabtalk.remember', { ...ship, name: 'chat-1' })
    expect([isError, text]).toEqual([
      true,
      '"chat-1" is an archive and can\'t be overwritten\nChoose another name or alias.',
    ])
  })
})
