/** What a session keeps and gives back: turns, the window, what slides out, reset, import. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import type { Store } from '../../src/ports/store.ts'
import { itOn } from '../one-row.ts'
import { exchanges, liveTexts, PLACES, type Place, talk } from './places.ts'
import { Workspace } from './workspace.ts'

async function conversation(memory: Memory): Promise<string[]> {
  return (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
}

describe.each(PLACES)('a session in %s', (where, newPlace) => {
  const it = itOn(
    where,
    'gives the last exchanges as messages, the same after a restart',
    'imports turns by their ids, never twice, also when several do it at once',
  )
  let place: Place
  beforeEach(() => {
    place = newPlace()
  })
  afterEach(() => place.remove())

  it('keeps its turns, with their tools and metadata, and when it began', async () => {
    const session = place.open().session('chat')
    expect(await session.view()).toEqual({ key: 'chat', createdAt: null, turns: [], broken: [] })
    expect(await session.window()).toEqual({ messages: [], turns: [] })
    await session.append({ role: 'user', content: 'hello' })
    const { createdAt } = await session.view()
    await session.append({ role: 'assistant', content: '', tools: ['recall'], metadata: { type: 'x', id: 1 } })
    await session.append({ role: 'tool', content: 'nothing', tools: ['recall'], at: '2026-01-02T03:04:05Z' })
    const view = await place.open().session('chat').view()
    expect(view.createdAt).toBe(createdAt)
    expect(view.turns).toMatchObject([
      { role: 'user', content: 'hello', tools: [], metadata: {} },
      { role: 'assistant', content: '', tools: ['recall'], metadata: { type: 'x', id: 1 } },
      { role: 'tool', content: 'nothing', at: '2026-01-02T03:04:05.000Z' },
    ])
  })

  it('gives the last exchanges as messages, the same after a restart', async () => {
    const session = place.open({ contextWindowSize: 2 }).session('chat')
    await session.append([
      { role: 'system', content: 'be brief' },
      { role: 'assistant', content: 'Welcome!' },
    ])
    expect((await session.window()).messages).toEqual([])
    await talk(session, 1, 4)
    await session.append({ role: 'tool', content: 'a result', tools: ['recall'] })
    const contents = async (size?: number): Promise<string[]> => {
      const again = place.open({ contextWindowSize: 2 }).session('chat')
      return (await again.window(size === undefined ? {} : { size })).messages.map(({ content }) => content)
    }
    expect(await contents()).toEqual([...exchanges(3, 4), 'a result'])
    expect(await contents(1)).toEqual([...exchanges(4), 'a result'])
    expect(await contents(99)).toEqual([...exchanges(1, 4), 'a result'])
    expect(await contents(0)).toEqual([])
    await expect(contents(-1)).rejects.toThrow(/size/)
  })

  it('makes conversation entries of what slides out, which a search finds', async () => {
    const memory = place.open({ contextWindowSize: 2 })
    const session = memory.session('chat')
    await talk(session, 1, 2)
    expect(await conversation(memory)).toEqual([])
    const { slid, turns } = await session.append([
      { role: 'user', content: 'the violin is in the attic', at: '2026-11-01T10:00:00Z' },
      { role: 'tool', content: 'of no interest', tools: ['x'] },
    ])
    expect(slid.map(({ content, metadata }) => [content, metadata])).toEqual([
      ['question 1', { role: 'user' }],
      ['answer 1', { role: 'assistant' }],
    ])
    await talk(session, 3, 4)
    expect(await conversation(memory)).toEqual([...exchanges(1, 2), 'the violin is in the attic'])
    const [hit] = (await memory.search('violin')).hits
    expect(hit?.entry).toMatchObject({ kind: 'conversation', createdAt: turns[0]?.at, origin: { session: 'chat' } })
  })

  it('lets slide out what is said at once as if it were said one after the other', async () => {
    const memory = place.open({ contextWindowSize: 1 })
    const session = memory.session('chat')
    const texts = Array.from({ length: 20 }, (_, n) => `said ${n}`)
    const done = await Promise.all(texts.map((content) => session.append({ role: 'user', content })))
    expect(done.flatMap(({ slid }) => slid.map(({ content }) => content))).toEqual(texts.slice(0, -1))
    expect(await liveTexts(session)).toEqual(texts)
    expect(await conversation(memory)).toEqual(texts.slice(0, -1))
    const wrong = session.append({ role: 'user', content: ' ' })
    await Promise.all([expect(wrong).rejects.toThrow(/empty/), talk(session, 1)])
  })

  it('does not bring back what was forgotten, nor make anything twice, in any process', async () => {
    const memory = place.open({ contextWindowSize: 1 })
    await talk(memory.session('chat'), 1, 3)
    const [first] = await memory.list({ kinds: ['conversation'] })
    await memory.forget(first?.id ?? '')
    await talk(place.open({ contextWindowSize: 1 }).session('chat'), 4)
    await talk(memory.session('chat'), 5)
    expect(await conversation(memory)).toEqual(exchanges(1, 4).slice(1))
  })

  it.each([{}, { agent: 'main', last: 1 }])('is passed over by who takes back the last change: %j', async (last) => {
    const memory = place.open({ contextWindowSize: 1 })
    await memory.remember('on purpose', { name: 'Note' })
    await talk(memory.session('chat'), 1, 3)
    await memory.undo(last)
    expect(await memory.get('Note')).toBeUndefined()
    expect(await conversation(memory)).toEqual(exchanges(1, 2))
  })

  it('makes none of what is too old to be kept, and none of what it injected itself', async () => {
    const memory = place.open({ contextWindowSize: 0 })
    await memory.reflect('The boiler in the cellar was serviced in the month of May by Miller.')
    const session = memory.session('chat')
    const { parts } = await session.context()
    const injected = parts.find(({ part }) => part === 'memory')?.text ?? ''
    await session.append([
      { role: 'user', content: 'long ago', at: '2020-01-01T00:00:00Z' },
      { role: 'user', content: injected },
      { role: 'assistant', content: 'The boiler in the cellar was serviced in the month of May by Miller.' },
      { role: 'user', content: `${block('recall', 'a lamp')}\n\nWhat about the violin?` },
    ])
    expect(await conversation(memory)).toEqual(['What about the violin?'])
  })

  it('begins anew: the window is empty, what was said is in the transcript and in conversation', async () => {
    const memory = place.open()
    const session = memory.session('chat')
    expect(await session.reset()).toEqual({ reset: false, warnings: [] })
    expect((await session.view()).createdAt).toBeNull()
    await talk(session, 1, 2)
    const { createdAt } = await session.view()
    expect(await session.reset()).toMatchObject({ reset: true, marker: { reason: 'new', turns: 4 } })
    expect((await session.window()).messages).toEqual([])
    expect(await conversation(memory)).toEqual(exchanges(1, 2))
    expect(await session.reset()).toEqual({ reset: false, warnings: [] })
    await talk(session, 3)
    const view = await place.open().session('chat').view()
    expect(view.turns.map(({ content }) => content)).toEqual(exchanges(3))
    expect(view.archive).toBeUndefined()
    expect(view.createdAt).toBe(createdAt)
    expect((await session.transcript()).turns).toHaveLength(6)
  })

  it('begins anew behind a turn, live or summed up, and behind none that is neither', async () => {
    const session = place.open().session('chat')
    await talk(session, 1)
    const first = (await session.compact({ summary: 'of the first' })).marker?.through ?? ''
    await talk(session, 2, 3)
    const second = (await session.view()).turns[1]?.id ?? ''
    expect(await session.reset({ through: 'nobody' })).toEqual({ reset: false, warnings: [] })
    expect(await session.reset({ through: first })).toMatchObject({ reset: true, marker: { through: first } })
    const { archive, turns } = await session.view()
    expect([archive, turns.map(({ content }) => content)]).toEqual([undefined, exchanges(2, 3)])
    expect(await session.reset({ through: second })).toMatchObject({ reset: true, marker: { turns: 2 } })
    expect(await session.reset({ through: second })).toEqual({ reset: false, warnings: [] })
    expect((await place.open().session('chat').view()).turns.map(({ content }) => content)).toEqual(exchanges(3))
  })

  it('resets once when two do it at once, and keeps what is said meanwhile', async () => {
    const [one, other] = [place.open().session('chat'), place.open().session('chat')]
    await talk(one, 1, 2)
    const done = await Promise.all([one.reset(), other.reset(), one.reset()])
    expect(done.filter(({ reset }) => reset)).toHaveLength(1)
    expect((await one.transcript()).markers).toHaveLength(1)
  })

  it('imports turns by their ids, never twice, also when several do it at once', async () => {
    const turns = Array.from({ length: 250 }, (_, n) => ({
      id: `claude:${n}`,
      role: 'user' as const,
      content: `said ${n}`,
    }))
    const sessions = [1, 2, 3].map(() => place.open().session('chat'))
    expect(await sessions[0]?.import(turns.slice(0, 40))).toEqual({ added: 40, grown: 0, already: 0, warnings: [] })
    const results = await Promise.all(sessions.map((session) => session.import(turns, { slide: false })))
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(210)
    expect(results.every(({ added, already }) => added + already === 250)).toBe(true)
    const { turns: kept } = (await sessions[1]?.transcript()) ?? { turns: [] }
    expect(kept.map(({ id }) => id).sort()).toEqual(turns.map(({ id }) => id).sort())
    expect(await conversation(place.open())).toHaveLength(35)
    await sessions[2]?.import(turns)
    expect(await conversation(place.open())).toHaveLength(245)
  })

  it('takes what a turn says by now where it has grown, and nothing else of it', async () => {
    const session = place.open().session('chat')
    const [question, answer] = [
      { id: 't1', role: 'user' as const, content: 'Which one?' },
      { id: 't2', role: 'assistant' as const, content: 'The', tools: ['recall'] },
    ]
    await session.import([question, answer])
    const grown = { ...answer, content: 'The second.', tools: ['recall', 'remember'] }
    expect(await session.import([question, grown])).toMatchObject({ added: 0, grown: 1, already: 1 })
    for (const one of [place.open().session('chat'), session]) {
      expect(await one.import([question, grown])).toMatchObject({ added: 0, grown: 0, already: 2 })
    }
    await session.import([{ ...question, content: 'Quite another one' }, answer])
    const after = [question, grown].map(({ content }) => content)
    expect(await liveTexts(session)).toEqual(after)
    expect((await session.transcript()).turns).toMatchObject([question, grown])
    await talk(session, 1, 6)
    expect((await conversation(place.open())).slice(0, 2)).toEqual(after)
    await session.compact({ summary: 'x' })
    await session.import([{ ...grown, content: 'The second. Or not.' }])
    expect(await liveTexts(place.open().session('chat'))).toEqual([])
  })

  it('holds back what the transcript that is imported shows to have been given by us', async () => {
    const memory = place.open({ contextWindowSize: 0 })
    const given = 'The boiler in the cellar was serviced in the month of May by Miller.'
    const turns = [
      { id: 't1', role: 'user' as const, content: 'And what about the violin?' },
      { id: 't2', role: 'assistant' as const, content: given },
    ]
    expect(await memory.session('chat').import(turns, { given: [given] })).toMatchObject({ added: 2, warnings: [] })
    expect(await conversation(memory)).toEqual(['And what about the violin?'])
    const wrong = memory.session('chat').import(turns, { given: given as unknown as string[] })
    await expect(wrong).rejects.toThrow(/given/)
    await memory.session('empty').import([], { given: [given] })
    expect((await memory.sessions()).map(({ key }) => key)).toEqual(['chat'])
  })

  it('knows a turn with a UUID again in a session that was copied from another', async () => {
    const memory = place.open({ contextWindowSize: 1 })
    const ids = ['0198e7c2-1111-7111-8111-000000000001', '0198e7c2-1111-7111-8111-000000000002', 'no uuid']
    const turns = [...ids, 'last'].map((id, n) => ({
      id,
      role: 'user' as const,
      content: `the violin has ${n} strings`,
    }))
    await memory.session('first').import(turns)
    const fork = memory.session('fork')
    expect(await fork.import(turns)).toMatchObject({ added: 4 })
    const kept = ['0', '1', '2', '2'].map((n) => `the violin has ${n} strings`)
    expect((await conversation(memory)).sort()).toEqual(kept)
    const wide = place.open({ contextWindowSize: 9 }).session('fork')
    expect((await wide.autoRecall('how many strings has the violin?'))?.text ?? '').not.toMatch(/has [01] strings/)
  })

  it('says when it was last spoken in, also where nothing of that is live', async () => {
    const memory = place.open()
    const at = '2020-01-02T03:04:05.000Z'
    for (const key of ['compacted', 'reset']) await memory.session(key).append({ role: 'user', content: 'hello', at })
    await memory.session('compacted').compact({ summary: 'a greeting' })
    await memory.session('reset').reset()
    expect((await memory.sessions()).map(({ lastAt, turns }) => [lastAt, turns])).toEqual([
      [at, 0],
      [at, 0],
    ])
  })

  it('keeps keys apart, whatever they are made of', async () => {
    const memory = place.open()
    const keys = ['a:b', 'a_b', 'A_B', 'a/../b', 'ü\n', ' ', '.', 'x'.repeat(500)]
    for (const key of keys) {
      await memory.session(key).append({ role: 'user', content: `in ${key}` })
      expect(await memory.session(key).compact({ summary: `of ${key}` })).toMatchObject({ compacted: true })
      await memory.session(key).append({ role: 'user', content: `again in ${key}` })
    }
    for (const key of keys) {
      const { messages } = await place.open().session(key).window()
      expect(messages.map(({ content }) => content)).toEqual([
        block('recap', `of ${key}`.replace(/\n$/, '')),
        `again in ${key}`.replace(/\n$/, ''),
      ])
    }
    const summaries = await memory.sessions()
    expect(summaries.map(({ key }) => key).sort()).toEqual([...keys].sort())
    expect(
      summaries.every(
        ({ turns, lastAt, createdAt }) => turns === 1 && createdAt !== null && (lastAt ?? '') >= createdAt,
      ),
    ).toBe(true)
    for (const key of ['', 'a\0b', '\ud800']) expect(() => memory.session(key)).toThrow(/session/)
    expect(await memory.as('other').sessions()).toEqual([])
  })

  it('imports much text with few writes, and none that is longer than it must be', async () => {
    const memory = place.open()
    const turns = Array.from({ length: 2000 }, (_, n) => ({
      id: `t${n}`,
      role: 'tool' as const,
      content: n === 1000 ? 'x'.repeat(1_100_000) : 'y'.repeat(600),
      tools: ['read'],
    }))
    const appends: number[] = []
    const { sessions } = memory.store
    const counted: Store = {
      ...memory.store,
      sessions: {
        ...sessions,
        append: (scope, key, records, options) => {
          appends.push(JSON.stringify(records).length)
          return sessions.append(scope, key, records, options)
        },
      },
    }
    const { added } = await new Memory(counted, 'main', Date.now, {}).session('long').import(turns, { slide: false })
    expect([added, appends.length]).toEqual([2000, 3])
    expect(appends.filter((length) => length > 1_200_000)).toEqual([])
  })

  it('refuses options that are none', async () => {
    const session = place.open().session('chat')
    const none = null as unknown as undefined // what a program in JavaScript may give
    for (const asked of [
      () => session.view(none),
      () => session.transcript(none),
      () => session.autoRecall('a message', none),
      () => session.fresh('a text', none),
    ]) {
      await expect(asked()).rejects.toMatchObject({ code: 'INVALID' })
    }
  })

  it('tells what is wrong with a turn, and then keeps none of those it came with', async () => {
    const session = place.open().session('chat')
    const wrong = [
      { role: 'user' as const, content: 'fine' },
      { role: 'user' as const, content: ' ' },
    ]
    await expect(session.append(wrong)).rejects.toThrow('turns[1].content: is empty')
    expect(await liveTexts(session)).toEqual([])
  })

  it('recalls nothing that stands in the window, and something else in its place', async () => {
    const narrow = place.open({ contextWindowSize: 1, recallLimit: 1 })
    const session = narrow.session('chat')
    await session.append({ role: 'user', content: 'the violin is in the attic' })
    await session.append({ role: 'user', content: 'and now to something else' })
    await narrow.remember(
      'There are four strings on most instruments of the kind, of which the violin is the smallest, and the bass the largest.',
      { name: 'Strings' },
    )
    expect((await session.autoRecall('where is the violin?'))?.text).toContain('in the attic')
    const wide = place.open({ contextWindowSize: 5, recallLimit: 1 }).session('chat')
    const recalled = (await wide.autoRecall('where is the violin?'))?.text
    expect(recalled).toContain('four strings')
    expect(recalled).not.toContain('in the attic')
    expect((await wide.context({ message: 'where is the violin?' })).recall).toBe(recalled)
    const elsewhere = place.open({ recallLimit: 1 }).session('another')
    expect((await elsewhere.autoRecall('where is the violin?'))?.text).toContain('in the attic')
  })

  it('does not recall the archive that the window begins with', async () => {
    const session = place.open().session('chat')
    await session.append({ role: 'user', content: 'something long' })
    await session.compact({ summary: 'The violin is in the attic.' })
    expect((await session.autoRecall('where is the violin?'))?.text ?? '').not.toContain('attic')
    expect((await place.open().session('another').autoRecall('where is the violin?'))?.text).toContain('attic')
  })
})

describe('a session in files', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = new Workspace()
  })
  afterEach(() => workspace.remove())
  const file = (): string => join(workspace.root, 'agents/main/sessions/chat.jsonl')

  it('reports lines that it can not read, and passes over records that it does not know', async () => {
    const session = workspace.open().session('chat')
    await talk(session, 1)
    appendFileSync(
      file(),
      '{"type":"turn","id":\n{"type":"vote","for":"t1"}\n{"type":"turn","id":"x","role":"robot"}\n',
    )
    await talk(session, 2)
    const view = await workspace.open().session('chat').view()
    expect(view.turns.map(({ content }) => content)).toEqual(exchanges(1, 2))
    expect(view.broken).toMatchObject([{ line: 3 }, { problem: expect.stringMatching(/"x" has none of the roles/) }])
    expect(await session.compact({ summary: 'all of it' })).toMatchObject({ marker: { turns: 4 } })
    expect(readFileSync(file(), 'utf8')).toContain('"for":"t1"')
  })

  it('reports turns that are whole lines and no turns', async () => {
    const session = workspace.open().session('chat')
    await talk(session, 1)
    const whole = { type: 'turn', id: 'x', role: 'user', at: '2026-01-02T03:04:05Z', content: 'lost' }
    const { id: _, ...nameless } = whole
    const broken = [{ ...whole, role: 'robot' }, { ...whole, at: 'noon' }, nameless, { ...whole, content: 5 }]
    appendFileSync(file(), `${broken.map((one) => JSON.stringify(one)).join('\n')}\n${JSON.stringify(broken)}\n`)
    const problems = ['has none of the roles', 'has no time', 'has no id', 'has no content']
    const expected = [...problems, ...problems].map((text) => ({ problem: expect.stringContaining(text) }))
    expect((await session.view()).broken).toEqual(expected)
    expect((await session.transcript()).broken).toEqual(expected)
  })

  it('tells once what is wrong with its first line, and the list says the same, however long both are', async () => {
    const memory = workspace.open()
    const session = memory.session('chat')
    for (let n = 0; n < 5; n++) await session.append({ role: 'user', content: `${n} `.repeat(30_000) })
    const [meta = '', ...rest] = readFileSync(file(), 'utf8').split('\n')
    const told = async (): Promise<unknown[]> => {
      const again = workspace.open()
      const { createdAt, broken } = await again.session('chat').view()
      const [listed] = await again.sessions()
      return [createdAt, broken, listed?.createdAt, listed?.problem]
    }
    const { createdAt } = await session.view()
    const long = JSON.stringify({ ...JSON.parse(meta), remark: 'x'.repeat(1_500_000) })
    writeFileSync(file(), [long, ...rest].join('\n'))
    expect(await told()).toEqual([createdAt, [], createdAt, undefined])
    writeFileSync(file(), [long.slice(1), ...rest].join('\n'))
    const problem = 'the metadata line can not be read'
    expect(await told()).toEqual([null, [{ line: 1, problem }], null, problem])
  })

  it('still recalls where its transcript can not be read', async () => {
    const memory = workspace.open({ contextWindowSize: 1 })
    const session = memory.session('chat')
    for (const content of ['the violin is in the attic', 'and now to something else'])
      await session.append({ role: 'user', content })
    rmSync(file())
    mkdirSync(file())
    for (const one of [session, workspace.open().session('chat')]) {
      expect((await one.autoRecall('where is the violin?'))?.text).toContain('in the attic')
    }
    expect(await session.context({ message: 'where is the violin?' })).toMatchObject({
      recall: expect.stringContaining('in the attic'),
    })
  })

  it('still says when it began and what it stands for where a span is broken', async () => {
    const session = workspace.open().session('chat')
    await talk(session, 1, 2)
    // Where the span ends is then told by the time alone.
    const spoken = Date.now()
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(spoken), { interval: 1 })
    await talk(session, 3)
    const { createdAt } = await session.view()
    await session.compact({ summary: 'three exchanges', keep: 1 })
    const lines = readFileSync(file(), 'utf8').split('\n')
    writeFileSync(file(), lines.map((line) => (line.includes('question 2') ? line.slice(0, 30) : line)).join('\n'))
    const view = await workspace.open().session('chat').view()
    expect(view).toMatchObject({ createdAt, archive: { content: 'three exchanges' } })
    expect(view.turns.map(({ content }) => content)).toEqual(exchanges(3))
  })

  it('takes down what was said when the memory can not take what slides out, and tries again', async () => {
    const memory = workspace.open({ contextWindowSize: 0 })
    await memory.remember('first, so that there is a workspace')
    const inTheWay = join(workspace.root, 'agents/main/conversation')
    writeFileSync(inTheWay, 'a file where the folder should be')
    const session = memory.session('chat')
    const { warnings, turns } = await session.append({ role: 'user', content: 'kept' })
    expect(turns).toHaveLength(1)
    expect(warnings).toEqual([expect.stringMatching(/not in the memory yet/)])
    rmSync(inTheWay)
    expect((await session.append({ role: 'user', content: 'too' })).slid.map(({ content }) => content)).toEqual([
      'kept',
      'too',
    ])
  })
})
