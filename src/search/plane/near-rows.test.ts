/** The nearest rows against a plain look at all of them. */
import { describe, expect, it } from 'vitest'
import { runAll } from '../steps.ts'
import { NOBODY } from './best-lists.ts'
import { type DistinctRows, distinctRows } from './distinct-rows.ts'
import { nearRows } from './near-rows.ts'

const DIMENSIONS = 16

/** Around as many directions as there are hundreds of them. */
function drawn(count: number): DistinctRows {
  let state = 1
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const centres = Array.from({ length: Math.ceil(count / 100) }, () => Array.from({ length: DIMENSIONS }, draw))
  const vectors = Array.from({ length: count }, (_, n) => {
    const values = (centres[n % centres.length] ?? []).map((value) => value + draw() / 2)
    const length = Math.hypot(...values)
    return Float32Array.from(values, (value) => value / length)
  })
  return runAll(distinctRows(vectors))
}

function plainly({ values, count }: DistinctRows, row: number, most: number): number[] {
  const at = (n: number): Float32Array => values.subarray(n * DIMENSIONS, (n + 1) * DIMENSIONS)
  const score = (n: number): number => at(row).reduce((sum, value, i) => sum + value * (at(n)[i] ?? 0), 0)
  return Array.from({ length: count }, (_, n) => n)
    .filter((n) => n !== row)
    .map((n) => [score(n), n] as const)
    .sort(([a], [b]) => b - a)
    .slice(0, most)
    .map(([, n]) => n)
}

describe('the nearest rows', () => {
  it('are exactly these, of few', () => {
    const rows = drawn(300)
    const near = runAll(nearRows(rows, 5))
    for (let row = 0; row < 300; row += 7) {
      expect([...near.rows.subarray(row * 5, row * 5 + 5)]).toEqual(plainly(rows, row, 5))
    }
  })

  it('are most of these, of many, each once and none its own', () => {
    const rows = drawn(1000)
    const near = runAll(nearRows(rows, 10))
    let found = 0
    for (let row = 0; row < 1000; row += 10) {
      const some = [...near.rows.subarray(row * 10, row * 10 + 10)]
      expect(new Set(some).size).toBe(10)
      expect(some).not.toContain(row)
      expect(some).not.toContain(NOBODY)
      const exact = plainly(rows, row, 10)
      found += some.filter((other) => exact.includes(other)).length
    }
    expect(found).toBeGreaterThan(800)
  })
})
