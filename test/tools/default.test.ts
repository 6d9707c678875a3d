/** The default tools, each on both stores: what they do, and that both forms of an answer carry all of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Embed, EmbedSource } from '../../src/ports/embed.ts'
import { tokensOf } from '../../src/prompt/budget.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { Letters } from '../faults/letters.mjs'
import { itOn } from '../one-row.ts'
import { Bench, type Data, newFolder, STORES } from './bench.ts'

describe.each(STORES)('on the %s store', (store) => {
  const it = itOn(store, 'remember appends to the log, makes and rewrites a note, and says all of what it did')
  const filed = store === 'filesystem'

  it('remember appends to the log, makes and rewrites a note, and says all of what it did', async () => {
    const bench = await Bench.open(store)
    const logged = await bench.call('default.remember', { content: 'Staging moved.' }, { session: 's1' })
    expect(logged.isError).toBeUndefined()
    const { entry } = logged.structured as Data
    expect(entry).toMatchObject({ kind: 'experience', name: null, revision: expect.stringMatching(/^[0-9a-f]{16}$/) })
    expect(logged.structured).toMatchObject({ done: `Remembered the experience ${entry.id}.`, change: 1 })
    expect((await bench.memory.get(entry.id))?.origin).toEqual({ by: 'agent', agent: 'main', session: 's1' })

    const made = await bench.done('default.remember', {
      content: 'Run the smoke tests.',
      name: 'Deploys',
      description: 'Before a release',
      aliases: ['Releases'],
      metadata: { priority: 3 },
      ttl: '30d',
    })
    expect(made).toMatchObject({
      done: 'Remembered the note "Deploys".',
      entry: { kind: 'note', name: 'Deploys', expiresAt: '2026-12-15T14:03:00.000Z' },
    })
    const again = await bench.call('default.remember', { content: 'Run all tests.', name: 'Deploys' })
    expect(again.structured).toMatchObject({
      done: 'Rewrote the note "Deploys".',
      replaced: made.entry.revision,
      change: 3,
    })
    const rewritten = (again.structured as Data).entry
    for (const fact of [rewritten.id, rewritten.revision, `was ${made.entry.revision}`, 'change: 3']) {
      expect(again.text).toContain(fact)
    }
    // A new text is not lost with the life of the old one.
    expect([rewritten.expiresAt, again.text.includes('expires: ')]).toEqual([undefined, false])
    expect(rewritten.path).toBe(filed ? 'agents/main/entries/deploys.md' : undefined)
    expect(again.text.includes('file: agents/main/entries/deploys.md')).toBe(filed)
    const unchanged = await bench.call('default.remember', { content: 'Run all tests.', name: 'Deploys' })
    const done = 'Unchanged: the note "Deploys" is already like this.'
    expect(unchanged.structured).toEqual({ done, entry: rewritten, unchanged: true })
    expect(unchanged.text).toMatch(/^Unchanged: the note "Deploys" is already like this\.\nid: /)
  })

  it('remember keeps each kind it knows, and a rewrite of a fact by its name keeps it a fact', async () => {
    const bench = await Bench.open(store)
    for (const kind of ['note', 'fact', 'experience', 'conversation']) {
      expect((await bench.done('default.remember', { content: `A ${kind}.`, kind })).entry.kind).toBe(kind)
    }
    const first = await bench.done('default.remember', { content: 'billing', kind: 'context', name: 'task' })
    const second = await bench.done('default.remember', { content: 'deploys', kind: 'context', name: 'task' })
    expect(second.entry).toMatchObject({ id: first.entry.id, name: 'task', expiresAt: '2026-11-15T23:00:00.000Z' })
    await bench.done('default.remember', { content: 'Alex', kind: 'fact', name: 'User' })
    const sam = { content: 'Sam', name: 'User' }
    expect((await bench.done('default.remember', sam)).entry.kind).toBe('fact')
    expect((await bench.done('default.remember', sam)).done).toBe('Confirmed the fact "User".')
  })

  it.each([
    ['topic', 'learn_fact writes topics'],
    ['memory', 'reflect writes MEMORY.md'],
    ['history', 'a history is made when sessions are condensed'],
    ['archive', 'an archive is made when sessions are condensed'],
  ])('remember refuses the kind %s and names the way', async (kind, way) => {
    const bench = await Bench.open(store, { soulEditable: true })
    const { isError, structured } = await bench.call('default.remember', { content: 'x', kind, name: 'x' })
    expect([isError, (structured as Data).error.code]).toEqual([true, 'INVALID'])
    expect((structured as Data).error.hint).toContain(way)
    expect(await bench.memory.list()).toEqual([])
  })

  it('recall without a query gives the sections, and with days so many of them', async () => {
    const bench = await Bench.open(store)
    expect(await bench.done('default.recall')).toEqual({ text: 'Nothing is remembered yet.' })
    await bench.done('default.learn_fact', { topic: 'People', content: 'Ada leads.' })
    await bench.done('default.reflect', { content: 'Answer shortly.' })
    await bench.done('default.remember', { content: 'We moved.' })
    const { text, structured } = await bench.call('default.recall', {})
    expect(text).toBe(
      '# World Knowledge\n\n## People\n\nAda leads.\n\n---\n\n# Your Memory\n\nAnswer shortly.\n\n---\n\n# Recent Experiences\n\n## 2026-11-15\n\n### 15:03\n\nWe moved.',
    )
    expect(structured).toEqual({ text })
    expect((await bench.call('default.recall', { days: '0' })).text).not.toContain('We moved')
  })

  it('recall with a query gives whole hits in both forms', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', {
      content: 'Run the smoke tests before a deploy.',
      name: 'Deploys',
      description: 'Before a release',
      aliases: ['Releases'],
      metadata: { priority: 3 },
    })
    bench.at('2026-11-16T08:30:00.000Z')
    const logged = await bench.done('default.remember', { content: 'The deploy failed.' })
    const topic = await bench.done('default.learn_fact', { topic: 'Systems', content: 'We deploy to two racks.' })
    const { text, structured } = await bench.call('default.recall', { query: 'deploy', limit: '5' })
    const { hits, searched, message } = structured as Data
    expect([message, searched]).toEqual([
      undefined,
      { mode: 'lexical', query: 'deploy', entries: 3, matched: 3, omitted: 0 },
    ])
    const byKind = new Map<string, Data>(hits.map((hit: Data) => [hit.kind, hit]))
    expect(byKind.get('note')).toMatchObject({
      name: 'Deploys',
      description: 'Before a release',
      content: 'Run the smoke tests before a deploy.',
      score: expect.any(Number),
      createdAt: '2026-11-15T14:03:00.000Z',
      updatedAt: '2026-11-15T14:03:00.000Z',
      metadata: { priority: 3 },
      aliases: ['Releases'],
    })
    expect(byKind.get('topic').revision).toBe(topic.entry.revision)
    expect(byKind.get('note').revision).toBeUndefined()
    expect(text).toMatch(/^## Deploys \(note, 2026-11-15 15:03, score \d\.\d\d\)$/m)
    expect(text).toMatch(new RegExp(`^## 2026-11-16 09:30 \\(experience, score .*\\)\\nid: ${logged.entry.id}$`, 'm'))
    for (const { id } of hits) expect(text).toContain(`id: ${id}`)
    expect(text).toContain('(Searched 3 entries, by words; 3 matched.)')
    expect(text).toContain(`revision: ${topic.entry.revision}`)
    for (const part of ['Before a release', 'aliases: Releases', 'metadata: {"priority":3}'])
      expect(text).toContain(part)
    for (const { content } of hits) expect(text).toContain(content)
  })

  it('recall never gives a worse hit in the place of a better one that is long', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', {
      name: 'Zebra plan',
      content: `The zebra plan. ${'many words '.repeat(9000)}`,
    })
    await bench.done('default.remember', { content: 'Lunch was fine, someone mentioned a zebra.' })
    const { hits, searched } = await bench.done('default.recall', { query: 'zebra plan' })
    expect(hits.map(({ name }: Data) => name)).toEqual(['Zebra plan', null])
    expect(hits[0].content).toMatch(/^The zebra plan\.[\s\S]*\(An excerpt: about \d+ of 99016 characters\.\)$/)
    expect(searched.omitted).toBe(0)
  })

  it('recall keeps to its budget over many hits, and counts what has no room', async () => {
    const bench = await Bench.open(store)
    for (let n = 0; n < 12; n++) {
      await bench.done('default.remember', {
        name: `Zebra ${n}`,
        content: `zebra ${n} ${'many words '.repeat(900 + n)}`,
      })
    }
    const { text, structured } = await bench.call('default.recall', { query: 'zebra', limit: 20 })
    const { hits, searched } = structured as Data
    expect(tokensOf(text)).toBeLessThan(8100)
    expect([hits.length + searched.omitted, hits.length > 3]).toEqual([12, true])
  })

  it('recall keeps to its budget also where all but the text is long', async () => {
    const bench = await Bench.open(store)
    const metadata = { notes: 'many words '.repeat(20_000) }
    await bench.done('default.remember', { name: 'Zebra one', content: 'zebra', metadata })
    await bench.done('default.remember', {
      name: 'Zebra two',
      content: 'zebra too',
      aliases: Array.from({ length: 400 }, (_, n) => `Zebra alias number ${n} of so many`),
      description: 'zebra words '.repeat(2000).trim(),
    })
    const { text, structured } = await bench.call('default.recall', { query: 'zebra' })
    expect(tokensOf(text)).toBeLessThan(8100)
    expect(tokensOf(JSON.stringify(structured))).toBeLessThan(8500)
    expect((structured as Data).hits.map(({ name }: Data) => name).sort()).toEqual(['Zebra one', 'Zebra two'])
    expect(text).toContain('(Its aliases and metadata are too long to be shown.)')
  })

  it('recall filters by kind, time in words and metadata, and a bare date counts to its end', async () => {
    const bench = await Bench.open(store)
    bench.at('2026-11-10T12:00:00.000Z')
    await bench.done('default.remember', { content: 'deploy one', name: 'One', metadata: { priority: 1 } })
    bench.at('2026-11-14T22:30:00.000Z')
    await bench.done('default.remember', { content: 'deploy two', name: 'Two', metadata: { priority: 5 } })
    bench.at('2026-11-15T14:00:00.000Z')
    await bench.done('default.remember', { content: 'deploy three' })
    const names = async (args: object): Promise<string[]> => {
      const { hits } = await bench.done('default.recall', { query: 'deploy', ...args })
      return hits.map((hit: Data) => hit.name ?? hit.kind).sort()
    }
    expect(await names({})).toEqual(['One', 'Two', 'experience'])
    expect(await names({ kinds: ['note'] })).toEqual(['One', 'Two'])
    expect(await names({ where: ['priority>=3'] })).toEqual(['Two'])
    expect(await names({ since: 'yesterday' })).toEqual(['Two', 'experience'])
    expect(await names({ since: '2026-11-14', until: '2026-11-14' })).toEqual(['Two'])
    expect(await names({ until: '2026-11-10T12:00:00Z' })).toEqual([])
    expect(await names({ until: '2026-11-10' })).toEqual(['One'])
    expect(await names({ limit: 1 })).toHaveLength(1)
  })

  it('recall that finds nothing succeeds and says what was searched, in both forms', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'We deploy on Mondays.', name: 'Deploys' })
    const { text, structured, isError } = await bench.call('default.recall', { query: 'deplyo', kinds: ['note'] })
    expect(isError).toBeUndefined()
    expect(text).toContain('Nothing found for "deplyo" in 1 entry (kind note).')
    expect(text).toContain('More is searched without kinds.')
    expect(structured).toMatchObject({ hits: [], message: text })
  })

  it('recall shows a part of a hit that no budget has room for: where the words stand', async () => {
    const bench = await Bench.open(store)
    const stripes = 'stripes and more '.repeat(1500)
    await bench.done('default.remember', { content: `${stripes}\nzebra here\n${stripes}`, name: 'Zoo' })
    const { text, structured } = await bench.call('default.recall', { query: 'zebra' })
    const [hit] = (structured as Data).hits
    expect(hit.content).toMatch(/\nzebra here\n[\s\S]*\(An excerpt: about \d+ of 51012 characters\.\)$/)
    expect(hit.content.length).toBeLessThan(45_000)
    expect(text).toContain(hit.content)
    expect((await bench.call('crabtalk.recall', { query: 'zebra' })).text).toContain('zebra here')
    expect((await bench.done('default.recall', { query: 'zebra' })).searched.omitted).toBe(0)
  })

  it('reflect and learn_fact read with the revision, and write with it', async () => {
    const bench = await Bench.open(store)
    for (const [tool, args] of [
      ['default.reflect', {}],
      ['default.learn_fact', { topic: 'People' }],
    ] as const) {
      const none = await bench.call(tool, args)
      expect([none.isError, none.structured]).toEqual([
        undefined,
        { content: '', revision: 'new', message: expect.stringMatching(/^There is no /) },
      ])
      const { entry } = await bench.done(tool, { ...args, content: 'One.', expect: 'new' })
      const read = await bench.call(tool, args)
      expect(read.structured).toMatchObject({ content: 'One.', revision: entry.revision, entry: { id: entry.id } })
      expect(read.text).toContain('One.')
      expect(read.text).toContain(`revision: ${entry.revision}`)
      const rewritten = await bench.done(tool, { ...args, content: 'Two.', expect: entry.revision })
      expect(rewritten).toMatchObject({ replaced: entry.revision, change: expect.any(Number) })
      for (const stale of [entry.revision, 'new']) {
        const late = await bench.call(tool, { ...args, content: 'Three.', expect: stale })
        expect([late.isError, (late.structured as Data).error.code]).toEqual([true, 'CONFLICT'])
        expect(late.text).toContain(rewritten.entry.revision)
      }
      expect((await bench.done(tool, args)).content).toBe('Two.')
      expect((await bench.done(tool, { ...args, content: 'Two.' })).entry.revision).toBe(rewritten.entry.revision)
    }
    if (filed) {
      const path = (await bench.done('default.reflect')).entry.path
      expect(path).toBe('agents/main/MEMORY.md')
    }
  })

  it('learn_fact reads the topic that it would write, also beside an own note of that name', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.learn_fact', { topic: 'deploy-steps', content: 'Shared.' })
    await bench.done('default.remember', { name: 'deploy-steps', content: 'My own.' })
    expect((await bench.done('default.learn_fact', { topic: 'deploy-steps' })).content).toBe('Shared.')
    expect((await bench.done('default.learn_fact', { topic: 'Deploy Steps' })).content).toBe('Shared.')
    await bench.done('default.learn_fact', { topic: 'Deploy Steps', content: 'Shared anew.' })
    expect(await bench.memory.list({ kinds: ['topic'] })).toHaveLength(1)
    await bench.done('default.learn_fact', { topic: 'C++', content: 'A language.' })
    expect((await bench.done('default.learn_fact', { topic: 'C#' })).revision).toBe('new')
    expect((await bench.done('default.learn_fact', { topic: 'deploy-step' })).message).toBe(
      'There is no topic "deploy-step" yet. Did you mean "deploy-steps"?',
    )
  })

  it('forget removes what is its own at once and tells how to bring it back', async () => {
    const bench = await Bench.open(store)
    const refs = [
      (await bench.done('default.remember', { content: 'a', name: 'Note', aliases: ['Alias'] })) && 'alias',
      (await bench.done('default.remember', { content: 'b', kind: 'fact', name: 'Fact' })) && 'Fact',
      (await bench.done('default.remember', { content: 'c' })).entry.id,
      (await bench.done('default.remember', { content: 'd', kind: 'conversation' })).entry.id,
      (await bench.done('default.remember', { content: 'e', kind: 'context', name: 'task' })) && 'task',
    ]
    const before = await bench.memory.list()
    const changes: number[] = []
    for (const ref of refs) {
      const { text, structured } = await bench.call('default.forget', { ref })
      const { done, change, entry } = structured as Data
      expect(done).toMatch(new RegExp(`^Forgot the .*To bring it back: undo with change ${change}\\.$`))
      expect(text).toContain(`undo with change ${change}.`)
      expect(text).toContain(entry.id)
      changes.push(change)
    }
    expect(await bench.memory.list()).toEqual([])
    for (const change of changes) await bench.done('default.undo', { change })
    expect((await bench.memory.list()).map(({ id, content }) => [id, content])).toEqual(
      before.map(({ id, content }) => [id, content]),
    )
  })

  it('forget finds a context by its key for as long as it lasts, without a look at any other', async () => {
    const bench = await Bench.open(store)
    const { entry } = await bench.done('default.remember', { content: 'tea', kind: 'context', name: 'drink' })
    await bench.done('default.remember', { content: 'rain', kind: 'context', name: 'weather' })
    const scan = bench.memory.store.scan
    let scans = 0
    bench.memory.store.scan = (...given) => {
      scans++
      return scan(...given)
    }
    expect((await bench.done('default.forget', { ref: 'drink' })).entry.id).toBe(entry.id)
    expect(scans).toBe(0)
    bench.at('2026-11-16T09:00:00.000Z')
    expect((await bench.call('default.forget', { ref: 'weather' })).isError).toBe(true)
  })

  it('forget shows first what is shared or always there, and removes it with a second word', async () => {
    const bench = await Bench.open(store, { soulEditable: true })
    await bench.done('default.learn_fact', { topic: 'People', content: 'Ada leads.' })
    await bench.done('default.reflect', { content: 'Be short.' })
    await bench.done('default.soul', { content: 'I am Crab.' })
    for (const [ref, content] of [
      ['people', 'Ada leads.'],
      ['MEMORY', 'Be short.'],
      ['IDENTITY', 'I am Crab.'],
    ]) {
      for (const confirm of [undefined, null, false]) {
        const { isError, text, structured } = await bench.call('default.forget', { ref, confirm })
        expect([isError, (structured as Data).removed, (structured as Data).begins]).toEqual([
          undefined,
          false,
          content,
        ])
        expect(text).toContain('Nothing was removed yet.')
        expect(text).toContain('confirm: true')
        expect(text).toContain(content)
      }
      expect((await bench.done('default.forget', { ref, confirm: true })).done).toContain('Forgot')
    }
    expect(await bench.memory.list()).toEqual([])
  })

  it('recall says nothing of a rewrite of MEMORY.md that waits for a person', async () => {
    const bench = await Bench.open(store)
    const review = { reason: 'shrinks', detail: 'from 9 to 2 bytes', memory: 'gone', seen: '' }
    const { entry } = await bench.memory.remember('zebra', {
      kind: 'archive',
      name: 'chat-1',
      metadata: { session: 'chat', review },
    })
    await bench.memory.remember('zebra', { name: 'Own', metadata: { review: 'mine' } })
    const { text, structured } = await bench.call('default.recall', { query: 'zebra' })
    const metadata = Object.fromEntries((structured as Data).hits.map((hit: Data) => [hit.name, hit.metadata]))
    expect(metadata).toEqual({ 'chat-1': { session: 'chat' }, Own: { review: 'mine' } })
    expect([text.includes('shrinks'), text.includes('gone'), text.includes('mine')]).toEqual([false, false, true])
    expect((await bench.memory.get(entry.id))?.metadata).toMatchObject({ review })
  })

  it('forget leaves an archive alone unless its id is named, with a second word', async () => {
    const bench = await Bench.open(store)
    const { entry } = await bench.memory.remember('summary', { kind: 'archive', name: 'chat-1' })
    for (const args of [{ ref: 'chat-1' }, { ref: 'chat-1', confirm: true }, { ref: 'CHAT-1', confirm: true }]) {
      const { isError, text } = await bench.call('default.forget', args)
      expect(isError).toBe(true)
      expect(text).toContain(entry.id)
    }
    expect(await bench.done('default.forget', { ref: entry.id })).toMatchObject({ removed: false })
    expect(await bench.memory.list()).toHaveLength(1)
    await bench.done('default.forget', { ref: entry.id, confirm: true })
    expect(await bench.memory.list()).toHaveLength(0)
  })

  it('forget suggests near names, and else sends to recall', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'a', name: 'Deploys' })
    expect((await bench.call('default.forget', { ref: 'Deplois' })).text).toContain('Did you mean "Deploys"?')
    const { text, isError } = await bench.call('default.forget', { ref: 'zzz' })
    expect([isError, text]).toEqual([
      true,
      'nothing here is called "zzz"\nSearch for it with recall, and use the id from there.',
    ])
  })

  it('undo takes back the newest of its own, step by step, and naming the undo redoes', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'one', name: 'N' })
    await bench.done('default.remember', { content: 'two', name: 'N' })
    const first = await bench.call('default.undo')
    expect(first.structured).toMatchObject({
      done: expect.stringContaining('the note "N" is as it was before'),
      undone: [2],
      change: 3,
      entries: [{ effect: 'set back', name: 'N' }],
    })
    expect(first.text).toContain('To take this back: undo with change 3.')
    expect((await bench.memory.find('N')).content).toBe('one')
    expect(await bench.done('default.undo', {})).toMatchObject({ undone: [1], entries: [{ effect: 'removed' }] })
    expect(await bench.memory.list()).toEqual([])
    const none = await bench.call('default.undo')
    expect([none.isError, none.text]).toEqual([true, expect.stringContaining('no change of yours that is not undone')])
    expect(await bench.done('default.undo', { change: '4' })).toMatchObject({ entries: [{ effect: 'brought back' }] })
    await bench.done('default.undo', { change: 3 })
    expect((await bench.memory.find('N')).content).toBe('two')
    const twice = await bench.call('default.undo', { change: 3 })
    expect((twice.structured as Data).error).toMatchObject({
      code: 'CONFLICT',
      hint: 'To bring it back: undo with change 6.',
    })
  })

  it('undo says which later change stands in the way, in terms of the tool', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'one', name: 'N' })
    await bench.done('default.remember', { content: 'two', name: 'N' })
    const { isError, text } = await bench.call('default.undo', { change: 1 })
    expect(isError).toBe(true)
    expect(text).toContain('change 2 came later')
    expect(text).not.toMatch(/--|keepsake /)
  })

  it("undo stops at a purge, and names the agent's change before it", async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'one', name: 'N' })
    await bench.done('default.remember', { content: 'secret', name: 'S' })
    await bench.memory.purge('S')
    const { isError, text } = await bench.call('default.undo')
    const hint = 'To undo your change before it: undo with change 1.'
    expect([isError, text]).toEqual([true, `change 3 is a purge and can't be undone\n${hint}`])
    expect((await bench.done('default.undo', { change: 1 })).undone).toEqual([1])
  })

  it('undo leaves alone what a hand or another agent did last', async () => {
    const bench = await Bench.open(store)
    const own = await bench.done('default.learn_fact', { topic: 'People', content: 'Ada.' })
    const other = await bench.done('default.learn_fact', { topic: 'Systems', content: 'Rack.' }, { agent: 'other' })
    await bench.memory.apply([{ op: 'add', scope: 'main', kind: 'note', content: 'by hand', name: 'H' }], {
      origin: { by: 'hand' },
    })
    const refused = await bench.call('default.undo', { change: other.change })
    expect(refused.text).toBe(
      `change ${other.change} is not one of yours\nAllowed: the number that one of your own writes gave, or none for your newest.`,
    )
    const unknown = await bench.call('default.undo', { change: 4711 })
    expect(unknown.text).toBe(refused.text.replace(String(other.change), '4711'))
    expect((await bench.done('default.undo')).undone).toEqual([own.change])
    expect((await bench.memory.list()).map(({ name }) => name).sort()).toEqual(['H', 'Systems'])
  })

  it('stops when the signal aborts, before and while it works, and writes nothing', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { content: 'one', name: 'N' })
    const calls: Readonly<Record<string, object>> = {
      'default.recall': { query: 'one' },
      'default.remember': { content: 'x' },
      'default.reflect': { content: 'x' },
      'default.learn_fact': { topic: 'T', content: 'x' },
      'default.forget': { ref: 'N' },
      'default.undo': {},
      'agnx.recall': {},
      'reachy.store_memory': { content: 'x' },
      'crabtalk.forget': { name: 'N' },
    }
    for (const [which, args] of Object.entries(calls)) {
      const gone = AbortSignal.abort(new Error('gone'))
      await expect(bench.call(which, args, { signal: gone }), which).rejects.toThrow('gone')
      // The store in RAM is done before anyone can call it off.
      if (!filed) continue
      const controller = new AbortController()
      const running = bench.call(which, args, { signal: controller.signal })
      controller.abort(new Error('stopped'))
      await expect(running, which).rejects.toThrow('stopped')
    }
    expect(await bench.memory.list()).toHaveLength(1)
  })
})

describe('files that can not be read', () => {
  it('are a warning of recall in both forms, and no failure', async () => {
    const folder = newFolder()
    const bench = await Bench.open('filesystem', { workspace: folder })
    const { entry } = await bench.done('default.learn_fact', { topic: 'People', content: 'Ada leads.' })
    writeFileSync(`${folder}/world/broken.md`, Buffer.from([0xff, 0xfe, 0x80]))
    for (const args of [{}, { query: 'Ada' }]) {
      const { text, structured, isError } = await bench.call('default.recall', args)
      expect(isError).toBeUndefined()
      expect(text).toContain('Ada leads.')
      expect(text).toContain('world/broken.md')
      expect((structured as Data).warnings).toEqual([expect.stringContaining('world/broken.md')])
    }
    expect(readFileSync(`${folder}/${entry.path}`, 'utf8')).toContain('Ada leads.')
  })

  it('that a hand edited between are a warning of the write', async () => {
    const folder = newFolder()
    const bench = await Bench.open('filesystem', { workspace: folder })
    const { entry } = await bench.done('default.reflect', { content: 'One.' })
    writeFileSync(`${folder}/${entry.path}`, 'By hand.\n')
    const late = await bench.call('default.reflect', { content: 'Two.', expect: entry.revision })
    expect((late.structured as Data).error.code).toBe('CONFLICT')
    writeFileSync(`${folder}/${entry.path}`, 'By hand again.\n')
    const { text, structured } = await bench.call('default.reflect', { content: 'Two.' })
    expect(text).toContain('warning: agents/main/MEMORY.md had been edited by hand')
    expect((structured as Data).warnings).toHaveLength(1)
  })
})

it.each([
  ['a line', 'zebra', 'lorem ipsum\n', 8_000],
  ['an endless line', 'zebra', 'lorem ipsum ', 8_000],
  ['a rare word after a common one', 'lorem zebra', 'lorem ipsum\n', 8_000],
  ['a word that is nowhere', 'nobody zebra', 'lorem ipsum\n', 8_000],
])('recall and a turn show the place of a word far into a long text: %s', async (_, query, filler, times) => {
  const bench = await Bench.open('memory')
  const content = `${filler.repeat(times)}here is the zebra\n${filler.repeat(times)}`
  await bench.done('default.remember', { content, name: 'Long' })
  const { hits } = await bench.done('default.recall', { query })
  expect(hits[0].content).toContain('here is the zebra')
  expect((await bench.memory.context({ message: query })).recall).toContain('here is the zebra')
})

it('an unreadable file is told, not taken for none', async () => {
  const workspace = newFolder()
  const bench = await Bench.open('filesystem', { workspace })
  await bench.done('default.reflect', { content: 'x' })
  await bench.done('default.learn_fact', { topic: 'Staging Server', content: 'x' })
  for (const path of ['agents/main/MEMORY.md', 'world/staging-server.md']) {
    writeFileSync(join(workspace, path), Uint8Array.of(0xff, 0xfe, 0x0a))
  }
  for (const [tool, args, path] of [
    ['default.reflect', {}, 'agents/main/MEMORY.md'],
    ['default.learn_fact', { topic: 'Staging Server' }, 'world/staging-server.md'],
    ['default.learn_fact', { topic: 'staging-server' }, 'world/staging-server.md'],
  ] as const) {
    const { text, structured, isError } = await bench.call(tool, args)
    expect(isError).toBe(true)
    expect(text).toContain(`${path} can't be read: it is not UTF-8 text`)
    expect(text).not.toMatch(/there is no|did you mean/i)
    expect((structured as Data).error.code).toBe('DAMAGED')
  }
  // Another that is not there is not there; what could not be read is told beside it.
  const { text, structured, isError } = await bench.call('default.learn_fact', { topic: 'Herons' })
  expect(isError).toBeUndefined()
  expect(text).toBe(
    'There is no topic "Herons" yet.\n(Could not be read: world/staging-server.md: it is not UTF-8 text.)',
  )
  expect((structured as Data).warnings).toEqual(['world/staging-server.md: it is not UTF-8 text'])
})

it('recall says what keeps it from finding by meaning', async () => {
  const letters = new Letters()
  const source: EmbedSource & { loaded: Embed | undefined } = {
    model: 'letters',
    loaded: undefined,
    load: async () => letters,
    close: async () => undefined,
  }
  const memory = await openMemory({ store: memoryStore(), embed: source, searchBy: 'meaning too once loaded' })
  await memory.remember('Run the smoke tests.', { name: 'Deploys' })
  const recall = createMemoryTools(memory).find(({ name }) => name === 'recall')
  const said = async (): Promise<string | undefined> => (await recall?.run({ query: 'smoke' }))?.text.split('\n').at(-1)
  const notYet = 'By words alone: the embedding model is not loaded yet.'
  expect(await said()).toBe(`(Searched 1 entry, by words; 1 matched. ${notYet})`)
  source.loaded = letters
  expect(await said()).toBe('(Searched 1 entry, by words and meaning; 1 matched. 1 entry has no vector yet.)')
  await memory.embed()
  expect(await said()).toBe('(Searched 1 entry, by words and meaning; 1 matched.)')
})
