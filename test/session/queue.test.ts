/** What is asked of a session without waiting is done in that order, however many sessions are open. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { Memory } from '../../src/memory.ts'
import type { Sessions, Store } from '../../src/ports/store.ts'
import { itOn } from '../one-row.ts'
import { liveTexts, PLACES, type Place } from './places.ts'

const user = (content: string, id?: string) => ({ role: 'user', content, ...(id ? { id } : {}) }) as const

describe.each(PLACES)('without waiting, in %s,', (where, newPlace) => {
  const it = itOn(where, 'a reset leaves behind what was said before it, and nothing that came after')
  let place: Place
  let memory: Memory
  beforeEach(() => {
    place = newPlace()
    memory = place.open()
  })
  afterEach(() => place.remove())

  it('a reset leaves behind what was said before it, and nothing that came after', async () => {
    const session = memory.session('chat')
    await Promise.all([
      session.append(user('a')),
      session.append(user('b')),
      session.reset(),
      session.append(user('c')),
    ])
    expect(await liveTexts(session)).toEqual(['c'])
  })

  it('a compaction sums up what was said before it, and may say something itself', async () => {
    const session = memory.session('chat')
    const [, , { marker }] = await Promise.all([
      session.append(user('a')),
      session.append(user('b')),
      session.compact({
        summary: async ({ messages }) => {
          await session.append(user('said by the summary'))
          return messages.map(({ content }) => content).join()
        },
      }),
    ])
    expect(marker?.turns).toBe(2)
    expect((await session.view()).archive?.content).toBe('a,b')
    expect(await liveTexts(session)).toEqual(['said by the summary'])
  })

  it('a session is one object as long as it is busy, although a hundred others are asked for', async () => {
    const said: Promise<unknown>[] = []
    const texts = Array.from({ length: 5 }, (_one, n) => `text ${n}`)
    const session = memory.session('chat')
    for (const text of texts) {
      said.push(memory.session('chat').append(user(text)))
      for (let n = 0; n < 101; n++) memory.session(`other ${n}`)
      expect(memory.session('chat')).toBe(session)
      for (let n = 0; n < 101; n++) memory.session(`other ${n}`)
    }
    await Promise.all(said)
    expect(await liveTexts(session)).toEqual(texts)
    for (let n = 0; n < 101; n++) memory.session(`other ${n}`)
    expect(memory.session('chat')).not.toBe(session)
  })

  it('a session that could not write down what it was given stays, and knows it again', async () => {
    const { store } = memory
    const append = (): Promise<never> => Promise.reject(new KeepsakeError('IO', 'no room'))
    const full = new Memory({ ...store, sessions: { ...sessionsOf(store), append } }, 'main', Date.now)
    const given = 'The boiler was serviced on the third of May by the plumber from Elm Street.'
    await expect(full.session('chat').import([user('a', 'one')], { given: [given] })).rejects.toThrow('no room')
    for (let n = 0; n < 101; n++) full.session(`other ${n}`)
    expect(await full.session('chat').fresh(given)).toBeUndefined()
  })

  it('an import with one id several times keeps the longest', async () => {
    const session = memory.session('chat')
    const turns = ['p', 'pq', 'p'].map((content) => user(content, 'one'))
    expect(await session.import(turns)).toMatchObject({ added: 1, grown: 0, already: 2 })
    expect(await liveTexts(session)).toEqual(['pq'])
  })
})

function sessionsOf({ sessions }: Store): Sessions {
  return {
    append: (...args) => sessions.append(...args),
    read: (...args) => sessions.read(...args),
    readBefore: (...args) => sessions.readBefore(...args),
    list: (...args) => sessions.list(...args),
  }
}
