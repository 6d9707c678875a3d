import { expect, it } from 'vitest'
import { inLots } from './lots.ts'

it('cuts by count, in order', () => {
  expect(inLots([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(inLots([], 2)).toEqual([])
})

it('cuts by bytes, and lets one that is too long go alone', () => {
  expect(inLots([3, 3, 9, 1, 2], 10, 6, (piece) => piece)).toEqual([[3, 3], [9], [1, 2]])
})
