/** Long work in slices: others have their turn, and may end it. */
import { expect, it } from 'vitest'
import type { Steps } from '../../search/steps.ts'
import { inSlices } from './breath.ts'

it('lets others have a turn while it works', async () => {
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  function* untilThen(): Steps<string> {
    while (!hadTurn) yield 1
    return 'done'
  }
  expect(await inSlices(untilThen())).toBe('done')
})

it('ends where it is told so, before and on the way', async () => {
  let steps = 0
  const ending = new AbortController()
  function* endless(): Steps<never> {
    for (;;) {
      if (steps++ === 1000) ending.abort(new Error('enough'))
      yield 1
    }
  }
  await expect(inSlices(endless(), ending.signal)).rejects.toThrow('enough')
  steps = 0
  await expect(inSlices(endless(), ending.signal)).rejects.toThrow('enough')
  expect(steps).toBe(0)
})
