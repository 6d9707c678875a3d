/** Turns of one id: by a program that counts its turns, or by a hand that has copied a line. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { Memory, Session } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { liveTexts, PLACES, type Place, talk } from './places.ts'

describe.each(PLACES)('turns of one id in %s', (where, newPlace) => {
  const it = itOn(where, 'are live, and are compacted, also where an archive stands for the first')
  let place: Place
  let memory: Memory
  let session: Session
  beforeEach(() => {
    place = newPlace()
    memory = place.open({ contextWindowSize: 1 })
    session = memory.session('chat')
  })
  afterEach(() => place.remove())

  const says = (id: string, content: string = `message ${id}`) => ({ id, role: 'user', content }) as const
  const conversation = async (): Promise<string[]> =>
    (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content).sort()
  /** As a hand would: the line once more, at the end. */
  const copyLine = async (content: string): Promise<void> => {
    const page = await memory.store.sessions.read('main', 'chat')
    const line = page?.records.find((record) => record['content'] === content)
    if (line) await memory.store.sessions.append('main', 'chat', [line])
  }

  it('are refused while the first is live, with all that they came with', async () => {
    await session.append(says('1'))
    await expect(session.append([says('2'), says('1', 'another')])).rejects.toThrow(/"1" is another turn's/)
    await expect(session.append([says('3'), says('3', 'another')])).rejects.toThrow(/"3" is another turn's/)
    expect(await liveTexts(session)).toEqual(['message 1'])
  })

  it('are live, and are compacted, also where an archive stands for the first', async () => {
    await session.append([says('1'), says('2'), says('3')])
    await session.compact({ summary: 'monday' })
    await session.append(says('1', 'tuesday'))
    expect(await liveTexts(session)).toEqual(['tuesday'])
    const { compacted, archive, change } = await session.compact({ summary: 'of tuesday' })
    expect([compacted, archive?.metadata['turns']]).toEqual([true, 1])
    expect(await session.view()).toMatchObject({ turns: [], archive: { content: 'of tuesday' } })
    expect(await memory.list({ kinds: ['archive'] })).toHaveLength(2)
    await memory.undo({ changes: [change?.number ?? 0] })
    expect(await session.view()).toMatchObject({ turns: [{ content: 'tuesday' }], archive: { content: 'monday' } })
  })

  it('slide out as one, and hold up none of the others', async () => {
    await session.append({ role: 'user', content: 'first' })
    await session.append({ role: 'assistant', content: 'second' })
    await copyLine('first')
    for (const n of [1, 2]) {
      expect((await session.append({ role: 'user', content: `later ${n}` })).warnings).toEqual([])
    }
    expect(await conversation()).toEqual(['first', 'later 1', 'second'])
    const { compacted, warnings } = await session.compact({ summary: 'all' })
    expect([compacted, warnings, await liveTexts(session)]).toEqual([true, [], []])
    expect(await conversation()).toEqual(['first', 'later 1', 'later 2', 'second'])
  })

  it('are summed up with all that stands between them', async () => {
    await talk(session, 1, 2)
    await copyLine('answer 1')
    await session.append({ role: 'user', content: 'question 3' })
    let summed: readonly string[] = []
    await session.compact({
      summary: ({ messages }) => {
        summed = messages.map(({ content }) => content)
        return 'x'
      },
      keep: 2,
    })
    expect(summed).toEqual(['question 1', 'answer 1', 'question 2', 'answer 2', 'answer 1'])
    expect(await liveTexts(session)).toEqual(['question 3'])
  })
})
