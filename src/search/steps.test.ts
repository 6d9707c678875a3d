import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAll, STEP, sortInSteps } from './steps.ts'

describe('a sort in steps', () => {
  test('sorts as any other, and leaves equal ones in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (keys) => {
        const compare = (a: number, b: number): number => (keys[a] ?? 0) - (keys[b] ?? 0)
        const items = Uint32Array.from(keys.keys())
        const sorted = runAll(sortInSteps(items, compare))
        expect([...sorted]).toEqual([...keys.keys()].sort(compare))
      }),
    )
  })

  test('never takes a long step, and only one pass where all is sorted', () => {
    const size = 50_000
    let compared = 0
    const compare = (a: number, b: number): number => {
      compared++
      return a - b
    }
    const longest = (items: Uint32Array): number => {
      let most = 0
      const steps = sortInSteps(items, compare)
      for (;;) {
        const before = compared
        if (steps.next().done) return most
        most = Math.max(most, compared - before)
      }
    }
    const shuffled = Uint32Array.from({ length: size }, (_, n) => (n * 7919) % size)
    expect(longest(shuffled)).toBeLessThanOrEqual(2 * STEP)
    compared = 0
    expect(longest(Uint32Array.from({ length: size }, (_, n) => n))).toBeLessThanOrEqual(STEP)
    expect(compared).toBe(size - 1)
  })
})
