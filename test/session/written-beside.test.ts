/** What a summary is made of, and what it may bring along in the one change that makes the archive. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { Memory, Session, Summed } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from './places.ts'

type Asked = Parameters<NonNullable<Summed['beside']>>[0]

describe.each(PLACES)('beside an archive in %s', (where, newPlace) => {
  const it = itOn(where, 'is asked for anew where another one has written meanwhile')
  let place: Place
  let memory: Memory
  let session: Session
  let asked: Asked[]
  beforeEach(async () => {
    place = newPlace()
    memory = place.open()
    session = memory.session('chat')
    asked = []
    await memory.reflect('- likes tea')
    await talk(session, 1, 2)
  })
  afterEach(() => place.remove())

  const memoryText = async (): Promise<string | undefined> =>
    (await place.open().list({ kinds: ['memory'] }))[0]?.content
  const countOf = async (kind: 'archive' | 'conversation' | 'history'): Promise<number> =>
    (await place.open().list({ kinds: [kind] })).length
  /** As condensing does it: a line more in MEMORY.md, and an entry of the history; `meanwhile` is what others do at each try. */
  const summed =
    (meanwhile: (nth: number) => Promise<unknown> = async () => undefined): (() => Summed) =>
    () => ({
      text: 'of tea',
      origin: { by: 'consolidation', agent: 'main', session: 'chat' },
      metadata: { review: { reason: 'shrinks' }, session: 'ours comes first' },
      beside: async (archive) => {
        asked.push(archive)
        const [seen] = await place.open().list({ kinds: ['memory'] })
        await meanwhile(asked.length)
        const { id = '', revision = '', content = '' } = seen ?? {}
        const metadata = { archive: archive.id, session: 'chat' }
        return {
          operations: [
            { op: 'add', scope: 'main', kind: 'history', content: '[2026-11-16 09:00] of tea', metadata },
            { op: 'write', id, content: `${content}\n- likes it hot` },
          ],
          expect: { [id]: revision },
        }
      },
    })

  it('stands what is written in the same change, and is taken back with it by a bare undo', async () => {
    const { archive, change, entries, slid } = await session.compact({ summary: summed() })
    expect(asked).toEqual([{ id: archive?.id, name: 'chat-1' }])
    expect(archive).toMatchObject({
      metadata: { session: 'chat', review: { reason: 'shrinks' } },
      origin: { by: 'consolidation', agent: 'main', session: 'chat' },
    })
    expect(change?.origin).toEqual(archive?.origin)
    expect(entries?.map(({ kind }) => kind)).toEqual(['archive', 'history', 'memory'])
    expect(slid).toHaveLength(4)
    expect(await memoryText()).toBe('- likes tea\n- likes it hot')
    const { undone } = await memory.undo()
    expect(undone.map((logged) => logged.change.number)).toEqual([change?.number])
    expect([await memoryText(), await liveTexts(session)]).toEqual(['- likes tea', exchanges(1, 2)])
    expect([await countOf('archive'), await countOf('history'), await countOf('conversation')]).toEqual([0, 0, 4])
  })

  it('is asked for anew where another one has written meanwhile', async () => {
    const done = await session.compact({
      summary: summed(async (nth) => nth <= 2 && place.open().reflect(`- likes tea ${nth}`)),
    })
    expect([done.compacted, asked.length]).toEqual([true, 3])
    expect([await memoryText(), await countOf('history')]).toEqual(['- likes tea 2\n- likes it hot', 1])
  })

  it('gives up in the end, with nothing written and the session as it was', async () => {
    const endless = summed((nth) => place.open().reflect(`- likes tea ${nth}`))
    await expect(session.compact({ summary: endless })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await memoryText()).toBe(`- likes tea ${asked.length}`)
    expect([await countOf('archive'), await countOf('history')]).toEqual([0, 0])
    expect(await liveTexts(place.open().session('chat'))).toEqual(exchanges(1, 2))
  })

  it('is nothing written where another one has made the archive meanwhile', async () => {
    const other = place.open().session('chat')
    const done = await session.compact({
      summary: summed(async (nth) => nth === 1 && other.compact({ summary: 'by another', keep: 1 })),
    })
    expect(done).toMatchObject({ compacted: false, why: 'already compacted', marker: { turns: 2 } })
    expect([await memoryText(), await countOf('archive'), await countOf('history')]).toEqual(['- likes tea', 1, 0])
    expect(await liveTexts(session)).toEqual(exchanges(2))
  })

  it('is told another name where that was taken meanwhile', async () => {
    const meanwhile = async (nth: number): Promise<unknown> =>
      nth === 1 && place.open().remember('in the way', { name: 'chat-1' })
    const { archive } = await session.compact({ summary: summed(meanwhile) })
    expect(asked.map(({ name }) => name)).toEqual(['chat-1', 'chat-2'])
    expect([archive?.name, new Set(asked.map(({ id }) => id)).size]).toEqual(['chat-2', 1])
  })

  it('may fail by itself, or be left, and nothing is written', async () => {
    const failing = summed(() => Promise.reject(new Error('no idea')))
    await expect(session.compact({ summary: failing })).rejects.toThrow('no idea')
    const left = await session.compact({ summary: () => undefined })
    expect(left).toMatchObject({ compacted: false, why: 'the summary is empty' })
    expect([await memoryText(), await countOf('archive'), await countOf('history')]).toEqual(['- likes tea', 0, 0])
    expect(await liveTexts(session)).toEqual(exchanges(1, 2))
  })

  it('a summary is made of the turns as they are kept, and of what is new in each', async () => {
    const given = 'The boiler was serviced on the third of May by the plumber from Elm Street.'
    await session.import([{ id: 'i', role: 'user', content: `${block('recall', given)}\nThanks a lot, Anna.` }], {
      given: [given],
    })
    await session.append([
      { role: 'assistant', content: given, metadata: { mood: 'calm' } },
      { role: 'assistant', content: '', tools: ['recall'], metadata: { calls: [{ id: 'c1' }] } },
      { role: 'tool', content: 'Nothing.', tools: ['recall'] },
    ])
    const view = await session.view()
    let input: { turns: unknown; messages: readonly { content: string }[] } | undefined
    await session.compact({
      summary: (one) => {
        input = one
        return undefined
      },
    })
    expect(input?.turns).toEqual(view.turns)
    const texts = input?.messages.map(({ content }) => content.trim())
    expect(texts).toEqual([...exchanges(1, 2), 'Thanks a lot, Anna.', 'Nothing.'])
  })

  it('the window has its turns as they are stored', async () => {
    await talk(session, 3)
    await session.compact({ summary: 'of the first', keep: 2 })
    await session.append({ role: 'tool', content: 'x', tools: ['recall'], metadata: { call: 'c1' } })
    const { turns } = await session.view()
    for (const size of [0, 1, 2, 3]) {
      const window = await session.window({ size })
      expect(window.turns).toEqual(turns.slice(turns.length - ([0, 3, 5, 5][size] ?? 0)))
    }
    expect((await session.window({ size: 1 })).turns.at(-1)?.metadata).toEqual({ call: 'c1' })
  })
})
