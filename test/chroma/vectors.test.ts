/** Vectors on a real server: searched there, used only for the text that they were made from, and those of the seed count too. */
import { expect, it } from 'vitest'
import type { Entry } from '../../src/model/entry.ts'
import type { Kind } from '../../src/model/kinds.ts'
import type { ServerPlace } from '../../src/model/server-address.ts'
import type { NativeVectors } from '../../src/ports/vectors.ts'
import { type ChromaStore, chromaStore } from '../../src/stores/chroma/store.ts'
import { apply, applyOne, note } from '../../src/testing/requests.ts'
import { SeedProgram, unit } from './seed-program.ts'
import { describeOnServer } from './server.ts'

const MODEL = { name: 'all-MiniLM-L6-v2', dimensions: 384, pieces: 2 }
const KINDS: readonly Kind[] = ['note', 'fact', 'conversation']

function open(place: ServerPlace): ChromaStore & { readonly vectors: NativeVectors } {
  const store = chromaStore({ place, timezone: 'UTC' })
  if (!store.vectors) throw new Error('it keeps vectors')
  return { ...store, vectors: store.vectors }
}

function axis(n: number): Float32Array {
  return Float32Array.from(unit(n))
}

function made(
  entry: Entry,
  n: number,
): { id: string; revision: string; pieces: { hash: string; vector: Float32Array }[] } {
  return { id: entry.id, revision: entry.revision, pieces: [{ hash: `h${n}`, vector: axis(n) }] }
}

describeOnServer('vectors on a Chroma server', (server) => {
  const near = async (store: ReturnType<typeof open>, n: number, kinds = KINDS, scopes = ['main']) =>
    store.vectors.nearest(axis(n), { scopes, kinds, limit: 10 })

  it('are pending until they are put, and used only until the text changes', async () => {
    const store = open(await server.place())
    const { entries } = await apply(store, [note('a'), note('b'), note('c', { scope: 'other' })])
    const [a, b, c] = entries as [Entry, Entry, Entry]
    expect(await near(store, 1)).toEqual({ near: [], isAll: true })
    expect(await store.vectors.status(['main'])).toEqual({ pending: [a.id, b.id], refused: [] })
    await store.vectors.reset(MODEL)
    const pending = await store.vectors.pending(0, 2)
    expect(pending.length).toBeGreaterThanOrEqual(2)
    await store.vectors.put([made(a, 1), { id: b.id, revision: b.revision, pieces: [], isRefused: true }, made(c, 1)], {
      model: MODEL,
    })
    await store.vectors.put([{ ...made(a, 5), revision: '0000000000000000' }], { model: MODEL })
    expect(await store.vectors.status(['main'])).toEqual({ model: MODEL, pending: [], refused: [b.id] })
    expect((await near(store, 1)).near).toEqual([{ id: a.id, cosine: expect.closeTo(1, 5) }])
    expect((await near(store, 1, ['fact'])).near).toEqual([])
    expect((await near(store, 1, KINDS, ['other'])).near.map(({ id }) => id)).toEqual([c.id])
    const read = await store.vectors.read([a.id, b.id])
    expect(read.get(a.id)).toEqual({ pieces: [{ hash: 'h1', vector: axis(1) }], isCurrent: true })
    expect(read.get(b.id)).toEqual({ pieces: [], isCurrent: true })

    await applyOne(store, { op: 'rename', id: a.id, name: 'renamed' })
    expect((await near(store, 1)).near).toEqual([])
    expect((await store.vectors.status(['main'])).pending).toEqual([a.id])
    expect((await store.vectors.read([a.id])).get(a.id)).toMatchObject({ isCurrent: false, pieces: [{ hash: 'h1' }] })
    expect((await store.vectors.pending(0, 10)).map(({ id }) => id)).toEqual([a.id])
    await store.close()
  })

  it('do not count as a change of the entries', async () => {
    const store = open(await server.place())
    const entry = await applyOne(store, note('a'))
    const { cursor } = await store.feed('now')
    await store.vectors.reset(MODEL)
    await store.vectors.put([made(entry, 1)], { model: MODEL })
    expect((await store.feed(cursor)).restarted).toBe(false)
    await store.close()
  })

  it("of the seed's program are used, also after the first of ours", async () => {
    const place = await server.place()
    const seed = new SeedProgram(place)
    const ids = ['aaaaaaaa-1111-4111-8111-000000000001', 'aaaaaaaa-1111-4111-8111-000000000002']
    await seed.store(ids[0] ?? '', 'tea', { type: 'fact', created_at: '2026-03-14T09:27:00' }, unit(1))
    await seed.store(ids[1] ?? '', 'hi', { type: 'conversation', created_at: '2026-03-14T09:27:00' }, unit(2))
    const store = open(place)
    expect(await store.vectors.status(['main'])).toEqual({ pending: [], refused: [] })
    const entry = await applyOne(store, note('a'))
    await store.vectors.reset(MODEL)
    expect((await store.vectors.status(['main'])).pending).toEqual([entry.id])
    expect((await near(store, 1)).near.map(({ id }) => id)).toEqual([ids[0], ids[1]])
    expect((await near(store, 2, ['conversation'])).near).toEqual([{ id: ids[1], cosine: expect.closeTo(1, 5) }])
    await store.vectors.reset({ ...MODEL, name: 'another model' })
    expect((await store.vectors.status(['main'])).pending).toHaveLength(3)
    expect((await near(store, 1)).near).toEqual([])
    await store.close()
  })

  it('have the dimension of the first model, or of the first record', async () => {
    const place = await server.place()
    const small = { name: 'small', dimensions: 4, pieces: 2 }
    const first = open(place)
    await first.vectors.reset(small)
    const entry = await applyOne(first, note('a'))
    const vector = Float32Array.from([0, 1, 0, 0])
    await first.vectors.put([{ id: entry.id, revision: entry.revision, pieces: [{ hash: 'h', vector }] }], {
      model: small,
    })
    const found = await first.vectors.nearest(vector, { scopes: ['main'], kinds: KINDS, limit: 3 })
    expect(found).toEqual({ near: [{ id: entry.id, cosine: expect.closeTo(1, 5) }], isAll: true })
    await expect(first.vectors.reset(MODEL)).rejects.toMatchObject({
      code: 'INVALID',
      data: { field: 'embedding_model', dimensions: 384, there: 4 },
    })
    await first.close()
  })

  it('are the ten nearest of a thousand, filtered on the server', async () => {
    const store = open(await server.place())
    const { entries } = await apply(
      store,
      Array.from({ length: 1000 }, (_, n) => note(`n${n}`, { scope: n % 2 === 0 ? 'main' : 'other' })),
    )
    await store.vectors.reset(MODEL)
    const vectors = new Map(entries.map((entry, n) => [entry.id, random(n)]))
    await store.vectors.put(
      entries.map(({ id, revision }) => ({ id, revision, pieces: [{ hash: id, vector: vectors.get(id) ?? axis(0) }] })),
      { model: MODEL },
    )
    let same = 0
    for (let n = 0; n < 20; n++) {
      const query = random(5000 + n)
      const dot = (id: string): number => query.reduce((sum, value, k) => sum + value * (vectors.get(id)?.[k] ?? 0), 0)
      const main = entries.filter(({ scope }) => scope === 'main').sort((a, b) => dot(b.id) - dot(a.id))
      const exact = new Set(main.slice(0, 10).map(({ id }) => id))
      const { near: found } = await store.vectors.nearest(query, { scopes: ['main'], kinds: ['note'], limit: 10 })
      expect(found.every(({ id, cosine }) => Math.abs(cosine - dot(id)) < 1e-4)).toBe(true)
      same += found.filter(({ id }) => exact.has(id)).length
    }
    expect(same).toBeGreaterThanOrEqual(190)
    await store.close()
  })
})

/** A unit vector, the same for the same seed. */
function random(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1
  const values = Float32Array.from({ length: 384 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state / 2 ** 31
  })
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}
