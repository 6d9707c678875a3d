/** How a query stays exact if the store returns only the nearest entries: it asks for more, then compares all, or reports that it could not. */
import { expect, it } from 'vitest'
import { KnownVectors } from './known-vectors.ts'
import { NativeQuery } from './native-query.ts'

const FIRST_LIMIT = 300

/** The nearest first, at even distances. */
function vectorOf(n: number, of: number): Float32Array {
  const angle = (n / of) * (Math.PI / 2)
  return Float32Array.of(Math.cos(angle), Math.sin(angle))
}

interface Started {
  readonly query: NativeQuery
  readonly read: () => number
  readonly wide: () => number
}

/** A query to a store of this many entries of one piece each, and counts of its calls. */
async function startQuery(entries: number): Promise<Started> {
  const ids = Array.from({ length: entries }, (_, n) => `e${n}`)
  const vectors = new Map(ids.map((id, n) => [id, vectorOf(n, entries)]))
  const known = new KnownVectors(2)
  let [read, wide] = [0, 0]
  const source = {
    source: { model: 'm' },
    pending: 0,
    known,
    has: () => true,
    ids: () => ids,
    async nearest(_: Float32Array, { limit }: { readonly limit: number }) {
      if (limit > FIRST_LIMIT) wide++
      const near = ids.slice(0, limit).map((id) => ({ id, cosine: vectors.get(id)?.[0] ?? 0 }))
      return { near, isAll: entries <= limit }
    },
    async read(some: readonly string[]) {
      read += some.length
      const found = some.map((id) => {
        const vector = vectors.get(id) ?? new Float32Array(2)
        return [id, { pieces: [{ hash: id, vector }], isCurrent: true }] as const
      })
      await known.load(some, async () => new Map(found))
    },
  }
  const query = await NativeQuery.start(source, Float32Array.of(1, 0), { scopes: ['main'], kinds: ['fact'] })
  return { query, read: () => read, wide: () => wide }
}

/** The three nearest from the given one on, as a search gets them. */
async function nearest(query: NativeQuery, from: number): Promise<readonly string[]> {
  const accepts = (id: string): boolean => Number(id.slice(1)) >= from
  let best = query.view().best(3, accepts)
  while (await query.more()) best = query.view().best(3, accepts)
  return [...best]
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, 3)
    .map(({ id }) => id)
}

it.each([
  { what: 'the first ids', entries: 30_000, from: 10, wide: 0, isPartial: false, most: 400 },
  { what: 'a wider request', entries: 30_000, from: 4000, wide: 1, isPartial: false, most: 400 },
  { what: 'all that pass the filters', entries: 10_000, from: 6000, wide: 1, isPartial: false, most: 5000 },
  {
    what: 'the few that pass the filters, without a wider request',
    entries: 10_000,
    from: 9000,
    wide: 0,
    isPartial: false,
    most: 1400,
  },
  { what: 'too few ids, and reports it', entries: 30_000, from: 6000, wide: 1, isPartial: true, most: 400 },
])('compares $what', async ({ entries, from, wide, isPartial, most }) => {
  const { query, ...counts } = await startQuery(entries)
  const expected = isPartial ? [] : [`e${from}`, `e${from + 1}`, `e${from + 2}`]
  expect(await nearest(query, from)).toEqual(expected)
  expect([query.isPartial, counts.wide()]).toEqual([isPartial, wide])
  expect(counts.read()).toBeLessThanOrEqual(most)
})
