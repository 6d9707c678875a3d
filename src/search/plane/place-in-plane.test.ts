/** The picture by what it must keep, whatever the vectors are, and by how much of their nearness is left in it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runAll } from '../steps.ts'
import { distinctRows } from './distinct-rows.ts'
import { type Place, placeInPlane } from './place-in-plane.ts'
import { principalPlane } from './principal-plane.ts'

function placed(vectors: readonly Float32Array[]): readonly Place[] {
  return runAll(placeInPlane(vectors))
}

function ofLengthOne(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

/** Few different ones, so that many are equal, and some are zero. */
const someVectors = fc.array(
  fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 5, maxLength: 5 }).map(ofLengthOne),
  { maxLength: 40 },
)

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** So many around each of some directions. */
function clusters(count: number, each: number, dimensions: number, width: number): readonly Float32Array[] {
  const draw = random(7)
  const around = (): number => draw() + draw() + draw() - 1.5
  const centres = Array.from({ length: count }, () => [...ofLengthOne(Array.from({ length: dimensions }, around))])
  return Array.from({ length: count * each }, (_, n) =>
    ofLengthOne((centres[n % count] ?? []).map((value) => value + (width * around()) / Math.sqrt(dimensions))),
  )
}

function nearest<T>(all: readonly T[], distance: (a: T, b: T) => number, most: number): number[][] {
  return all.map((one, n) =>
    all
      .map((other, at) => [distance(one, other), at] as const)
      .filter(([, at]) => at !== n)
      .sort(([a], [b]) => a - b)
      .slice(0, most)
      .map(([, at]) => at),
  )
}

function apart(a: Place, b: Place): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** Of the ten that are nearest, how many are among the thirty nearest in the plane. */
function shareKept(vectors: readonly Float32Array[], places: readonly Place[]): number {
  const byMeaning = nearest(vectors, (a, b) => -a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0), 10)
  const inPlane = nearest(places, apart, 30)
  const kept = byMeaning.map((near, n) => near.filter((at) => inPlane[n]?.includes(at)).length / near.length)
  return kept.reduce((sum, one) => sum + one, 0) / kept.length
}

describe('places in the plane', () => {
  it('are finite and from -1 to 1, and go all the way where there are two of them', () => {
    fc.assert(
      fc.property(someVectors, (vectors) => {
        const places = placed(vectors)
        expect(places).toHaveLength(vectors.length)
        const furthest = places.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)])
        for (const far of furthest) expect(far).toBeLessThanOrEqual(1)
        const areSeveral = new Set(vectors.map(String)).size > 1
        if (vectors.length > 0) expect(Math.max(...furthest)).toBeCloseTo(areSeveral ? 1 : 0, 4)
      }),
    )
  })

  it('are the same each time, and in whatever order the vectors come', () => {
    fc.assert(
      fc.property(someVectors, fc.infiniteStream(fc.nat()), (vectors, keys) => {
        const places = placed(vectors)
        expect(placed(vectors)).toEqual(places)
        const order = vectors.map((_, n) => [keys.next().value ?? 0, n] as const).sort(([a], [b]) => a - b)
        const shuffled = order.map(([, n]) => n)
        expect(placed(shuffled.map((n) => vectors[n] as Float32Array))).toEqual(shuffled.map((n) => places[n]))
      }),
    )
  })

  it('are one for equal vectors, and several for several', () => {
    fc.assert(
      fc.property(someVectors, (vectors) => {
        const places = placed(vectors)
        const byVector = new Map(vectors.map((vector, n) => [String(vector), places[n]]))
        for (const [n, vector] of vectors.entries()) expect(places[n]).toEqual(byVector.get(String(vector)))
        expect(new Set([...byVector.values()].map((place) => `${place?.x} ${place?.y}`)).size).toBe(byVector.size)
      }),
    )
  })

  it.each([
    ['none', [], []],
    ['one', [[1, 0]], [{ x: 0, y: 0 }]],
    [
      'the same one twice',
      [
        [1, 0],
        [1, 0],
      ],
      [
        { x: 0, y: 0 },
        { x: 0, y: 0 },
      ],
    ],
    [
      'only zeros',
      [
        [0, 0],
        [0, 0],
      ],
      [
        { x: 0, y: 0 },
        { x: 0, y: 0 },
      ],
    ],
    [
      'no dimensions',
      [[], []],
      [
        { x: 0, y: 0 },
        { x: 0, y: 0 },
      ],
    ],
  ])('of %s', (_, vectors, expected) => {
    expect(placed(vectors.map((values) => Float32Array.from(values)))).toEqual(expected)
  })

  it('of two lie on two sides of the middle', () => {
    const [a, b] = placed([Float32Array.of(1, 0, 0), Float32Array.of(0, 0, 1)]) as [Place, Place]
    expect(a.x).toBeCloseTo(-b.x, 6)
    expect(a.y).toBeCloseTo(-b.y, 6)
    expect(apart(a, b)).toBeGreaterThan(1)
  })

  it('of well separated clusters are well separated', () => {
    const [count, each] = [6, 30]
    const places = placed(clusters(count, each, 100, 0.5))
    const own = nearest(places, apart, each - 1).map((near, n) => near.filter((at) => at % count === n % count).length)
    expect(Math.min(...own)).toBe(each - 1)
  })

  it('keep far more of what is near than a flat view does', () => {
    const vectors = clusters(20, 15, 32, 2)
    const rows = runAll(distinctRows(vectors))
    const flat = runAll(principalPlane(rows))
    const seen = Array.from(rows.rowOf, (row) => ({ x: flat[2 * row] ?? 0, y: flat[2 * row + 1] ?? 0 }))
    const [before, after] = [shareKept(vectors, seen), shareKept(vectors, placed(vectors))]
    expect(after).toBeGreaterThan(2 * before)
  })
})
