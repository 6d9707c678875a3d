/** Archives that hold all that was said, for want of a summary: they stand for nothing, unless the session begins anew with them. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { Compacted, Memory, Session, Summed } from '../../src/memory.ts'
import { Memory as OpenMemory } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from './places.ts'
import { untold } from './untold.ts'

const raw = (text: string): (() => Summed) => {
  return () => ({ text, raw: true, origin: { by: 'raw-fallback', agent: 'main', session: 'chat' } })
}

describe.each(PLACES)('a raw archive in %s', (where, newPlace) => {
  const it = itOn(where, 'is replaced once where two do it at once, and by a summary where both come about at once')
  let place: Place
  let memory: Memory
  let session: Session
  beforeEach(() => {
    place = newPlace()
    memory = place.open()
    session = memory.session('chat')
  })
  afterEach(() => place.remove())
  const again = (): Session => place.open().session('chat')
  const crashing = (): Session => new OpenMemory(untold(place.open().store), 'main', Date.now).session('chat')
  const archives = async (): Promise<string[]> =>
    (await place.open().list({ kinds: ['archive'] })).map(({ name, content }) => `${name}: ${content}`)
  const undo = async ({ change }: Pick<Compacted, 'change'>): Promise<Pick<Compacted, 'change'>> => {
    const undone = await memory.undo({ changes: [change?.number ?? 0] })
    expect(undone.warnings).toEqual([])
    return undone
  }

  it('leaves the session as it is, and is found by search and not by auto-recall', async () => {
    await talk(session, 1, 2)
    await session.append({ role: 'user', content: 'the violin is in the attic' })
    const before = [await session.view(), await session.window()]
    const done = await session.compact({ summary: raw('user: the violin is in the attic') })
    expect(done).toMatchObject({
      compacted: true,
      archive: { name: 'chat-1', metadata: { raw: true, turns: 5 }, origin: { by: 'raw-fallback' } },
      slid: [],
      warnings: [],
    })
    expect([done.marker, done.entries?.map(({ id }) => id)]).toEqual([undefined, [done.archive?.id]])
    for (const one of [session, again()]) expect([await one.view(), await one.window()]).toEqual(before)
    expect((await session.transcript()).markers).toEqual([])
    expect(await memory.list({ kinds: ['conversation'] })).toEqual([])
    expect((await memory.search('violin')).hits.map(({ entry }) => entry.id)).toEqual([done.archive?.id])
    expect(await again().autoRecall('where is the violin?')).toBeUndefined()
  })

  it('is kept to the letter', async () => {
    await talk(session, 1)
    const text = `user: look at this:\n\n${block('recall', 'as it was given')}`
    expect((await session.compact({ summary: raw(text) })).archive?.content).toBe(text)
  })

  it('makes way for the next one of the same turns, by its name, and comes back with the undo of that', async () => {
    await talk(session, 1)
    const first = await session.compact({ summary: raw('all') })
    await talk(session, 2)
    const second = await session.compact({ summary: raw('all and more') })
    expect(await archives()).toEqual(['chat-1: all and more'])
    const third = await session.compact({ summary: 'a summary', keep: 1 })
    expect(third.archive?.metadata['raw']).toBeUndefined()
    expect(new Set([first, second, third].map(({ archive }) => archive?.id)).size).toBe(3)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: a summary'], exchanges(2)])
    const undone = await undo(third)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: all and more'], exchanges(1, 2)])
    expect((await again().view()).archive).toBeUndefined()
    const redone = await undo(undone)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: a summary'], exchanges(2)])
    expect((await again().view()).archive?.content).toBe('a summary')
    await undo(redone)
    await undo(second)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: all'], exchanges(1, 2)])
    await undo(first)
    expect(await archives()).toEqual([])
    await again().compact({ summary: 'at last' })
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: at last'], []])
  })

  it('makes way also for one that begins before it', async () => {
    await talk(session, 1)
    const first = await session.compact({ summary: 'of the first' })
    await talk(session, 2)
    await session.compact({ summary: raw('of the second') })
    await undo(first)
    expect(await archives()).toEqual(['chat-2: of the second'])
    await session.compact({ summary: 'of both' })
    expect(await archives()).toEqual(['chat-1: of both'])
  })

  it('is replaced once where two do it at once, and by a summary where both come about at once', async () => {
    await talk(session, 1)
    await session.compact({ summary: raw('all') })
    const done = await Promise.all([1, 2].map((n) => again().compact({ summary: `by ${n}` })))
    const [winner, ...more] = done.filter(({ compacted }) => compacted)
    expect([more, await archives()]).toEqual([[], [`chat-1: ${winner?.archive?.content}`]])
    await talk(session, 2)
    const late = await again().compact({
      summary: async () => {
        await session.compact({ summary: raw('all of the second') })
        return 'of the second'
      },
    })
    expect(late).toMatchObject({ compacted: true, archive: { content: 'of the second' } })
    expect((await archives()).at(-1)).toBe('chat-2: of the second')
    expect([(await archives()).length, await liveTexts(again())]).toEqual([2, []])
    await talk(session, 3)
    const tooLate = await again().compact({
      summary: async () => {
        await session.compact({ summary: raw('all of the third') })
        return raw('all of the third, by another')()
      },
    })
    expect(tooLate).toMatchObject({ compacted: false, why: 'already compacted' })
    expect((await archives()).at(-1)).toBe('chat-3: all of the third')
  })

  it('that is undone and redone stands for nothing, although a summary had its id meanwhile', async () => {
    await talk(session, 1)
    const undone = await undo(await session.compact({ summary: raw('all') }))
    await undo(await session.compact({ summary: 'a summary' }))
    await undo(undone)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: all'], exchanges(1)])
    expect((await session.transcript()).markers).toMatchObject([{ unmarked: true }])
    await session.compact({ summary: 'a summary' })
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: a summary'], []])
  })

  it('that was replaced does not hide the archive whose marker is missing', async () => {
    await talk(session, 1)
    await session.compact({ summary: raw('one') })
    await session.compact({ summary: raw('two') })
    await expect(crashing().compact({ summary: 'three' })).rejects.toThrow('crashed')
    expect((await again().transcript()).markers).toEqual([])
    expect((await again().view()).archive?.content).toBe('three')
    await talk(again(), 2)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: three'], exchanges(2)])
    expect((await again().transcript()).markers).toHaveLength(1)
  })

  it('clears the session where it begins anew, and what replaces it does not bring that back', async () => {
    await talk(session, 1)
    const cleared = await session.compact({ summary: raw('all'), reason: 'new' })
    expect(cleared).toMatchObject({ marker: { reason: 'new' }, archive: { metadata: { raw: true, reason: 'new' } } })
    expect((await again().window()).messages).toEqual([])
    expect(await memory.list({ kinds: ['conversation'] })).toHaveLength(2)
    // As a later try does it: the summary in the place of all that was said.
    const id = cleared.archive?.id ?? ''
    const metadata = { ...cleared.archive?.metadata, raw: false }
    const retried = await memory.apply([
      { op: 'remove', id },
      { op: 'add', scope: 'main', kind: 'archive', name: 'chat-1', content: 'a summary', metadata },
    ])
    expect([await liveTexts(again()), (await again().window()).messages]).toEqual([[], []])
    await undo(retried)
    expect([await archives(), await liveTexts(again())]).toEqual([['chat-1: all'], []])
    const redone = await memory.undo({ by: 'undo' })
    expect(redone.warnings).toEqual([])
    await memory.undo({ changes: [cleared.change?.number ?? 0], withLater: true })
    expect([await archives(), await liveTexts(again())]).toEqual([[], exchanges(1)])
  })
})
