/** What a purge means for sessions: what is gone stays gone, also for a process that has read it, and the turns of an archive are back. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from './places.ts'
import { Workspace } from './workspace.ts'

describe('a purge by another process', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = new Workspace()
  })
  afterEach(() => workspace.remove())

  /** Of as many letters as what a purge puts in its place. */
  const SECRET = 'hunter22'
  const purgeElsewhere = async (): Promise<void> => {
    const memory = workspace.open()
    const { entry } = await memory.store
      .apply({
        operations: [{ op: 'add', scope: 'main', kind: 'fact', content: SECRET }],
        origin: { by: 'agent' },
      })
      .then(({ entries: [entry] }) => ({ entry }))
    await memory.purge(entry?.id ?? '')
  }

  it('is not taken back by one that knows the turns from before', async () => {
    const memory = workspace.open()
    const session = memory.session('chat')
    await session.append({ role: 'user', content: SECRET })
    await session.append({ role: 'user', content: 'second' })
    await purgeElsewhere()
    for (let n = 0; n < 6; n++) await session.append({ role: 'user', content: `next ${n}` })
    const said = (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
    expect(said).toContain('[purged]')
    expect(said.join()).not.toContain(SECRET)
  })

  it('is a conflict for what was decided on the text from before', async () => {
    const { store } = workspace.open()
    await store.sessions.append('main', 'chat', [{ n: 1, text: SECRET }])
    await store.sessions.append('main', 'chat', [{ n: 2 }])
    for (let purges = 1; purges <= 2; purges++) {
      const before = await store.sessions.read('main', 'chat')
      await store.sessions.append('main', 'chat', [{ text: SECRET }], { expectEnd: before?.next ?? -1 })
      const read = await store.sessions.read('main', 'chat')
      await purgeElsewhere()
      const stale = store.sessions.append('main', 'chat', [{ n: 3 }], { expectEnd: read?.next ?? -1 })
      await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await store.sessions.read('main', 'chat', read?.next)).toMatchObject({ restarted: true, meta: { purges } })
      expect(await store.sessions.readBefore('main', 'chat', read?.next)).toMatchObject({ restarted: true })
    }
    const { next } = (await store.sessions.read('main', 'chat')) ?? {}
    const { end } = await store.sessions.append('main', 'chat', [{ n: 4 }], { expectEnd: next ?? -1 })
    expect(await store.sessions.read('main', 'chat', next)).toMatchObject({ records: [{ n: 4 }], next: end })
  })
})

describe.each(PLACES)('a purged archive in %s', (where, newPlace) => {
  const it = itOn(where, 'gives its turns back after a crash, too (%s)')
  let place: Place
  beforeEach(() => {
    place = newPlace()
  })
  afterEach(() => place.remove())

  it.each([['at once'], ['after it was forgotten']])('gives its turns back (%s)', async (when) => {
    const memory = place.open()
    const session = memory.session('chat')
    await talk(session, 1)
    await session.compact({ summary: 'the first archive' })
    await talk(session, 2)
    const { archive } = await session.compact({ summary: 'the second archive' })
    await talk(session, 3)
    if (when !== 'at once') await memory.forget(archive?.id ?? '')
    const { warnings } = await memory.purge('chat-2')
    expect(warnings).toEqual([])
    const after = place.open().session('chat')
    expect(await liveTexts(after)).toEqual(exchanges(2, 3))
    expect((await after.view()).archive?.content).toBe('the first archive')
    expect((await after.transcript()).markers.map(({ unmarked }) => unmarked)).toEqual([false, true])
    expect(await after.compact({ summary: 'another one' })).toMatchObject({ compacted: true })
    expect(await liveTexts(after)).toEqual([])
  })

  /** What a crash leaves, of which the store itself finishes what it had begun. */
  const purgeKilled = async (when: 'before' | 'after'): Promise<void> => {
    const { store } = place.open()
    const purge: typeof store.purge = async (...asked) => {
      if (when === 'after') await store.purge(...asked)
      throw new Error('crashed')
    }
    await expect(new Memory({ ...store, purge }, 'main', Date.now).purge('chat-1')).rejects.toThrow('crashed')
  }

  it.each([['at once'], ['after it was forgotten']])('gives its turns back after a crash, too (%s)', async (when) => {
    const memory = place.open()
    await talk(memory.session('chat'), 1)
    await memory.session('chat').compact({ summary: 'the first archive' })
    if (when !== 'at once') await memory.forget('chat-1')
    await purgeKilled('after')
    const after = place.open().session('chat')
    expect([await liveTexts(after), (await after.view()).archive]).toEqual([exchanges(1), undefined])
    await talk(after, 2)
    expect((await after.transcript()).markers).toMatchObject([{ unmarked: true }])
    expect(await after.compact({ summary: 'another one' })).toMatchObject({ compacted: true })
  })

  it('is as it was where the crash came before', async () => {
    const memory = place.open()
    await talk(memory.session('chat'), 1)
    await memory.session('chat').compact({ summary: 'the first archive' })
    await purgeKilled('before')
    const after = place.open().session('chat')
    await talk(after, 2)
    expect(await liveTexts(after)).toEqual(exchanges(2))
    expect((await after.view()).archive?.content).toBe('the first archive')
    await place.open().purge('chat-1')
    expect(await liveTexts(place.open().session('chat'))).toEqual(exchanges(1, 2))
  })

  it('leaves a session that began anew with it cleared, after a crash, too', async () => {
    const memory = place.open()
    await talk(memory.session('chat'), 1)
    await memory.session('chat').compact({ summary: 'the first archive', reason: 'new' })
    await purgeKilled('after')
    expect(await liveTexts(place.open().session('chat'))).toEqual([])
  })
})

it('a purge of a world entry redacts the sessions of the agent that runs it, and lists those of other agents', async () => {
  const memory = new Memory(memoryStore(), 'main', Date.now)
  const other = new Memory(memory.store, 'bob', Date.now)
  for (const { agent, store } of [memory, other]) await store.sessions.append(agent, 'chat', [{ content: 'figs' }])
  await memory.learnFact('Quokka', 'figs')
  await memory.store.sessions.append('bob', 'more', [{ content: 'The quokka eats figs.' }])
  await memory.learnFact('Quokka', 'The quokka eats figs.')
  const { occurrences } = await memory.purge('Quokka')
  expect(occurrences).toEqual([{ in: 'session', scope: 'bob', key: 'more' }])
  expect((await memory.store.sessions.read('main', 'chat'))?.records).toEqual([{ content: '[purged]' }])
  expect((await memory.store.sessions.read('bob', 'chat'))?.records).toEqual([{ content: 'figs' }])
})

it('lists sessions whose archives were forgotten with one look at the past', async () => {
  const store = memoryStore({ settings: { timezone: 'UTC' } })
  let looks = 0
  const counted = {
    ...store,
    changes: (...asked: Parameters<typeof store.changes>) => {
      looks++
      return store.changes(...asked)
    },
  }
  const memory = new Memory(counted, 'main', Date.now, {})
  for (const key of ['a', 'b', 'c']) {
    await talk(memory.session(key), 1)
    const { archive } = await memory.session(key).compact({ summary: 'x' })
    await memory.forget(archive?.id ?? '')
  }
  looks = 0
  expect((await memory.sessions()).map(({ turns }) => turns)).toEqual([0, 0, 0])
  expect(looks).toBe(1)
  await memory.close()
})
