import { expect, it, vi } from 'vitest'
import { abortable } from './abortable.ts'

it('waits for many at once by one signal, which Node takes for no leak, and leaves nothing behind', async () => {
  const { signal } = new AbortController()
  const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => abortable(async () => n, signal)))
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([1, 1])
})

it('ends all that wait when the signal says so', async () => {
  const ending = new AbortController()
  const never = Array.from({ length: 3 }, () => abortable(() => new Promise(() => undefined), ending.signal))
  ending.abort(new Error('enough'))
  for (const one of never) await expect(one).rejects.toThrow('enough')
})
