/** How far a query goes to be exact where a store gives its nearest and no more: it asks wider, then compares all, then says that it could not. */
import { expect, it } from 'vitest'
import type { NativeVectors, NearEntries } from '../../ports/vectors.ts'
import { KnownVectors } from './known-vectors.ts'
import { NativeAsking } from './native-asking.ts'

const QUERY = Float32Array.of(1, 0)
const FIRST = 300

/** The nearest first, at even distances. */
function vectorOf(n: number, of: number): Float32Array {
  const angle = (n / of) * (Math.PI / 2)
  return Float32Array.of(Math.cos(angle), Math.sin(angle))
}

/** A store with so many entries, of one piece each, and what it was asked. */
async function asked(entries: number): Promise<{ asking: NativeAsking; read: () => number; wide: () => number }> {
  const ids = Array.from({ length: entries }, (_, n) => `e${n}`)
  const vectors = new Map(ids.map((id, n) => [id, vectorOf(n, entries)]))
  const known = new KnownVectors(2)
  let [read, wide] = [0, 0]
  const store: Pick<NativeVectors, 'nearest' | 'read'> = {
    async nearest(_, { most = FIRST }): Promise<NearEntries> {
      if (most > FIRST) wide++
      const near = ids.slice(0, most).map((id) => ({ id, cosine: vectors.get(id)?.[0] ?? 0 }))
      return { near, isAll: entries < most }
    },
    async read(some) {
      read += some.length
      const piece = (id: string): { hash: string; vector: Float32Array } => ({
        hash: id,
        vector: vectors.get(id) ?? QUERY,
      })
      return new Map(some.map((id) => [id, { pieces: [piece(id)], isCurrent: true }]))
    },
  }
  const progress = { model: 'm', dimensions: 2, pieces: 1, begun: 'b', number: 1 }
  const state = {
    progress,
    known,
    has: () => true,
    ids: () => ids.values(),
    take: (_: KnownVectors, some: readonly string[], got: Awaited<ReturnType<NativeVectors['read']>>) =>
      known.take(some, new Map([...got].map(([id, { pieces }]) => [id, pieces]))),
  }
  const parts = { vectors: store, state, model: 'm', pending: () => 0 }
  const asking = await NativeAsking.begin(parts, QUERY, { scopes: ['main'], kinds: ['fact'] })
  return { asking, read: () => read, wide: () => wide }
}

/** The nearest of those from the given one on, as a search gets them. */
async function nearest(asking: NativeAsking, from: number): Promise<readonly string[]> {
  const accepts = (id: string): boolean => Number(id.slice(1)) >= from
  let best = asking.view().best(3, accepts)
  while (await asking.more()) best = asking.view().best(3, accepts)
  return [...best]
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, 3)
    .map(({ id }) => id)
}

it.each([
  { what: 'the first answer', entries: 30_000, from: 10, wide: 0, isPartial: false, most: 400 },
  { what: 'a wider one', entries: 30_000, from: 4000, wide: 1, isPartial: false, most: 400 },
  { what: 'all that is let through', entries: 10_000, from: 6000, wide: 1, isPartial: false, most: 5000 },
  { what: 'few, without a wider one', entries: 10_000, from: 9000, wide: 0, isPartial: false, most: 1400 },
  { what: 'nothing, and says so', entries: 30_000, from: 6000, wide: 1, isPartial: true, most: 400 },
])('goes by $what', async ({ entries, from, wide, isPartial, most }) => {
  const { asking, ...counts } = await asked(entries)
  const expected = isPartial ? [] : [`e${from}`, `e${from + 1}`, `e${from + 2}`]
  expect(await nearest(asking, from)).toEqual(expected)
  expect([asking.isPartial, counts.wide()]).toEqual([isPartial, wide])
  expect(counts.read()).toBeLessThanOrEqual(most)
})
