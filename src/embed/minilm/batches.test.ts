import { expect, it } from 'vitest'
import { batchesOf } from './batches.ts'

it('has each text in one batch, and none that somebody would wait long for', () => {
  const texts = Array.from({ length: 200 }, (_, n) => 'x'.repeat((n * 37) % 1500))
  const batches = batchesOf(texts)
  expect(batches.flat().sort((a, b) => a - b)).toEqual([...texts.keys()])
  const costs = batches.map((batch) => batch.length * Math.max(...batch.map((place) => texts[place]?.length ?? 0)))
  const together = costs.filter((_, n) => (batches[n]?.length ?? 0) > 1)
  expect(Math.max(...together)).toBeLessThanOrEqual(1000)
  expect(together.length).toBeGreaterThan(10)
})
