import { expect, it } from 'vitest'
import { Gate } from './gate.ts'

it('lets so many through at once, in the order they came, also past those that fail', async () => {
  const gate = new Gate(2)
  const order: number[] = []
  let inside = 0
  let most = 0
  const jobs = Array.from({ length: 20 }, (_, index) =>
    gate.pass(async () => {
      order.push(index)
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
      if (index % 3 === 0) throw new Error(`${index}`)
    }),
  )
  const settled = await Promise.allSettled(jobs)
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(7)
  expect(order).toEqual([...order.keys()])
  expect(most).toBe(2)
})
