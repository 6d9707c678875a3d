import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idf, normsOf, termScore } from './bm25.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const fields = fc.array(
  fc.record({
    weight: fc.double({ min: 0.1, max: 5, noNaN: true }),
    b: share,
    count: fc.integer({ min: 0, max: 9 }),
    length: fc.integer({ min: 9, max: 500 }),
    mean: fc.integer({ min: 1, max: 300 }),
  }),
  { minLength: 1, maxLength: 4 },
)

describe('bm25', () => {
  test('is the formula, for one field and for several', () => {
    fc.assert(
      fc.property(fields, fc.double({ min: 0, max: 3, noNaN: true }), (fields, k1) => {
        const a = fields.reduce(
          (sum, { weight, b, count, length, mean }) => sum + (weight * count) / (1 - b + (b * length) / mean),
          0,
        )
        const norms = normsOf(
          { k1, fields },
          fields.map(({ mean }) => mean),
        )
        const counts = fields.map(({ count }) => count)
        const lengths = { values: fields.flatMap(({ length }) => [0, length]), stride: 2 }
        const score = termScore(3, counts, 0, lengths, 1, norms)
        expect(score).toBeCloseTo(a > 0 ? (3 * a) / (k1 + a) : 0, 9)
        expect(score).toBeLessThanOrEqual(3 + 1e-12)
      }),
    )
  })

  test('gives nothing for a field that weighs nothing, also where k1 is 0', () => {
    const norms = normsOf({ k1: 0, fields: [{ weight: 0, b: 1 }] }, [0])
    expect(termScore(1, [4], 0, { values: [4], stride: 1 }, 0, norms)).toBe(0)
  })

  test('weighs a rare term more than a common one, and none below 0', () => {
    expect(idf(100, 1)).toBeGreaterThan(idf(100, 50))
    expect(idf(100, 100)).toBeGreaterThan(0)
    expect(idf(0, 0)).toBeGreaterThan(0)
  })
})
