/** Condensing a session: what is written, in one change; what stays; what undo brings back. */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { type Memory, Memory as OpenMemory } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import type { Complete, CompleteOptions } from '../../src/ports/complete.ts'
import type { Sessions, Store } from '../../src/ports/store.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from '../session/places.ts'
import { answering, failing, memoryText, reply, said, textsOf } from './models.ts'

/** A store with a moment after the first time that a transcript is read, in which others may do something. */
function afterFirstLook(store: Store, others: () => Promise<void>): Store {
  const { sessions } = store
  let looks = 0
  const readBefore: Sessions['readBefore'] = async (...args) => {
    const page = await sessions.readBefore(...args)
    if (++looks === 1) await others()
    return page
  }
  const rest: Omit<Sessions, 'readBefore'> = {
    append: (...args) => sessions.append(...args),
    read: (...args) => sessions.read(...args),
    list: (...args) => sessions.list(...args),
  }
  return { ...store, sessions: { readBefore, ...rest } }
}

describe.each(PLACES)('condensing a session, in %s', (where, makePlace) => {
  const it = itOn(
    where,
    'writes a history entry, an archive and MEMORY.md in one change, and then the marker',
    'leaves what is said by another process while it begins anew',
  )
  let place: Place
  let memory: Memory
  beforeEach(() => {
    place = makePlace()
    memory = place.open()
  })
  afterEach(() => place.remove())

  it('writes a history entry, an archive and MEMORY.md in one change, and then the marker', async () => {
    await memory.reflect('# Me\n- likes tea')
    await talk(memory.session('s'), 1, 2)
    const { model, prompts } = answering(reply('[2026-01-02 03:04] They asked twice.', '# Me\n- likes tea\n- asks'))
    const done = await consolidate(memory, 's', { model })
    expect(done).toMatchObject({ session: 's', outcome: 'condensed', memory: 'updated', warnings: [] })
    expect(done.changes).toHaveLength(1)
    expect(done.changes[0]?.origin).toEqual({ by: 'consolidation', agent: 'main', session: 's' })
    expect(await textsOf(memory, 'history')).toEqual(['[2026-01-02 03:04] They asked twice.'])
    expect(await textsOf(memory, 'archive')).toEqual(['[2026-01-02 03:04] They asked twice.'])
    expect(done.history[0]?.metadata).toEqual({ archive: done.archives[0]?.id, session: 's' })
    expect(await memoryText(memory)).toBe('# Me\n- likes tea\n- asks')
    const view = await place.open().session('s').view()
    expect(view).toMatchObject({ turns: [], archive: { id: done.archives[0]?.id }, marker: { id: done.marker?.id } })
    expect(await said(memory.session('s'))).toEqual(exchanges(1, 2))
    expect(prompts).toHaveLength(1)
    expect(prompts[0]).toContain('- likes tea')
    expect(prompts[0]).toContain('question 2')
  })

  it('limits no reply, however long the memory is, and tells that one was cut', async () => {
    const long = Array.from({ length: 200 }, (_, n) => `- The server heron${n} lives in rack ${n}.`).join('\n')
    await memory.reflect(long)
    await talk(memory.session('s'), 1)
    const asked: CompleteOptions[] = []
    const model: Complete = async (_, options) => {
      asked.push(options)
      return { content: reply('Said.', long).slice(0, -100), stop: 'length' }
    }
    const done = await consolidate(memory, 's', { model })
    expect(asked[0]).not.toHaveProperty('maxTokens')
    expect(asked[0]?.expectedTokens).toBeGreaterThan(long.length / 2)
    expect([done.outcome, await memoryText(memory)]).toEqual(['condensed', long])
    expect(done.warnings).toContainEqual(expect.stringContaining('was cut'))
  })

  it('makes the first MEMORY.md, and leaves one alone that would stay the same', async () => {
    await talk(memory.session('s'), 1)
    const first = await consolidate(memory, 's', { model: answering(reply('One.', '- a fact')).model })
    expect([first.memory, await memoryText(memory)]).toEqual(['updated', '- a fact'])
    await talk(memory.session('s'), 2)
    const same = await consolidate(memory, 's', { model: answering(reply('Two.', '- a fact\n')).model })
    expect(same.memory).toBe('unchanged')
    expect(same.changes[0]?.operations.map(({ op }) => op)).toEqual(['add', 'add'])
  })

  it('counts an update without a history entry, and keeps what was said in its place', async () => {
    await talk(memory.session('s'), 1)
    const done = await consolidate(memory, 's', { model: answering(reply(undefined, '- a fact')).model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'updated', marker: { reason: 'compact' } })
    expect(done.history[0]?.content).toContain('[raw-fallback]')
    expect(done.archives[0]?.content).toContain('question 1')
    expect(done.archives[0]?.content).toContain('answer 1')
    expect(await liveTexts(memory.session('s'))).toEqual([])
  })

  it('is taken back whole by undo, and done again by undoing that', async () => {
    await memory.reflect('- before')
    await talk(memory.session('s'), 1, 2)
    const { changes } = await consolidate(memory, 's', { model: answering(reply('Said.', '- before\n- after')).model })
    const undone = await memory.undo()
    expect(undone.undone.map(({ change }) => change.number)).toEqual(changes.map(({ number }) => number))
    expect(await memoryText(memory)).toBe('- before')
    expect([await textsOf(memory, 'history'), await textsOf(memory, 'archive')]).toEqual([[], []])
    expect(await liveTexts(place.open().session('s'))).toEqual(exchanges(1, 2))
    await memory.undo({ changes: [undone.change?.number ?? 0] })
    expect(await memoryText(memory)).toBe('- before\n- after')
    expect(await textsOf(memory, 'history')).toHaveLength(1)
    expect(await liveTexts(place.open().session('s'))).toEqual([])
  })

  it('asks no model about nothing, and begins anew all the same', async () => {
    const { model, prompts } = failing()
    expect(await consolidate(memory, 's', { model, reason: 'new' })).toMatchObject({
      outcome: 'nothing',
      why: 'nothing to condense',
      changes: [],
    })
    await talk(memory.session('s'), 1)
    await memory.session('s').compact({ summary: 'summed up' })
    const again = await consolidate(memory, 's', { model, reason: 'new' })
    expect(again).toMatchObject({ outcome: 'nothing', why: 'already condensed', marker: { reason: 'new' } })
    expect((await memory.session('s').window()).messages).toEqual([])
    expect(prompts).toEqual([])
  })

  it('begins anew once, where that is asked for twice at once', async () => {
    await talk(memory.session('s'), 1)
    const { model, prompts } = answering(reply('Once.', '- once'))
    const waited: string[] = []
    const [one, other] = await Promise.all([
      consolidate(memory, 's', { model, reason: 'new' }),
      consolidate(memory, 's', { model, reason: 'new', told: (step) => waited.push(step) }),
    ])
    expect([one.outcome, other.outcome, other.why]).toEqual(['condensed', 'nothing', 'already condensed'])
    expect(waited).toEqual(['waiting'])
    expect(prompts).toHaveLength(1)
    const { archive, marker, turns } = await place.open().session('s').view()
    expect([archive, marker?.reason, turns]).toEqual([undefined, 'new', []])
    expect(await textsOf(memory, 'archive')).toHaveLength(1)
  })

  it('leaves as many messages as may stay, and never parts an exchange', async () => {
    const session = memory.session('s')
    await talk(session, 1, 3)
    await session.append([
      { role: 'user', content: 'question 4' },
      { role: 'assistant', content: 'let me look', tools: ['look'] },
      { role: 'tool', content: 'found', tools: ['look'] },
      { role: 'assistant', content: 'answer 4' },
    ])
    const { model, prompts } = answering(reply('Trimmed.', '- trimmed'))
    const done = await consolidate(memory, 's', { model, reason: 'trim', keepMessages: 5 })
    expect(done.marker?.reason).toBe('trim')
    expect(await liveTexts(session)).toEqual(['question 4', 'let me look', 'found', 'answer 4'])
    expect(prompts[0]).toContain('question 3')
    expect(prompts[0]).not.toContain('question 4')
    const before = (await session.view()).turns
    for (const reason of ['trim', 'new'] as const) {
      expect(await consolidate(memory, 's', { model, reason, keepMessages: 4 })).toMatchObject({ outcome: 'nothing' })
    }
    expect((await session.view()).turns).toEqual(before)
  })

  it('takes the conversation to end before a turn, where that is named', async () => {
    const session = memory.session('s')
    await talk(session, 1, 3)
    const [asked] = (await session.append({ role: 'user', content: 'question 4' })).turns
    const { model, prompts } = answering(reply('Trimmed.'))
    const how = { model, reason: 'trim', keepMessages: 2, before: asked?.id ?? '' } as const
    await consolidate(memory, 's', how)
    expect(await liveTexts(session)).toEqual([...exchanges(3), 'question 4'])
    // With a longer exchange before it that one would stay whole: what is asked now is about it.
    expect(await consolidate(memory, 's', { ...how, keepMessages: 1 })).toMatchObject({ outcome: 'nothing' })
    expect(await consolidate(memory, 's', { ...how, before: 'gone' })).toMatchObject({ outcome: 'nothing' })
    expect(prompts).toHaveLength(1)
  })

  it('keeps the turns of an earlier one out as long as the later one stands', async () => {
    const session = memory.session('s')
    const numbers: number[] = []
    for (const n of [1, 2]) {
      await talk(session, n)
      const { changes } = await consolidate(memory, 's', { model: answering(reply(`Said ${n}.`)).model })
      numbers.push(changes[0]?.number ?? 0)
    }
    await memory.undo({ changes: numbers.slice(0, 1) })
    expect(await liveTexts(session)).toEqual([])
    await memory.undo({ changes: numbers.slice(1) })
    expect(await liveTexts(session)).toEqual(exchanges(1, 2))
  })

  it('takes a long conversation in pieces, each shown what was condensed before', async () => {
    const session = memory.session('s')
    for (let n = 1; n <= 5; n++) {
      await session.append([
        { role: 'user', content: `question ${n} ${'some words of a long question '.repeat(500)}` },
        { role: 'assistant', content: `answer ${n} ${'and of its answer, which is long as well '.repeat(500)}` },
      ])
    }
    const { model, prompts } = answering(
      reply('First.', '- 1'),
      reply('Second.', '- 1\n- 2'),
      reply('Third.', '- 1\n- 2\n- 3'),
    )
    const done = await consolidate(memory, 's', { model, reason: 'new' })
    expect(prompts.length).toBe(3)
    expect(done.archives).toHaveLength(prompts.length)
    expect(new Set(done.history.map(({ id }) => id)).size).toBe(prompts.length)
    expect(prompts[1]).toContain('First.')
    expect(await memoryText(memory)).toBe('- 1\n- 2\n- 3')
    expect((await session.view()).marker?.reason).toBe('new')
    expect(await liveTexts(session)).toEqual([])
  })

  it('leaves what is said by another process while it begins anew', async () => {
    await talk(memory.session('s'), 1)
    await memory.session('s').compact({ summary: 'summed up' })
    for (const key of ['s', 'empty']) {
      const other = place.open()
      const { model, prompts } = failing()
      // Right after the look that finds nothing.
      const store = afterFirstLook(memory.store, () => talk(other.session(key), 2))
      await consolidate(new OpenMemory(store, 'main', Date.now), key, { model, reason: 'new' })
      const { turns, archive } = await place.open().session(key).view()
      expect([turns.map(({ content }) => content), archive, prompts]).toEqual([exchanges(2), undefined, []])
    }
  })

  it('loses no answer to a listener that fails, and tells it once', async () => {
    await talk(memory.session('s'), 1)
    const steps: string[] = []
    const lease = await memory.store.lease('condense-main')
    const told = (step: string): never => {
      steps.push(step)
      if (step === 'waiting') void lease?.release()
      throw new Error(`no ears for ${step}`)
    }
    const done = await consolidate(memory, 's', { model: answering(reply('Said.', '- a fact')).model, told })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'updated' })
    expect(steps).toEqual(['waiting', 'asking', 'writing'])
    expect(done.warnings).toEqual(['what listens to condensing failed: no ears for waiting'])
  })

  it('asks to compress a memory above its size, in bytes, and only then', async () => {
    await memory.reflect(`- ${'ä'.repeat(60)}`)
    await talk(memory.session('s'), 1)
    const { model, prompts } = answering(reply('Said.', '- short'))
    const done = await consolidate(memory, 's', { model, maxMemorySize: 100 })
    expect([done.memory, await memoryText(memory)]).toEqual(['updated', '- short'])
    expect(prompts[0]).toMatch(/100 bytes/)
    await talk(memory.session('s'), 2)
    await consolidate(memory, 's', { model, maxMemorySize: 100 })
    expect(prompts[1]).not.toMatch(/100 bytes/)
  })

  it('condenses nothing that only we have said', async () => {
    const session = memory.session('s')
    await session.append({ role: 'user', content: block('recall', 'what we know') })
    const { model, prompts } = failing()
    expect(await consolidate(memory, 's', { model })).toMatchObject({ outcome: 'nothing' })
    expect(await liveTexts(session)).toHaveLength(1)
    await consolidate(memory, 's', { model, reason: 'new' })
    expect(await liveTexts(session)).toEqual([])
    expect(prompts).toEqual([])
  })

  it('refuses what is no model, no reason and no number', async () => {
    const { model } = failing()
    await expect(consolidate(memory, 's', { model: 'gpt' as never })).rejects.toMatchObject({ code: 'INVALID' })
    await expect(consolidate(memory, 's', { model, reason: 'why' as never })).rejects.toMatchObject({ code: 'INVALID' })
    await expect(consolidate(memory, 's', { model, timeoutMs: 0 })).rejects.toMatchObject({ code: 'INVALID' })
  })
})
