/** Typed memories as the library has them: facts, conversations, context, and their metadata. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Metadata } from '../../src/model/entry.ts'
import { MEMORY_TYPES } from '../../src/model/memory-types.ts'
import { itOn } from '../one-row.ts'
import { Bench, newFolder, STORES } from '../tools/bench.ts'

const PROFILE = { category: 'user_profile', field: 'name' }

describe.each(STORES)('typed memories on the %s store', (store) => {
  const it = itOn(
    store,
    'are one fact by whatever way it comes, its time moved, and undo gives the earlier value of a field',
  )
  it('live as long as their type says', async () => {
    const { memory } = await Bench.open(store)
    const ends = await Promise.all(
      MEMORY_TYPES.map(async (type) => (await memory.storeMemory(`a ${type}`, type)).entry.expiresAt),
    )
    expect(ends).toEqual(['2026-12-15T14:03:00.000Z', null, '2026-11-15T23:00:00.000Z'])
    await expect(memory.storeMemory('x', 'note' as never)).rejects.toThrow(/kind: "note" is not a type of memory/)
  })

  it('are one fact by whatever way it comes, its time moved, and undo gives the earlier value of a field', async () => {
    const bench = await Bench.open(store)
    const { memory } = bench
    const first = await memory.remember('Likes tea.', { kind: 'fact', ttl: '1h', aliases: ['tea'] })
    bench.at('2026-11-15T14:30:00.000Z')
    const other = await memory.storeMemory('Likes tea.', 'fact', { metadata: { sure: true } })
    expect(other.replaced).toBeUndefined()
    await memory.forget(other.entry.id)
    const second = await memory.storeMemory('Likes tea.\n', 'fact')
    const tool = await bench.done('reachy.store_memory', { content: 'Likes tea.' })
    expect([second.entry.id, tool.id, second.replaced]).toEqual([first.entry.id, first.entry.id, first.entry.revision])
    // Said again without an end, it has none.
    const [fact] = await memory.list()
    expect(fact).toMatchObject({
      updatedAt: '2026-11-15T14:30:00.000Z',
      createdAt: '2026-11-15T14:03:00.000Z',
      expiresAt: null,
      aliases: ['tea'],
      metadata: {},
    })
    await memory.remember('Called Alex.', { kind: 'fact', metadata: PROFILE })
    const sam = await memory.remember('Called Sam.', { kind: 'fact', metadata: PROFILE })
    expect(
      (await memory.list({ where: [{ key: 'field', op: '=', value: 'name' }] })).map((one) => one.content),
    ).toEqual(['Called Sam.'])
    await memory.undo({ changes: [sam.change?.number ?? 0] })
    expect((await memory.get(sam.entry.id))?.content).toBe('Called Alex.')
    const same = (await memory.log()).filter(({ touched }) => touched.some(({ id }) => id === first.entry.id))
    expect(same).toHaveLength(3)
  })

  it('keep what is expected of a fact', async () => {
    const { memory } = await Bench.open(store)
    const { entry } = await memory.storeMemory('Called Alex.', 'fact', { metadata: PROFILE, expect: null })
    const again = memory.storeMemory('Called Sam.', 'fact', { metadata: PROFILE, expect: null })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
    const stale = memory.storeMemory('Called Sam.', 'fact', { metadata: PROFILE, expect: '0123456789abcdef' })
    await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' })
    const none = memory.storeMemory('Lives here.', 'fact', { expect: entry.revision })
    await expect(none).rejects.toMatchObject({ code: 'CONFLICT' })
    const { replaced } = await memory.storeMemory('Called Sam.', 'fact', { metadata: PROFILE, expect: entry.revision })
    expect(replaced).toBe(entry.revision)
    const long = { category: 'user_profile', field: 'x'.repeat(300) }
    for (const field of [long, { ...long, field: `${long.field}y` }]) {
      for (let n = 0; n < 2; n++) await memory.storeMemory(`value ${field.field.length}`, 'fact', { metadata: field })
    }
    expect(await memory.list()).toHaveLength(3)
    await memory.remember('mine', { name: 'taken' })
    const taken = memory.remember('Likes rain.', { kind: 'fact', aliases: ['taken'] })
    await expect(taken).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  })

  it('hold one context a key, for the day on which it was set last', async () => {
    const bench = await Bench.open(store)
    const { memory } = bench
    expect(await memory.getContext('task')).toBeNull()
    const first = await memory.setContext('task', 'billing', { ttl: '30s' })
    const second = await memory.setContext('task', 'taxes')
    expect([second.entry.id, second.entry.expiresAt]).toEqual([first.entry.id, '2026-11-15T23:00:00.000Z'])
    const keyless = await memory.storeMemory('no key', 'context')
    expect([keyless.entry.key, keyless.entry.name]).toEqual([undefined, null])
    await memory.remember('no key', { kind: 'context' })
    const unheard = memory.remember('no key', { kind: 'context', expect: '0123456789abcdef' })
    await expect(unheard).rejects.toMatchObject({ code: 'INVALID', message: expect.stringContaining('expect') })
    bench.at('2026-11-15T22:59:59.999Z')
    expect([await memory.getContext(' task '), (await memory.list()).length]).toEqual(['taxes', 3])
    expect(await memory.as('other').getContext('task')).toBeNull()
    bench.at('2026-11-15T23:00:00.000Z')
    expect(await memory.getContext('task')).toBeNull()
    const third = await memory.setContext('task', 'rest')
    expect(third.replaced).toBeUndefined()
    expect((await memory.list()).map(({ content }) => content)).toEqual(['rest'])
    await expect(memory.getContext('')).rejects.toMatchObject({ code: 'INVALID' })
    await expect(memory.setContext('a\nb', 'x')).rejects.toMatchObject({ code: 'INVALID' })
  })

  it.each(MEMORY_TYPES)("keep a user's own keys of a %s apart from ours", async (type) => {
    const bench = await Bench.open(store)
    const { memory } = bench
    const other = '0190c5e2-7b1a-7c3d-8e4f-0123456789ab'
    const metadata = JSON.parse(
      `{"type":"x","created_at":"1999-01-01","id":"${other}","__proto__":{"a":1},"constructor":"c","expires":"1999-01-01",
        "kind":"topic","session":"theirs","key":"k","name":"n","hasOwnProperty":1,"toString":null}`,
    ) as Metadata
    const { entry } = await memory.storeMemory('zebra of mine', type, { metadata, session: 'ours' })
    const plain = await memory.storeMemory('plain zebra', type, { session: 'ours' })
    expect(JSON.stringify(entry.metadata)).toBe(JSON.stringify(metadata))
    expect(entry).toMatchObject({ kind: type, createdAt: '2026-11-15T14:03:00.000Z', origin: { session: 'ours' } })
    expect([entry.id, entry.expiresAt]).toEqual([expect.not.stringMatching(other), plain.entry.expiresAt])
    const found = async (): Promise<unknown[]> => [
      JSON.stringify((await memory.get(entry.id))?.metadata),
      ...(await Promise.all(
        [
          ['type', 'x'],
          ['created_at', '1999-01-01'],
          ['id', other],
          ['__proto__.a', 1],
          ['constructor', 'c'],
          ['expires', '1999-01-01'],
          ['kind', 'topic'],
          ['session', 'theirs'],
        ].map(async ([key, value]) => {
          const where = [{ key: String(key), op: '=' as const, value: value ?? null }]
          const listed = (await memory.list({ where })).map(({ id }) => id)
          const { hits } = await memory.search('zebra', { where })
          return [...listed, ...hits.map((hit) => hit.entry.id)].join()
        }),
      )),
    ]
    const wanted = [JSON.stringify(metadata), ...Array.from({ length: 8 }, () => `${entry.id},${entry.id}`)]
    expect(await found()).toEqual(wanted)
    const { result } = await bench.done('reachy.search_memories', { query: 'mine' })
    expect(result[0]).toMatchObject({ id: entry.id, type, created_at: entry.createdAt })
    expect(JSON.stringify(result[0].metadata)).toBe(JSON.stringify(metadata))
    expect(Object.prototype).not.toHaveProperty('a')
  })
})

describe('typed memories', () => {
  it('are set up by agent.yaml', async () => {
    const folder = newFolder()
    const config = join(folder, 'agent.yaml')
    writeFileSync(config, 'spec:\n  memory:\n    context_window_size: 2\n    cleanup_interval: 0\n')
    const memory = await openMemory({ config, embeddingModel: 'none' })
    expect(memory.settings).toMatchObject({ contextWindowSize: 2, cleanupInterval: 0 })
    await memory.close()
  })

  it.each(MEMORY_TYPES)('of type %s are the same without .state, metadata of any name included', async (type) => {
    const workspace = newFolder()
    const clock = (): number => Date.parse('2026-11-15T14:03:00.000Z')
    const metadata = JSON.parse('{"type":"x","id":7,"__proto__":{"a":[1]},"expires":"no","kind":null,"constructor":{}}')
    const memory = await openMemory({ workspace, clock, timezone: 'UTC', embeddingModel: 'none' })
    const { entry } = await memory.storeMemory('zebra', type, { metadata, ttl: '2h' })
    await memory.close()
    rmSync(join(workspace, '.state'), { recursive: true })
    const again = await openMemory({ workspace, clock, embeddingModel: 'none' })
    const read = await again.get(entry.id)
    expect(JSON.stringify(read?.metadata)).toBe(JSON.stringify(metadata))
    expect(read).toMatchObject({ id: entry.id, kind: type, revision: entry.revision, expiresAt: entry.expiresAt })
    await again.close()
  })
})
