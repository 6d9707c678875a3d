import { describe, expect, it } from 'vitest'
import { pairedBootstrap } from './bootstrap.ts'

/** As uneven as queries are. */
function wave(n: number): number {
  return (Math.sin(n * 12.9898) + 1) / 2
}

describe('the paired bootstrap', () => {
  const before = Array.from({ length: 300 }, (_, n) => wave(n))

  it('finds no difference between a run and itself', () => {
    expect(pairedBootstrap(before, before)).toEqual({ delta: 0, interval: [0, 0], p: 1, wins: 0, losses: 0, ties: 300 })
  })

  it('is sure of a difference that all queries have', () => {
    const { delta, interval, p, wins } = pairedBootstrap(
      before,
      before.map((value) => value + 0.1),
    )
    expect(delta).toBeCloseTo(0.1)
    expect(interval[0]).toBeCloseTo(0.1)
    expect(p).toBeLessThan(0.001)
    expect(wins).toBe(300)
  })

  it('is not sure of a difference that comes and goes', () => {
    const after = before.map((value, n) => value + (wave(n * 7 + 1) - 0.5) * 0.5)
    const { interval, p, wins, losses } = pairedBootstrap(before, after)
    expect(interval[0]).toBeLessThan(0)
    expect(interval[1]).toBeGreaterThan(0)
    expect(p).toBeGreaterThan(0.05)
    expect(Math.min(wins, losses)).toBeGreaterThan(50)
  })

  it('has the interval that theory gives for the mean of many', () => {
    const after = before.map((value, n) => value + 0.05 + (wave(n * 3 + 5) - 0.5) * 0.4)
    const differences = after.map((value, n) => value - (before[n] ?? 0))
    const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length
    const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / differences.length
    const halfWidth = 1.96 * Math.sqrt(variance / differences.length)
    const { delta, interval } = pairedBootstrap(before, after)
    expect(delta).toBeCloseTo(mean, 10)
    expect(Math.abs(interval[0] - (mean - halfWidth))).toBeLessThan(halfWidth * 0.1)
    expect(Math.abs(interval[1] - (mean + halfWidth))).toBeLessThan(halfWidth * 0.1)
  })

  it('answers the same each time, and the opposite the other way round', () => {
    const after = before.map((value, n) => value * (n % 3))
    const [one, again, back] = [
      pairedBootstrap(before, after),
      pairedBootstrap(before, after),
      pairedBootstrap(after, before),
    ]
    expect(again).toEqual(one)
    expect(back.delta).toBeCloseTo(-one.delta)
    expect([back.wins, back.losses]).toEqual([one.losses, one.wins])
  })
})
