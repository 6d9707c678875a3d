import { afterEach, describe, expect, it, vi } from 'vitest'
import { KeepsakeError } from '../errors.ts'
import { askModel } from './ask-model.ts'

const GOOD = { content: '{"history_entry": "said"}' }
const LONG_MS = 100_000

afterEach(() => {
  vi.useRealTimers()
})

describe('one call of a model', () => {
  it('gives the reply, and is told its name and how much is expected', async () => {
    let told: unknown
    const complete = async (
      _: string,
      { signal, ...rest }: object & { signal?: AbortSignal },
    ): Promise<typeof GOOD> => {
      told = { ...rest, isAborted: signal?.aborted }
      return GOOD
    }
    const asked = await askModel({ name: 'm', complete }, 'prompt', { timeoutMs: LONG_MS, expectedTokens: 9 })
    expect(asked).toEqual({ reply: { historyEntry: 'said' }, wasCut: false })
    expect(told).toEqual({ model: 'm', expectedTokens: 9, isAborted: false })
  })

  it.each([
    ['throws', () => Promise.reject(new Error('down')), 'the model "m" failed: down'],
    [
      'throws at once',
      () => {
        throw new Error('down')
      },
      'the model "m" failed: down',
    ],
    ['throws what is no error', () => Promise.reject('down'), 'the model "m" failed: down'],
    ['says nothing', async () => ({ content: ' ' }), 'the model "m" answered with nothing'],
    ['says something else', async () => ({ content: 'Hello' }), 'without "history_entry"'],
  ])('fails where it %s, as a value', async (_, complete, message) => {
    const asked = await askModel({ name: 'm', complete }, 'prompt', { timeoutMs: LONG_MS })
    expect(asked).toMatchObject({ failure: { code: 'MODEL', message: expect.stringContaining(message) } })
  })

  it('hands on a failure of ours as it is', async () => {
    const failure = new KeepsakeError('MODEL', 'status 401', { hint: 'check the key' })
    const complete = () => Promise.reject(failure)
    expect(await askModel({ name: '', complete }, 'prompt', { timeoutMs: LONG_MS })).toEqual({ failure })
  })

  it('ends after its time, though the model does not listen', async () => {
    const never = () => new Promise<typeof GOOD>(() => undefined)
    const asked = await askModel({ name: '', complete: never }, 'prompt', { timeoutMs: 5 })
    expect(asked).toMatchObject({ failure: { code: 'TIMEOUT', message: 'the model did not answer within 5 ms' } })
  })

  it('ends its timer with the call', async () => {
    vi.useFakeTimers()
    const heard: AbortSignal[] = []
    const complete = async (_: string, { signal }: { signal?: AbortSignal }): Promise<typeof GOOD> => {
      if (signal) heard.push(signal)
      if (heard.length === 2) throw new Error('down')
      return GOOD
    }
    for (let call = 1; call <= 2; call++) await askModel({ name: '', complete }, 'prompt', { timeoutMs: 10 })
    expect(vi.getTimerCount()).toBe(0)
    expect(heard.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  it('throws what the caller gives up with, before and during the call', async () => {
    const caller = new AbortController()
    const complete = () => {
      caller.abort(new Error('never mind'))
      return Promise.reject(new Error('aborted, in the words of the model'))
    }
    const options = { timeoutMs: LONG_MS, signal: caller.signal }
    await expect(askModel({ name: '', complete }, 'prompt', options)).rejects.toThrow('never mind')
    await expect(askModel({ name: '', complete }, 'prompt', options)).rejects.toThrow('never mind')
  })
})
