import { afterEach, describe, expect, it, vi } from 'vitest'
import { backOffMs } from './retry-after.ts'

const TRIES = [1, 2, 3, 4, 5, 6, 50]

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the wait before a retry', () => {
  it.each([
    ['least', 0, [150, 300, 600, 1200, 2400, 4000, 4000]],
    ['most', 1 - Number.EPSILON, [300, 600, 1200, 2400, 4800, 8000, 8000]],
  ])('grows with each try up to a limit, with the %s jitter', (_, chance, waits) => {
    vi.spyOn(Math, 'random').mockReturnValue(chance)
    expect(TRIES.map(backOffMs)).toEqual(waits)
  })
})
