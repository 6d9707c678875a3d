/** What a failure of the model leaves: all that was said, MEMORY.md as it was, and the session where it was. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { Memory } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from '../session/places.ts'
import { answering, failing, longExchanges, memoryText, reply, said, sayAll, textsOf } from './models.ts'

describe.each(PLACES)('a model that fails, in %s', (where, makePlace) => {
  const it = itOn(where, 'is replaced by what a later try makes of it, in one change')
  let place: Place
  let memory: Memory
  beforeEach(async () => {
    place = makePlace()
    memory = place.open()
    await memory.reflect('- before')
    await sayAll(memory.session('s'), exchanges(1, 7))
  })
  afterEach(() => place.remove())

  it('leaves the turns, and keeps them whole', async () => {
    const done = await consolidate(memory, 's', { model: failing().model })
    expect(done).toMatchObject({ outcome: 'fell back', memory: 'unchanged', failure: { code: 'MODEL' } })
    expect(done.marker).toBeUndefined()
    expect(done.archives[0]).toMatchObject({
      metadata: { raw: true },
      origin: { by: 'raw-fallback', agent: 'main', session: 's' },
    })
    for (const text of exchanges(1, 7)) expect(done.archives[0]?.content).toContain(text)
    expect(done.history).toHaveLength(1)
    expect(done.history[0]?.content).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d\] \[raw-fallback\]/)
    expect(done.history[0]?.content).not.toContain('question 2')
    expect(done.history[0]?.content).toContain('question 3')
    expect(await memoryText(memory)).toBe('- before')
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(1, 7))
  })

  it('adds nothing when it fails again, whatever was said since, until the session begins anew', async () => {
    const { model } = failing()
    const { archives } = await consolidate(memory, 's', { model, reason: 'trim', keepMessages: 6 })
    for (const reason of ['compact', 'trim'] as const) {
      await talk(memory.session('s'), reason === 'compact' ? 8 : 9)
      const again = await consolidate(memory, 's', { model, reason })
      expect(again).toMatchObject({ outcome: 'fell back', changes: [], history: [] })
      expect(again.archives).toEqual(archives)
    }
    expect(await textsOf(memory, 'history')).toHaveLength(1)
    expect(await liveTexts(memory.session('s'))).toEqual(exchanges(1, 9))
    const anew = await consolidate(memory, 's', { model, reason: 'new' })
    for (const text of exchanges(1, 9)) expect(anew.archives[0]?.content).toContain(text)
    expect(await textsOf(memory, 'archive')).toHaveLength(1)
    expect(await textsOf(memory, 'history')).toHaveLength(2)
    expect(await liveTexts(memory.session('s'))).toEqual([])
  })

  it('is no hindrance to later ones once what was kept of it is forgotten', async () => {
    const { archives } = await consolidate(memory, 's', { model: failing().model })
    await memory.forget('s-1')
    const again = await consolidate(place.open(), 's', { model: failing().model })
    expect(again).toMatchObject({ outcome: 'fell back', archives: [{ name: 's-1', metadata: { raw: true } }] })
    await memory.forget('s-1')
    const condensed = () => consolidate(place.open(), 's', { model: answering(reply('Said.')).model })
    const [first, second] = [await condensed(), await memory.undo().then(condensed)]
    expect([first, second]).toMatchObject([{ outcome: 'condensed' }, { outcome: 'condensed' }])
    const ids = [archives, again.archives, first.archives, second.archives].map(([archive]) => archive?.id)
    expect(new Set(ids).size).toBe(4)
    expect(await liveTexts(place.open().session('s'))).toEqual([])
    expect(await textsOf(memory, 'history')).toHaveLength(3)
    expect(await textsOf(memory, 'archive')).toEqual([expect.stringContaining('Said.')])
  })

  it('begins anew once all is kept, and undo brings the turns back', async () => {
    const done = await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    expect(done).toMatchObject({ outcome: 'fell back', marker: { reason: 'new' } })
    expect(await liveTexts(place.open().session('s'))).toEqual([])
    await memory.undo()
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(1, 7))
    expect([await textsOf(memory, 'history'), await textsOf(memory, 'archive')]).toEqual([[], []])
  })

  it('is replaced by what a later try makes of it, in one change', async () => {
    await consolidate(memory, 's', { model: failing().model })
    const done = await consolidate(memory, 's', { model: answering(reply('At last.', '- before\n- after')).model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'updated' })
    expect(await textsOf(memory, 'archive')).toEqual([expect.stringContaining('At last.')])
    await memory.undo()
    expect(await textsOf(memory, 'archive')).toEqual([expect.stringContaining('question 1')])
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(1, 7))
  })

  it('keeps all that is left as one, where a piece of many fails', async () => {
    const session = memory.session('long')
    const long = 'some words of a long question '.repeat(600)
    for (let n = 1; n <= 4; n++) {
      await session.append([
        { role: 'user', content: `question ${n} ${long}` },
        { role: 'assistant', content: `answer ${n} ${long}` },
      ])
    }
    const { model } = answering(reply('First.', '- before\n- first'), () => Promise.reject(new Error('down')))
    const done = await consolidate(memory, 'long', { model, reason: 'new' })
    expect(done).toMatchObject({ outcome: 'fell back', memory: 'updated', marker: { reason: 'new' } })
    expect(done.archives.map(({ metadata }) => metadata['raw'] ?? false)).toEqual([false, true])
    expect(done.archives[1]?.content).toContain('question 4')
    expect(await liveTexts(session)).toEqual([])
    expect(await memoryText(memory)).toBe('- before\n- first')
  })

  it('ends the call after its time, and drops what comes later', async () => {
    let late: ((answer: { content: string }) => void) | undefined
    let heard: AbortSignal | undefined
    const done = await consolidate(memory, 's', {
      timeoutMs: 20,
      model: (_, { signal }) => {
        heard = signal
        return new Promise((resolve) => {
          late = resolve
        })
      },
    })
    expect(done).toMatchObject({ outcome: 'fell back', failure: { code: 'TIMEOUT', data: { timeoutMs: 20 } } })
    expect(heard?.aborted).toBe(true)
    const before = await memory.log()
    late?.({ content: reply('Too late.', '- too late') })
    // A write for the late reply would come before this one.
    await memory.remember('written after the reply')
    expect(await memory.log()).toHaveLength(before.length + 1)
    expect(await memoryText(memory)).toBe('- before')
  })

  it('writes nothing when the caller gives up, whether or not the model listens', async () => {
    const before = await memory.log()
    for (const listens of [true, false]) {
      const caller = new AbortController()
      const asked = consolidate(memory, 's', {
        signal: caller.signal,
        reason: 'new',
        model: (_, { signal }) => {
          setImmediate(() => caller.abort(new Error('never mind')))
          return new Promise((_resolve, reject) => {
            if (listens) signal?.addEventListener('abort', () => reject(signal.reason))
          })
        },
      })
      await expect(asked).rejects.toThrow('never mind')
    }
    expect(await memory.log()).toEqual(before)
    expect(await liveTexts(memory.session('s'))).toEqual(exchanges(1, 7))
    expect(await said(memory.session('s'))).toEqual(exchanges(1, 7))
    const { model } = answering(reply('After all.', '- before'))
    expect(await consolidate(memory, 's', { model })).toMatchObject({ outcome: 'condensed' })
  })

  it('keeps the pieces that were done before the caller gave up, and nothing of the one under way', async () => {
    const session = memory.session('long')
    await sayAll(session, longExchanges(1, 4))
    const caller = new AbortController()
    const reason = new Error('never mind')
    const { model } = answering(reply('First.', '- before\n- first'), () => {
      caller.abort(reason)
      return reply('Second.', '- second')
    })
    const asked = consolidate(memory, 'long', { model, signal: caller.signal, reason: 'new' })
    await expect(asked).rejects.toBe(reason)
    expect(await textsOf(memory, 'archive')).toEqual([expect.stringContaining('First.')])
    expect(await memoryText(memory)).toBe('- before\n- first')
    const { turns, marker } = await place.open().session('long').view()
    expect([turns.length > 0, marker?.reason]).toEqual([true, 'trim'])
  })

  it.each([
    ['nothing', ''],
    ['chatter', 'I am sorry, I can not do that.'],
    ['empty fields', reply('', ' ')],
    ['no text', 7 as unknown as string],
    ['no answer', undefined as unknown as string],
  ])('is %s as well', async (_what, content) => {
    const done = await consolidate(memory, 's', { model: async () => ({ content }) })
    expect(done).toMatchObject({ outcome: 'fell back', failure: { code: 'MODEL' } })
    expect(await memoryText(memory)).toBe('- before')
  })
})
