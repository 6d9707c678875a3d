/** Compaction with the reason `new`: the turns are summed up, and the session begins anew behind them, without the archive. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { identityGate } from '../../src/memory/identity-gate.ts'
import { Past } from '../../src/memory/past.ts'
import { Memory, type Session } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from './places.ts'
import { untold } from './untold.ts'

describe.each(PLACES)('a session that begins anew with an archive in %s', (where, newPlace) => {
  const it = itOn(where, 'is made once by two at once')
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
  /** What another process gives a model. */
  const messages = async (): Promise<string[]> =>
    (await again().window({ size: 1000 })).messages.map(({ content }) => content)
  const undo = async (change: number | undefined): Promise<number | undefined> =>
    (await memory.undo({ changes: [change ?? 0] })).change?.number

  it('shows nothing of what was, neither turns nor archives, and the archive is there', async () => {
    await talk(session, 1)
    await session.compact({ summary: 'of the first' })
    await talk(session, 2)
    const { marker, archive } = await session.compact({ summary: 'of the second', reason: 'new' })
    expect(archive).toMatchObject({ name: 'chat-2', metadata: { reason: 'new' } })
    expect(marker).toMatchObject({ reason: 'new', archiveId: archive?.id, turns: 2 })
    expect([await messages(), (await again().view()).archive]).toEqual([[], undefined])
    await talk(session, 3)
    expect(await messages()).toEqual(exchanges(3))
    expect(await memory.list({ kinds: ['conversation'] })).toHaveLength(4)
  })

  it('is not reset again, and does nothing where there is nothing', async () => {
    expect(await session.compact({ summary: 'x', reason: 'new' })).toMatchObject({ why: 'nothing to compact' })
    await talk(session, 1)
    const { change } = await session.compact({ summary: 'a summary', reason: 'new' })
    expect(await session.reset()).toEqual({ reset: false, warnings: [] })
    expect(await again().compact({ summary: 'x', reason: 'new' })).toMatchObject({ why: 'nothing to compact' })
    await undo(change?.number)
    expect(await messages()).toEqual(exchanges(1))
    await expect(session.compact({ summary: 'x', reason: 'old' as 'new' })).rejects.toThrow(/reason/)
  })

  it('is undone and redone, with what stood there before', async () => {
    await talk(session, 1)
    await session.compact({ summary: 'of the first' })
    const before = await messages()
    await talk(session, 2)
    const { change } = await session.compact({ summary: 'of the second', reason: 'new' })
    await talk(session, 3)
    const undone = await undo(change?.number)
    expect(await messages()).toEqual([...before, ...exchanges(2, 3)])
    const redone = await undo(undone)
    expect(await messages()).toEqual(exchanges(3))
    expect((await session.transcript()).markers.at(-1)).toMatchObject({ reason: 'new', unmarked: false })
    await session.reset()
    await undo(redone)
    expect(await messages()).toEqual([])
  })

  it('is found where its marker is missing, and where its undo is', async () => {
    await talk(session, 1)
    await session.compact({ summary: 'of the first' })
    const before = await messages()
    await talk(session, 2)
    const crashing = new Memory(untold(place.open().store), 'main', Date.now)
    await expect(crashing.session('chat').compact({ summary: 'more', reason: 'new' })).rejects.toThrow('crashed')
    expect([await messages(), (await again().view()).archive]).toEqual([[], undefined])
    await talk(again(), 3)
    expect(await messages()).toEqual(exchanges(3))
    expect((await session.transcript()).markers.at(-1)).toMatchObject({ reason: 'new', archiveName: 'chat-2' })
    // Only the entries are undone: nobody tells the transcript.
    const [latest] = await memory.log({ ref: 'chat-2' })
    const past = new Past(memory.store, 'main', ['world', 'main'], identityGate(false))
    await past.undo({ changes: [latest?.change.number ?? 0] }, new Date().toISOString())
    expect(await messages()).toEqual([...before, ...exchanges(2, 3)])
    await talk(again(), 4)
    expect((await session.transcript()).markers.at(-1)).toMatchObject({ reason: 'new', unmarked: true })
    expect(await messages()).toEqual([...before, ...exchanges(2, 4)])
  })

  it('stays so when its archive is forgotten or purged', async () => {
    await talk(session, 1)
    await session.compact({ summary: 'a summary', reason: 'new' })
    await memory.forget('chat-1')
    expect([await messages(), await liveTexts(session)]).toEqual([[], []])
    await talk(session, 2)
    const { archive } = await session.compact({ summary: 'another', reason: 'new' })
    await memory.purge(archive?.id ?? '')
    expect([await messages(), await liveTexts(session)]).toEqual([[], []])
  })

  it('is made once by two at once', async () => {
    await talk(session, 1)
    const done = await Promise.all([1, 2].map((n) => again().compact({ summary: `by ${n}`, reason: 'new' })))
    expect(done.filter(({ compacted }) => compacted)).toHaveLength(1)
    expect([await messages(), (await memory.list({ kinds: ['archive'] })).length]).toEqual([[], 1])
  })
})
