import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeepsakeError } from '../../errors.ts'
import { watchServer } from './watch.ts'

let state: string
let asked: number
let calls: number
beforeEach(() => {
  vi.useFakeTimers()
  state = 'first'
  asked = 0
  calls = 0
})
afterEach(() => {
  vi.useRealTimers()
})

function begin(): ReturnType<typeof watchServer> {
  const stateOf = async (): Promise<string> => {
    asked++
    if (state === 'down') throw new KeepsakeError('IO', 'the server is down')
    return state
  }
  return watchServer(stateOf, () => calls++)
}

it('calls once for what changed between two looks, and not where nothing did', async () => {
  const watch = await begin()
  await vi.advanceTimersByTimeAsync(6000)
  expect(calls).toBe(0)
  state = 'second'
  state = 'third'
  await vi.advanceTimersByTimeAsync(6000)
  expect(calls).toBe(1)
  await watch.stop()
})

it('calls when the server is out of reach, and when it is back', async () => {
  const watch = await begin()
  state = 'down'
  await vi.advanceTimersByTimeAsync(6000)
  expect(calls).toBe(1)
  state = 'first'
  await vi.advanceTimersByTimeAsync(6000)
  expect(calls).toBe(2)
  await watch.stop()
})

it('asks nobody after it was stopped', async () => {
  const watch = await begin()
  await watch.stop()
  state = 'second'
  await vi.advanceTimersByTimeAsync(60_000)
  expect([asked, calls]).toEqual([1, 0])
})

it('does not ask again before a slow server has answered', async () => {
  let answer = (_: string): void => undefined
  let isFirst = true
  const watch = await watchServer(
    () => {
      asked++
      if (!isFirst) return new Promise<string>((resolve) => (answer = resolve))
      isFirst = false
      return Promise.resolve('first')
    },
    () => calls++,
  )
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(2)
  answer('second')
  await vi.advanceTimersByTimeAsync(0)
  expect(calls).toBe(1)
  const stopping = watch.stop()
  answer('second')
  await stopping
})
