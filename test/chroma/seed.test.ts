/** A collection that the seed's program made opens in place, and that program finds what we write. */
import { afterEach, expect, it } from 'vitest'
import type { ServerPlace } from '../../src/model/server-address.ts'
import { type ChromaStore, type ChromaStoreOptions, chromaStore } from '../../src/stores/chroma/store.ts'
import { apply, applyOne, scanned } from '../../src/testing/requests.ts'
import { SeedProgram } from './seed-program.ts'
import { describeOnServer } from './server.ts'

const FACT = 'aaaaaaaa-1111-4111-8111-000000000001'
const TALK = 'aaaaaaaa-1111-4111-8111-000000000002'
const TASK = 'aaaaaaaa-1111-4111-8111-000000000003'
const CREATED = '2026-03-14T09:26:53.589123'

const opened: ChromaStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

function open(place: ServerPlace, options: Omit<ChromaStoreOptions, 'place'> = {}): ChromaStore {
  const store = chromaStore({ place, timezone: 'UTC', ...options })
  opened.push(store)
  return store
}

async function seedCollection(place: ServerPlace): Promise<SeedProgram> {
  const seed = new SeedProgram(place)
  await seed.store(FACT, 'User prefers to be called Alex', {
    ...{ type: 'fact', created_at: CREATED, category: 'user_profile', field: 'name', weight: 0.1, sure: true },
  })
  await seed.store(TALK, 'What is the weather?', { type: 'conversation', created_at: '2026-03-14T09:27:00' })
  await seed.store(TASK, 'Berlin', { type: 'context', created_at: '2026-03-14T09:28:00', context_key: 'city' })
  return seed
}

describeOnServer("the seed's collection", (server) => {
  it('opens as entries of the agent that opens it, and does not change', async () => {
    const place = await server.place()
    const seed = await seedCollection(place)
    const before = await seed.get()
    const store = open(place, { agent: 'robot' })
    const base = { scope: 'robot', aliases: [], description: '', origin: { by: 'hand' } }
    expect(await scanned(store)).toMatchObject([
      {
        ...base,
        ...{ id: FACT, kind: 'fact', name: 'User prefers to be called Alex', createdAt: '2026-03-14T09:26:53.589Z' },
        ...{ content: 'User prefers to be called Alex', expiresAt: null },
        metadata: { category: 'user_profile', field: 'name', weight: 0.1, sure: true },
      },
      { ...base, id: TALK, kind: 'conversation', name: null, expiresAt: '2026-04-13T09:27:00.000Z', metadata: {} },
      { ...base, id: TASK, kind: 'context', key: 'city', expiresAt: '2026-03-15T00:00:00.000Z', metadata: {} },
    ])
    expect((await store.resolveKey('robot', 'city'))?.content).toBe('Berlin')
    expect((await store.get(FACT))?.content).toBe('User prefers to be called Alex')
    expect(await store.problems()).toEqual([])
    expect((await scanned(open(place)))[0]?.scope).toBe('main')
    expect(await seed.get()).toEqual(before)
  })

  it('keeps what the seed and its user wrote when an entry is rewritten', async () => {
    const place = await server.place()
    const seed = await seedCollection(place)
    const store = open(place)
    const written = await applyOne(store, { op: 'write', id: FACT, content: 'User is called Alex' })
    expect(await store.get(FACT)).toEqual(written)
    const { documents, metadatas } = await seed.get({ field: 'name' })
    expect(documents).toEqual(['User is called Alex'])
    expect(metadatas[0]).toMatchObject({
      ...{ type: 'fact', created_at: CREATED, category: 'user_profile', field: 'name', weight: 0.1, sure: true },
      keepsake_scope: 'main',
    })
  })

  it("lets the seed's queries find what we wrote, with types that its program knows", async () => {
    const place = await server.place()
    const store = open(place)
    await apply(store, [
      { op: 'add', scope: 'main', kind: 'fact', content: 'Ann likes tea', metadata: { who: 'Ann', n: 3 } },
      { op: 'add', scope: 'main', kind: 'conversation', content: 'hello' },
      { op: 'add', scope: 'main', kind: 'context', key: 'city', content: 'Rome' },
      { op: 'add', scope: 'main', kind: 'note', name: 'n', content: 'a note' },
    ])
    const seed = new SeedProgram(place)
    expect((await seed.get({ type: 'fact' })).documents.sort()).toEqual(['Ann likes tea', 'a note'])
    expect((await seed.get({ who: 'Ann' })).documents).toEqual(['Ann likes tea'])
    expect((await seed.get({ n: { $gte: 3 } })).documents).toEqual(['Ann likes tea'])
    expect((await seed.get({ context_key: 'city' })).documents).toEqual(['Rome'])
    for (const { type, created_at } of (await seed.get()).metadatas) {
      expect(['fact', 'conversation', 'context']).toContain(type)
      // Python's fromisoformat, and times without a zone, which it can subtract from its own.
      expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
    }
  })

  it('shows at once what the seed adds and forgets', async () => {
    const place = await server.place()
    const seed = await seedCollection(place)
    const store = open(place)
    const { cursor } = await store.feed('now')
    expect((await store.feed(cursor)).restarted).toBe(false)
    await seed.forget(TALK)
    await seed.store('aaaaaaaa-1111-4111-8111-000000000009', 'new', { type: 'fact', created_at: CREATED })
    expect((await store.feed(cursor)).restarted).toBe(true)
    expect((await scanned(store)).map(({ content }) => content).sort()).toEqual([
      'Berlin',
      'User prefers to be called Alex',
      'new',
    ])
  })

  it('may have ids of any form, types in any case and unknown types, and unreadable dates are reported', async () => {
    const place = await server.place()
    const seed = new SeedProgram(place)
    await seed.store('fact-1', 'by another id', { type: 'FACT', created_at: CREATED })
    await seed.store('fact-2', 'an own type', { type: 'recipe', created_at: CREATED })
    await seed.store('fact-3', 'no date', { type: 'conversation', created_at: 'yesterday' })
    await seed.store('fact-4', 'no metadata but this', { x: 1 })
    const store = open(place)
    const entries = await scanned(store)
    const byText = new Map(entries.map((entry) => [entry.content, entry]))
    expect(byText.get('by another id')).toMatchObject({ kind: 'fact', metadata: {} })
    expect(byText.get('an own type')).toMatchObject({ kind: 'fact', metadata: { type: 'recipe' } })
    expect(byText.get('no date')).toMatchObject({ kind: 'conversation', expiresAt: null })
    expect((await store.problems()).map(({ path, undated }) => [path, undated]).sort()).toEqual([
      ['fact-3', true],
      ['fact-4', true],
    ])
    const id = byText.get('by another id')?.id ?? ''
    await applyOne(store, { op: 'rename', id, name: 'renamed' })
    expect((await store.get(id))?.name).toBe('renamed')
    expect((await seed.get({ keepsake_name: 'renamed' })).ids).toEqual(['fact-1'])
    const own = byText.get('an own type')?.id ?? ''
    await applyOne(store, { op: 'write', id: own, content: 'rewritten' })
    expect((await store.get(own))?.metadata).toEqual({ type: 'recipe' })
    await store.purge([id])
    expect((await seed.get()).ids.sort()).toEqual(['fact-2', 'fact-3', 'fact-4'])
  })

  it('keeps metadata of any kind, beside our keys and after external changes', async () => {
    const place = await server.place()
    const store = open(place)
    const metadata = {
      ...{ type: 'mine', created_at: 'long ago', keepsake_scope: 'x', context_key: 'k', '': 'empty', $x: 1, '#y': 2 },
      ...{
        nested: { a: [1, null, { b: 'ü' }] },
        list: ['a', 1],
        none: null,
        'ключ 🧠': 'значение',
        'chroma:document': 'z',
      },
      ...{ yes: true, zero: 0, small: 5e-324, third: 1 / 3, large: 1e300, big: 2 ** 53, text: '' },
    }
    const { id } = await applyOne(store, { op: 'add', scope: 'main', kind: 'note', name: 'n', content: 'c', metadata })
    expect((await store.get(id))?.metadata).toEqual(metadata)
    expect((await open(place).get(id))?.metadata).toEqual(metadata)
    await applyOne(store, { op: 'write', id, metadata: { kept: 1, third: 0.25 } })
    expect((await open(place).get(id))?.metadata).toEqual({ kept: 1, third: 0.25 })
    const [record] = (await new SeedProgram(place).get()).metadatas
    expect(Object.keys(record ?? {}).filter((key) => !key.startsWith('keepsake_'))).toEqual(
      expect.arrayContaining(['type', 'created_at', 'kept', 'third']),
    )
    expect(record).not.toHaveProperty('zero')
  })

  it('keeps long texts whole', async () => {
    const place = await server.place()
    const long = `${'Zeile über 🧠 und Tee.\n'.repeat(20_000)}end`
    const { id } = await applyOne(open(place), { op: 'add', scope: 'main', kind: 'note', name: 'n', content: long })
    expect((await open(place).get(id))?.content).toBe(long)
    expect((await new SeedProgram(place).get()).ids).toEqual([id])
  })
})
