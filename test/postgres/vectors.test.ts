/**
 * Vectors in PostgreSQL: what they are of, which ones count, and that both ways to search them, pgvector and the scan in this process, find
 * what an exact search finds.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Kind } from '../../src/model/kinds.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import type { Store } from '../../src/ports/store.ts'
import type { EntryVectors, NativeVectors, NearestEntries, VectorModel } from '../../src/ports/vectors.ts'
import { VectorIndex } from '../../src/search/vectors/vector-index.ts'
import { write } from '../../src/stores/engine/sql.ts'
import { sqlStore } from '../../src/stores/engine/store.ts'
import { deleteVectors, putVectors as putRows, writeVectorState } from '../../src/stores/engine/vector-table.ts'
import { sqlVectors } from '../../src/stores/engine/vectors.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Letters } from '../faults/letters.mjs'
import { createTables, type RecordedDatabase, recordedDatabase } from './recorded-database.ts'
import { describeOnPostgres, type PostgresTestServer } from './server.ts'

const MODEL: VectorModel = { name: 'random', dimensions: 48, pieces: 2 }
const SCOPES = ['main', 'scout', 'helper']
const KINDS: readonly Kind[] = ['fact', 'experience', 'context']
const EVERYTHING = { scopes: SCOPES, kinds: KINDS }
/** By how much sums of pgvector may differ: it adds in another order. */
const TOLERANCE = 1e-6

interface Place {
  readonly url: string
  readonly database: RecordedDatabase
  readonly store: Store
  readonly vectors: NativeVectors
}

async function openPlace(url: string): Promise<Place> {
  const database = recordedDatabase(url)
  const { settings } = memoryStore()
  const found = await settings()
  return { url, database, store: sqlStore(database, { settings: () => found }), vectors: sqlVectors(database) }
}

async function createPlace(server: PostgresTestServer, hasVector = true): Promise<Place> {
  const place = await openPlace(await server.createDatabase({ hasVector }))
  await createTables(place.database)
  return place
}

/** As superuser in the database of the place. */
function administer(server: PostgresTestServer, place: Place, statement: string): Promise<readonly object[]> {
  const url = new URL(server.superuserUrl)
  url.pathname = new URL(place.url).pathname
  return server.query(statement, [], url.href)
}

/** The same numbers on each run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function randomVector(random: () => number, dimensions = MODEL.dimensions): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function add(content: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'fact', content, ...more } as AddOperation
}

async function addEntries(place: Place, operations: readonly AddOperation[]) {
  return (await place.store.apply({ operations, origin: { by: 'user' } })).entries
}

/** Vectors of these entries as they are now: `piecesOf` says which. */
async function putVectors(
  { store, vectors }: Place,
  ids: readonly string[],
  piecesOf: (id: string) => readonly Float32Array[],
): Promise<void> {
  const made: EntryVectors[] = []
  for (const id of ids) {
    const { revision = '' } = (await store.get(id)) ?? {}
    made.push({ id, revision, pieces: piecesOf(id).map((vector, n) => ({ hash: `${id}-${n}`, vector })) })
  }
  await vectors.put(made, { model: MODEL })
}

const idsOf = ({ near }: NearestEntries): readonly string[] => near.map(({ id }) => id)

describeOnPostgres('vectors in PostgreSQL', (server) => {
  describe.each([
    { way: 'pgvector', hasVector: true },
    { way: 'the own scan', hasVector: false },
  ])('searched by $way', ({ hasVector }) => {
    let place: Place

    beforeAll(async () => {
      place = await createPlace(server, hasVector && server.hasVector)
    })

    it.skipIf(hasVector && !server.hasVector)('find what an exact search finds', { timeout: 120_000 }, async () => {
      const random = randomNumbers(7)
      const entries = await addEntries(
        place,
        Array.from({ length: 1200 }, (_, n) =>
          add(`text ${n}`, { scope: SCOPES[n % 3] ?? '', kind: KINDS[n % 2] ?? 'fact' }),
        ),
      )
      await place.vectors.reset(MODEL)
      const shared = Array.from({ length: 20 }, () => randomVector(random))
      const pieces = new Map(
        entries.map(({ id }, n) => {
          const own = Array.from({ length: n % 4 }, () => randomVector(random))
          return [id, n % 5 === 0 ? [...own, shared[n % 20] as Float32Array] : own]
        }),
      )
      for (let from = 0; from < entries.length; from += 100) {
        const ids = entries.slice(from, from + 100).map(({ id }) => id)
        await putVectors(place, ids, (id) => pieces.get(id) ?? [])
      }
      const index = new VectorIndex(MODEL.dimensions)
      for (const [n, { id }] of entries.entries()) for (const vector of pieces.get(id) ?? []) index.add(vector, n)
      for (let n = 0; n < 500; n++) {
        const query = n % 10 === 0 ? (shared[n % 20] as Float32Array) : randomVector(random)
        const scopes = SCOPES.filter(() => random() < 0.6)
        const kinds = KINDS.filter(() => random() < 0.6)
        const limit = 1 + Math.floor(random() * (n % 7 === 0 ? 1000 : 50))
        const accepts = (owner: number): boolean => {
          const { scope, kind } = entries[owner] ?? { scope: '', kind: 'fact' as const }
          return scopes.includes(scope) && kinds.includes(kind)
        }
        const all = index
          .top(query, entries.length, accepts)
          .map(({ owner, score }) => ({ id: entries[owner]?.id ?? '', cosine: score }))
          .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
        const { near, isAll } = await place.vectors.nearest(query, { scopes, kinds, limit })
        const expected = all.slice(0, limit)
        expect(isAll).toBe(all.length <= limit)
        const cosines = new Map(all.map(({ id, cosine }) => [id, cosine]))
        const isSame = near.every(({ id }, m) => {
          const difference = Math.abs((cosines.get(id) ?? 2) - (expected[m]?.cosine ?? 3))
          return hasVector ? difference < TOLERANCE : id === expected[m]?.id
        })
        expect([near.length, isSame]).toEqual([expected.length, true])
        for (const { id, cosine } of near) expect(Math.abs(cosine - (cosines.get(id) ?? 2))).toBeLessThan(TOLERANCE)
      }
    })

    it('say what searches them', async () => {
      const expected =
        hasVector && server.hasVector ? /^pgvector \d+\.\d+/ : /^Keepsake's exact scan: the database has no pgvector$/
      expect(await place.vectors.describe()).toMatch(expected)
    })

    it('are used only for the text that an entry has now', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const { vectors, store } = other
      const [one, two, three] = (
        await addEntries(
          other,
          ['one', 'two', 'three'].map((text) => add(text)),
        )
      ).map(({ id }) => id) as [string, string, string]
      await vectors.reset(MODEL)
      expect(await vectors.status(['main'])).toEqual({ model: MODEL, pending: [one, two, three], refused: [] })
      const vector = randomVector(randomNumbers(1))
      const hits = async (): Promise<readonly string[]> =>
        idsOf(await vectors.nearest(vector, { ...EVERYTHING, limit: 9 }))
      expect(await hits()).toEqual([])
      await putVectors(other, [one, two, three], () => [vector])
      expect(await hits()).toEqual([one, two, three].sort())
      expect(await vectors.status(['main'])).toEqual({ model: MODEL, pending: [], refused: [] })
      await store.apply({ operations: [{ op: 'write', id: one, content: 'uno' }], origin: { by: 'user' } })
      await store.apply({ operations: [{ op: 'remove', id: two }], origin: { by: 'user' } })
      expect(await hits()).toEqual([three])
      expect(await vectors.status(['main'])).toMatchObject({ pending: [one] })
      expect((await vectors.pending(0, 9)).map(({ id }) => id)).toEqual([one])
      const kept = await vectors.read([one, two, three])
      expect([...kept].map(([id, { isCurrent }]) => [id, isCurrent])).toEqual(
        expect.arrayContaining([
          [one, false],
          [two, false],
          [three, true],
        ]),
      )
      expect(kept.get(one)?.pieces[0]?.vector).toEqual(vector)
      await vectors.prune?.()
      await putVectors(other, [one], () => [vector])
      expect([...(await vectors.read([one, two, three])).keys()].sort()).toEqual([one, three].sort())
      expect(await hits()).toEqual([one, three].sort())
      await store.purge([three])
      expect(await hits()).toEqual([one])
    })

    it('are not written for an entry that changed or was purged meanwhile', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const entries = await addEntries(other, [add('one'), add('two'), add('three')])
      const [one, two, three] = entries.map(({ id }) => id) as [string, string, string]
      await other.vectors.reset(MODEL)
      const pieces = [{ hash: 'h', vector: randomVector(randomNumbers(1)) }]
      const made = entries.map(({ id, revision }) => ({ id, revision, pieces }))
      await other.store.apply({ operations: [{ op: 'write', id: one, content: 'uno' }], origin: { by: 'user' } })
      await other.store.purge([two])
      await other.vectors.put(made, { model: MODEL })
      expect([...(await other.vectors.read([one, two, three])).keys()]).toEqual([three])
    })

    it('of several pieces make one hit, by the nearest piece', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const entries = await addEntries(other, [add('one'), add('two')])
      const [one, two] = entries.map(({ id }) => id) as [string, string]
      await other.vectors.reset(MODEL)
      const [near, far, middle] = [
        Float32Array.from({ length: MODEL.dimensions }, (_, n) => (n === 0 ? 1 : 0)),
        Float32Array.from({ length: MODEL.dimensions }, (_, n) => (n === 1 ? 1 : 0)),
        Float32Array.from({ length: MODEL.dimensions }, (_, n) => (n < 2 ? Math.SQRT1_2 : 0)),
      ]
      await putVectors(other, [one, two], (id) => (id === one ? [far, near, far] : [middle]))
      const found = await other.vectors.nearest(near, { ...EVERYTHING, limit: 2 })
      expect(found).toEqual({
        near: [
          { id: one, cosine: 1 },
          { id: two, cosine: expect.closeTo(Math.SQRT1_2, 6) },
        ],
        isAll: true,
      })
      await putVectors(other, [one], () => Array.from({ length: 20 }, () => near))
      const first = await other.vectors.nearest(near, { ...EVERYTHING, limit: 1 })
      expect(first).toEqual({ near: [{ id: one, cosine: 1 }], isAll: false })
    })

    it('do not exist for entries that the model refused, or without text', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const entries = await addEntries(other, [add('one'), add('!!!')])
      await other.vectors.reset(MODEL)
      const [refused, silent] = entries.map(({ id, revision }): EntryVectors => ({ id, revision, pieces: [] })) as [
        EntryVectors,
        EntryVectors,
      ]
      await other.vectors.put([{ ...refused, isRefused: true }, silent], { model: MODEL })
      expect(await other.vectors.status(['main'])).toMatchObject({ pending: [], refused: [refused.id] })
      const query = randomVector(randomNumbers(1))
      expect(await other.vectors.nearest(query, { ...EVERYTHING, limit: 3 })).toEqual({ near: [], isAll: true })
      expect((await other.vectors.read([silent.id])).get(silent.id)).toEqual({ pieces: [], isCurrent: true })
      await other.store.apply({
        operations: [{ op: 'write', id: refused.id, content: 'uno' }],
        origin: { by: 'user' },
      })
      expect(await other.vectors.status(['main'])).toMatchObject({ pending: [refused.id], refused: [] })
    })

    it('are deleted by a reset for another model, and never mixed', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const [entry] = await addEntries(other, [add('one')])
      const { id = '', revision = '' } = entry ?? {}
      await other.vectors.reset(MODEL)
      const vector = randomVector(randomNumbers(1))
      await putVectors(other, [id], () => [vector])
      const hits = async (query: Float32Array): Promise<number> =>
        (await other.vectors.nearest(query, { ...EVERYTHING, limit: 9 })).near.length
      expect(await hits(vector)).toBe(1)
      const newer = { ...MODEL, pieces: 3 }
      await other.vectors.reset(newer)
      expect(await hits(vector)).toBe(0)
      expect((await other.vectors.read([id])).get(id)).toMatchObject({ isCurrent: false, pieces: [{ vector }] })
      const wide = { ...MODEL, name: 'wide', dimensions: 3 }
      await other.vectors.reset(wide)
      expect((await other.vectors.read([id])).size).toBe(0)
      const made = [{ id, revision, pieces: [{ hash: 'h', vector }] }]
      await expect(other.vectors.put(made, { model: MODEL })).rejects.toMatchObject({ code: 'CONFLICT' })
      const three = Float32Array.of(0, 1, 0)
      await other.vectors.put([{ id, revision, pieces: [{ hash: 'h', vector: three }] }], { model: wide })
      expect([await hits(three), await hits(vector)]).toEqual([1, 0])
    })

    it('can be searched by a role that can only read', async () => {
      const role = `reader_${hasVector}`
      await administer(server, place, `CREATE ROLE ${role} LOGIN PASSWORD '${server.password}'`)
      await administer(server, place, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
      const url = new URL(place.url)
      url.username = role
      const reader = await openPlace(url.href)
      const query = randomVector(randomNumbers(3))
      const expected = await place.vectors.nearest(query, { ...EVERYTHING, limit: 20 })
      expect(expected.near).toHaveLength(20)
      expect(await reader.vectors.nearest(query, { ...EVERYTHING, limit: 20 })).toEqual(expected)
      expect(await reader.vectors.status(SCOPES)).toEqual(await place.vectors.status(SCOPES))
      expect(await reader.vectors.describe()).toBe(await place.vectors.describe())
      await expect(reader.vectors.reset(MODEL)).rejects.toThrow('permission denied')
    })

    it('give a memory the same hits as every other store', async () => {
      const other = await createPlace(server, hasVector && server.hasVector)
      const letters = new Letters()
      const clock = (): number => Date.parse('2026-03-14T09:00:00Z')
      const local = memoryStore({ clock })
      const operations = Array.from({ length: 400 }, (_, n) =>
        add(`${'abcdefghijklm'[n % 13]?.repeat(1 + (n % 7))} ${n % 5 === 0 ? 'x' : n}`, {
          id: `0195b2f0-0000-7000-8000-${String(n).padStart(12, '0')}`,
        }),
      )
      const memories = await Promise.all(
        [local, { ...other.store, vectors: other.vectors }].map(async (store) => {
          await store.apply({ operations, origin: { by: 'user' } })
          const memory = await openMemory({ store, agent: 'main', embed: letters, clock })
          return { memory, embedded: await memory.embed() }
        }),
      )
      expect(memories.map(({ embedded }) => embedded)).toMatchObject([
        { entries: 400, pending: 0 },
        { entries: 400, pending: 0, searchedBy: await other.vectors.describe() },
      ])
      for (const query of ['aaa', 'x', 'bbb m', 'kkkkk 17', 'nothing of it']) {
        for (const mode of ['semantic', 'hybrid'] as const) {
          const [expected, found] = await Promise.all(
            memories.map(async ({ memory }) =>
              (await memory.search(query, { mode, limit: 50, minScore: 0 })).hits.map(({ entry, score }) => [
                entry.id,
                score,
              ]),
            ),
          )
          expect(found).toEqual(expected)
        }
      }
    })
  })

  describe('written', () => {
    /** A memory with one entry, two processes, and what they put. */
    async function createPair() {
      const place = await createPlace(server)
      const [entry] = await addEntries(place, [add('a secret')])
      const { id = '', revision = '' } = entry ?? {}
      await place.vectors.reset(MODEL)
      const made = [{ id, revision, pieces: [{ hash: 'h', vector: randomVector(randomNumbers(1)) }] }]
      return { place, other: await openPlace(place.url), id, made }
    }

    const waits = (place: Place): Promise<unknown> =>
      expect.poll(() => administer(server, place, 'SELECT FROM pg_locks WHERE NOT granted')).not.toEqual([])

    it('during a purge are deleted', async () => {
      const { place, other, id, made } = await createPair()
      let put: Promise<void> = Promise.resolve()
      await write(place.database, async (sql) => {
        await sql.run('DELETE FROM entries WHERE id = ?', [id])
        put = other.vectors.put(made, { model: MODEL })
        await waits(place)
        await deleteVectors(sql, [id])
      })
      await put
      expect((await place.vectors.read([id])).size).toBe(0)
    })

    it('during a reset for another model do not stay', async () => {
      const { place, other, id, made } = await createPair()
      let reset: Promise<void> = Promise.resolve()
      await write(place.database, async (sql) => {
        await putRows(sql, made)
        reset = other.vectors.reset({ ...MODEL, name: 'other' })
        await waits(place)
      })
      await reset
      expect((await place.vectors.read([id])).size).toBe(0)
    })

    it('after a reset for another model are refused', async () => {
      const { place, other, id, made } = await createPair()
      let put: Promise<unknown> = Promise.resolve()
      await write(place.database, async (sql) => {
        await writeVectorState(sql, { ...MODEL, name: 'other' }, 'new')
        put = other.vectors.put(made, { model: MODEL }).catch((error) => error)
        await waits(place)
      })
      expect(await put).toMatchObject({ code: 'CONFLICT' })
      expect((await place.vectors.read([id])).size).toBe(0)
    })
  })

  it('free the RAM of those that are gone, and the others are still found', async () => {
    const place = await createPlace(server, false)
    const random = randomNumbers(11)
    const ids = (
      await addEntries(
        place,
        Array.from({ length: 1100 }, (_, n) => add(`text ${n}`)),
      )
    ).map(({ id }) => id)
    await place.vectors.reset(MODEL)
    const vectors = new Map(ids.map((id) => [id, randomVector(random)]))
    await putVectors(place, ids, (id) => [vectors.get(id) as Float32Array])
    const nearest = async (query: Float32Array): Promise<readonly string[]> =>
      idsOf(await place.vectors.nearest(query, { ...EVERYTHING, limit: 1 }))
    expect(await nearest(vectors.get(ids[3] ?? '') as Float32Array)).toEqual([ids[3]])
    const operations = ids.slice(20).map((id) => ({ op: 'remove' as const, id }))
    await place.store.apply({ operations, origin: { by: 'user' } })
    const copied = vi.spyOn(VectorIndex.prototype, 'copy')
    for (const id of ids.slice(0, 20)) expect(await nearest(vectors.get(id) as Float32Array)).toEqual([id])
    expect(copied).toHaveBeenCalledTimes(20)
    copied.mockRestore()
    expect(idsOf(await place.vectors.nearest(randomVector(random), { ...EVERYTHING, limit: 99 }))).toHaveLength(20)
  })

  it('are read once by the exact scan, and then only those that changed', async () => {
    const place = await createPlace(server, false)
    const entries = await addEntries(
      place,
      Array.from({ length: 30 }, (_, n) => add(`text ${n}`, { scope: n < 20 ? 'main' : 'scout' })),
    )
    const ids = entries.map(({ id }) => id)
    await place.vectors.reset(MODEL)
    const random = randomNumbers(5)
    await putVectors(place, ids, () => [randomVector(random)])
    const read = async (scopes: readonly string[]): Promise<number> => {
      place.database.takeStatements()
      await place.vectors.nearest(randomVector(random), { scopes, kinds: KINDS, limit: 5 })
      const loads = place.database.takeStatements().filter(({ statement }) => statement.includes('array_send'))
      return loads.reduce((sum, { values }) => sum + JSON.parse(String(values[0])).length, 0)
    }
    expect([await read(['main']), await read(['main']), await read(['main', 'scout'])]).toEqual([20, 0, 10])
    const operations = [{ op: 'write' as const, id: ids[3] ?? '', content: 'changed' }]
    await place.store.apply({ operations, origin: { by: 'user' } })
    expect(await read(['main'])).toBe(0)
    await putVectors(place, [ids[3] ?? ''], () => [randomVector(random)])
    expect([await read(['main']), await read(['main'])]).toEqual([1, 0])
    await place.vectors.reset({ ...MODEL, pieces: 3 })
    expect(await read(['main'])).toBe(0)
  })
})

describeOnPostgres(
  'pgvector',
  (server) => {
    const query = randomVector(randomNumbers(2))

    /** With one hit. */
    async function createFilled(hasVector: boolean): Promise<Place> {
      const place = await createPlace(server, hasVector)
      const entries = await addEntries(place, [add('one')])
      await place.vectors.reset(MODEL)
      await putVectors(
        place,
        entries.map(({ id }) => id),
        () => [query],
      )
      return place
    }

    async function search({ url }: Place): Promise<readonly [by: string, hits: number]> {
      const { vectors } = await openPlace(url)
      return [await vectors.describe(), (await vectors.nearest(query, { ...EVERYTHING, limit: 3 })).near.length]
    }

    it('may be in a schema outside the search path', async () => {
      const place = await createFilled(false)
      await administer(server, place, 'CREATE SCHEMA "Odd ""name"')
      await administer(server, place, 'CREATE EXTENSION vector SCHEMA "Odd ""name"')
      expect(await search(place)).toEqual([
        `Keepsake's exact scan: this role may not use the schema "Odd ""name" of pgvector 0.8.0`,
        1,
      ])
      await administer(server, place, 'GRANT USAGE ON SCHEMA "Odd ""name" TO PUBLIC')
      expect(await search(place)).toEqual(['pgvector 0.8.0', 1])
    })

    it('is not used if it is too old', async () => {
      const place = await createFilled(true)
      await administer(server, place, "UPDATE pg_extension SET extversion = '0.4.4' WHERE extname = 'vector'")
      expect(await search(place)).toEqual(["Keepsake's exact scan: pgvector 0.4.4 is older than 0.5", 1])
    })

    it('may be created and dropped while we search', async () => {
      const place = await createFilled(true)
      const hits = async (): Promise<number> =>
        (await place.vectors.nearest(query, { ...EVERYTHING, limit: 3 })).near.length
      expect([await place.vectors.describe(), await hits()]).toEqual(['pgvector 0.8.0', 1])
      await administer(server, place, 'DROP EXTENSION vector')
      expect([await hits(), await place.vectors.describe()]).toEqual([
        1,
        "Keepsake's exact scan: the database has no pgvector",
      ])
    })
  },
  { needsVector: true },
)
