/** What fell back, tried again: each is condensed once, in its place, and one that fails again stays as it is. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { retryFallbacks } from '../../src/consolidate/retry.ts'
import type { Memory } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from '../session/places.ts'
import { answering, failing, longExchanges, memoryText, reply, sayAll, shownMemory, textsOf } from './models.ts'

describe.each(PLACES)('trying again, in %s', (where, makePlace) => {
  const it = itOn(where, 'goes on after one that fails again, which stays as it is')
  let place: Place
  let memory: Memory
  beforeEach(async () => {
    place = makePlace()
    memory = place.open()
    await memory.reflect('- before')
  })
  afterEach(() => place.remove())

  it('condenses what is live as far as it was meant to, and what went on in that exchange', async () => {
    const session = memory.session('s')
    await talk(session, 1, 2)
    await session.append({ role: 'user', content: 'question 3' })
    await consolidate(memory, 's', { model: failing().model, reason: 'trim' })
    await session.append({ role: 'assistant', content: 'answer 3' })
    await talk(session, 4)
    const { model, prompts } = answering(reply('Said.', '- before\n- after'))
    const done = await retryFallbacks(memory, { model })
    expect(done).toMatchObject([{ session: 's', outcome: 'condensed', marker: { reason: 'trim' }, memory: 'updated' }])
    expect(prompts[0]).toContain('answer 3')
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(4))
    expect(await textsOf(memory, 'archive')).toEqual([expect.stringContaining('Said.')])
    expect(await retryFallbacks(memory, { model })).toEqual([])
  })

  it('condenses what a session has left behind in its place, and moves nothing there', async () => {
    await talk(memory.session('s'), 1, 2)
    const fell = await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    await talk(memory.session('s'), 3)
    const [done] = await retryFallbacks(memory, { model: answering(reply('Said.', '- before\n- after')).model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'updated' })
    expect(done?.changes).toHaveLength(1)
    const archive = done?.archives[0]
    expect(archive?.name).toBe(fell.archives[0]?.name)
    expect(archive?.metadata).toEqual({ ...fell.archives[0]?.metadata, raw: undefined })
    expect(await textsOf(memory, 'archive')).toHaveLength(1)
    expect((await textsOf(memory, 'history')).filter((text) => !text.includes('[raw-fallback]'))).toHaveLength(1)
    // What the fallback left in the history is not found beside it, though its own archive is gone.
    const found = (await memory.search('question said')).hits.map(({ entry }) => entry.kind)
    expect([found.includes('archive'), found.includes('history')]).toEqual([true, false])
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(3))
    await memory.undo()
    expect(await textsOf(memory, 'archive')).toEqual([fell.archives[0]?.content])
    expect(await memoryText(memory)).toBe('- before')
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(3))
    expect(await retryFallbacks(memory, { model: answering(reply('Again.', '- before')).model })).toHaveLength(1)
  })

  it('goes on after one that fails again, which stays as it is', async () => {
    for (const key of ['one', 'two', 'three']) {
      await talk(memory.session(key), 1)
      await memory.session(key).append({ role: 'user', content: `about ${key}` })
      const reason = key === 'two' ? 'new' : 'compact'
      await consolidate(memory, key, { model: failing().model, reason })
    }
    const kept = async (): Promise<(string | null)[]> =>
      (await memory.list({ kinds: ['archive'] })).filter(({ metadata }) => metadata['raw']).map(({ name }) => name)
    const two = (prompt: string): string => {
      if (prompt.includes('about two')) throw new Error('down')
      return reply('Said.', '- before')
    }
    const before = await memory.get('two-1')
    const done = await retryFallbacks(memory, { model: answering(two).model })
    expect(done.map(({ session, outcome }) => `${session} ${outcome}`)).toEqual([
      'one condensed',
      'two fell back',
      'three condensed',
    ])
    expect(await kept()).toEqual(['two-1'])
    expect(await memory.get('two-1')).toEqual(before)
    expect(done[1]).toMatchObject({ changes: [], history: [], failure: { code: 'MODEL' } })
  })

  it.each([
    ['that has nothing to say keeps what those before it made', '- before\n- Anna', 'No changes needed'],
    ['is shown the memory, and not what stands for it', 'No changes', '- before\n- Anna'],
  ])('a piece of many %s', async (_what, first, second) => {
    await sayAll(memory.session('s'), longExchanges(1, 4))
    await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    const { model, prompts } = answering(reply('One.', first), reply('Two.', second))
    expect(await retryFallbacks(memory, { model })).toMatchObject([{ outcome: 'condensed', memory: 'updated' }])
    expect(prompts).toHaveLength(2)
    expect(shownMemory(prompts[1])).toBe(first === 'No changes' ? '- before' : first)
    expect(await memoryText(memory)).toBe('- before\n- Anna')
  })

  it('a piece of many that would shrink the memory leaves it, and the whole to a person', async () => {
    const facts = Array.from({ length: 9 }, (_, n) => `- fact ${n}`).join('\n')
    await memory.reflect(facts)
    await sayAll(memory.session('s'), longExchanges(1, 4))
    await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    const { model } = answering(reply('One.', '- x'), reply('Two.', `- x\n${'- as long as before\n'.repeat(5)}`))
    const [done] = await retryFallbacks(memory, { model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'for review', review: { reason: 'shrinks' } })
    expect(done?.review?.proposed).toContain('as long as before')
    expect(await memoryText(memory)).toBe(facts)
  })

  it('a piece of many whose rewrite may be a part leaves the whole to a person', async () => {
    await memory.reflect('- before')
    await sayAll(memory.session('s'), longExchanges(1, 4))
    await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    const { model } = answering(`${reply('One.', '- before\n- Ann')} and "}`, reply('Two.', '- before\n- Ann\n- Bo'))
    const [done] = await retryFallbacks(memory, { model })
    expect(done?.review).toMatchObject({ reason: 'doubtful', proposed: '- before\n- Ann\n- Bo' })
    expect(await memoryText(memory)).toBe('- before')
  })

  it('keeps raw again what is left when a later piece fails, for the next try', async () => {
    const session = memory.session('s')
    const texts = longExchanges(1, 4)
    await sayAll(session, texts)
    await consolidate(memory, 's', { model: failing().model })
    const down = (): Promise<string> => Promise.reject(new Error('down'))
    const [done] = await retryFallbacks(memory, { model: answering(reply('One.', '- before'), down).model })
    expect(done).toMatchObject({ outcome: 'fell back', failure: { code: 'MODEL' } })
    expect(done?.archives.map(({ metadata }) => metadata['raw'])).toEqual([undefined, true])
    for (const { id } of done?.archives ?? []) expect(await memory.get(id)).toBeDefined()
    const left = await liveTexts(session)
    expect(left.length).toBeLessThan(texts.length)
    for (const text of left) expect(done?.archives[1]?.content).toContain(text.trim())
    const [again] = await retryFallbacks(memory, { model: answering(reply('Two.', '- before')).model })
    expect(again).toMatchObject({ outcome: 'condensed' })
    expect(await liveTexts(session)).toEqual([])
  })

  it('asks about turns that were reset since as about those left behind', async () => {
    await talk(memory.session('s'), 1)
    await consolidate(memory, 's', { model: failing().model })
    await memory.session('s').reset()
    const [done] = await retryFallbacks(memory, { model: answering(reply('Said.', '- before')).model })
    expect(done).toMatchObject({ outcome: 'condensed', archives: [{ name: 's-1' }] })
    expect(await textsOf(memory, 'archive')).toHaveLength(1)
  })
})
