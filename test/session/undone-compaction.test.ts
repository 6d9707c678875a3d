/** Compactions that are undone, redone, made anew and forgotten, in any order, and what a reset leaves behind among them. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { Compacted, Memory, Session } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { liveTexts, PLACES, type Place } from './places.ts'

describe.each(PLACES)('a compaction in %s', (where, newPlace) => {
  const it = itOn(where, 'that is made anew by two at once is made once, and found where its marker is missing')
  let place: Place
  let memory: Memory
  let session: Session
  beforeEach(() => {
    place = newPlace()
    memory = place.open()
    session = memory.session('chat')
  })
  afterEach(() => place.remove())

  const say = (content: string): Promise<unknown> => session.append({ role: 'user', content })
  /** The number of the undo. */
  const undo = async (change: number | undefined, withLater = false): Promise<number> => {
    const { change: made, warnings } = await memory.undo({ changes: [change ?? 0], withLater })
    expect(warnings).toEqual([])
    return made?.number ?? 0
  }
  const compact = async (summary: string): Promise<Compacted & { readonly number: number }> => {
    const done = await session.compact({ summary })
    return { ...done, number: done.change?.number ?? 0 }
  }
  /** What another process sees: the archive, then the turns. */
  const shown = async (): Promise<string[]> => {
    const again = place.open().session('chat')
    const { archive, marker } = await again.view()
    if (marker && archive && !archive.missing) {
      const { metadata } = (await memory.get(archive.id)) ?? {}
      expect([marker.turns, marker.through]).toEqual([metadata?.['turns'], metadata?.['through']])
    }
    return [...(archive ? [archive.missing ? 'placeholder' : archive.content] : []), ...(await liveTexts(again))]
  }

  it('that is redone stands for its own turns, and not for those of one that was made since', async () => {
    await say('one')
    const first = await compact('only one')
    const undone = await undo(first.number)
    await say('two')
    const second = await compact('one and two')
    expect(second.archive?.id).not.toBe(first.archive?.id)
    const undoneToo = await undo(second.number)
    await undo(undone)
    expect(await shown()).toEqual(['only one', 'two'])
    await memory.forget(first.archive?.id ?? '')
    expect(await shown()).toEqual(['placeholder', 'two'])
    await undo(undoneToo)
    expect(await shown()).toEqual(['one and two'])
  })

  it('that is redone in place of one that was made since takes its name back', async () => {
    await say('one')
    const undone = await undo((await compact('only one')).number)
    await say('two')
    await compact('one and two')
    await undo(undone, true)
    expect(await shown()).toEqual(['only one', 'two'])
    await say('three')
    expect(await shown()).toEqual(['only one', 'two', 'three'])
  })

  it('that is made anew by two at once is made once, and found where its marker is missing', async () => {
    await say('one')
    await undo((await compact('first')).number)
    const done = await Promise.all(
      [1, 2].map((n) =>
        place
          .open()
          .session('chat')
          .compact({ summary: `again, by ${n}` }),
      ),
    )
    expect(done.filter(({ compacted }) => compacted)).toHaveLength(1)
    const [archive, ...more] = await memory.list({ kinds: ['archive'] })
    expect([await shown(), more]).toEqual([[archive?.content], []])
    // A crash took the second marker: the transcript ends with the unmark of the first.
    const id = archive?.id ?? ''
    const { markers } = await session.transcript()
    expect(markers.map(({ archiveId, unmarked }) => [archiveId === id, unmarked])).toEqual([
      [false, true],
      [true, false],
    ])
    const marker = markers[1]?.id ?? ''
    await memory.store.sessions.append('main', 'chat', [
      { type: 'unmark', id: 'x', at: archive?.createdAt ?? '', marker },
    ])
    expect(await shown()).toEqual([archive?.content])
  })

  it('whose archive was forgotten is forgotten again where that is undone and redone', async () => {
    await say('one')
    const { archive, number } = await compact('only one')
    const { change } = await memory.forget(archive?.id ?? '')
    expect(await shown()).toEqual(['placeholder'])
    const back = await undo(change?.number)
    expect(await shown()).toEqual(['only one'])
    const gone = await undo(back)
    expect(await shown()).toEqual(['placeholder'])
    expect((await session.transcript()).markers).toMatchObject([{ unmarked: false }])
    await undo(gone)
    await undo(number)
    expect(await shown()).toEqual(['one'])
  })

  it.each([
    ['before it was undone', true],
    ['after it was undone', false],
  ])('that is redone does not take back a reset that came %s', async (_case, isBefore) => {
    await say('one')
    const { number } = await compact('only one')
    if (isBefore) await session.reset()
    const undone = await undo(number)
    if (!isBefore) await session.reset()
    expect(await shown()).toEqual([])
    const redone = await undo(undone)
    expect(await shown()).toEqual([])
    await say('two')
    expect(await shown()).toEqual(['two'])
    await undo(redone)
    expect(await shown()).toEqual(['two'])
  })

  it('lets an answer slide that came while its question was summed up', async () => {
    await say('the question')
    const { slid } = await session.compact({
      summary: async () => {
        await session.append({ role: 'assistant', content: 'the answer' })
        return 'of the question'
      },
    })
    expect(slid?.map(({ content }) => content)).toEqual(['the question', 'the answer'])
    expect(await shown()).toEqual(['of the question', 'the answer'])
  })
})
