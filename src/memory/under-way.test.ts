/** What a memory that closes ends and waits for. */
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { UnderWay } from './under-way.ts'

/** Work that goes on until it is told to end, and then says why. */
function untilEnded(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }))
}

it('is ended by the signal that it was given, to which all listen as one, and nobody afterwards', async () => {
  const underWay = new UnderWay()
  const given = new AbortController()
  const works = Array.from({ length: 30 }, () => underWay.run(given.signal, untilEnded))
  expect(getEventListeners(given.signal, 'abort')).toHaveLength(1)
  given.abort('enough')
  expect(new Set(await Promise.all(works))).toEqual(new Set(['enough']))
  const other = new AbortController()
  await underWay.run(other.signal, async () => undefined)
  expect(getEventListeners(other.signal, 'abort')).toEqual([])
})

it('does not start when its signal is already aborted', async () => {
  const begun: string[] = []
  const running = new UnderWay().run(AbortSignal.abort('enough'), async () => begun.push('begun'))
  await expect(running).rejects.toBe('enough')
  expect(begun).toEqual([])
})

it('is ended and waited for at the end, after which nothing begins', async () => {
  const underWay = new UnderWay()
  const ended: unknown[] = []
  const working = underWay.run(undefined, async (signal) => ended.push(await untilEnded(signal)))
  await underWay.end()
  expect(ended).toMatchObject([{ code: 'CLOSED' }])
  await working
  const begun = underWay.run(undefined, async () => ended.push('begun'))
  await expect(begun).rejects.toMatchObject({ code: 'CLOSED' })
  expect(ended).toHaveLength(1)
})

it('background work runs one job at a time, stops for work in the foreground, and does not start beside it', async () => {
  const underWay = new UnderWay()
  const events: string[] = []
  const behind = (name: string): void =>
    underWay.startInBackground(async (signal) => {
      events.push(`${name} begins`)
      await untilEnded(signal)
      events.push(`${name} ends`)
      throw new Error('its own business')
    })
  behind('first')
  behind('second')
  await underWay.runInForeground(undefined, async () => {
    events.push('caller')
    behind('third')
  })
  behind('fourth')
  await underWay.end()
  behind('fifth')
  expect(events).toEqual(['first begins', 'first ends', 'caller', 'fourth begins', 'fourth ends'])
})
