/** What one agent does with its memory; on the store in RAM, which the contract holds to the same meaning as all others. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Memory, openMemory, type Written } from './memory.ts'
import type { Store } from './ports/store.ts'
import { memoryStore } from './stores/memory.ts'

let now: number
let store: Store
let memory: Memory

function at(text: string): void {
  now = Date.parse(text)
}

beforeEach(async () => {
  at('2026-11-15T14:03:00.000Z')
  store = memoryStore({ clock: () => now, settings: { timezone: 'Europe/Berlin' } })
  memory = await openMemory({ store, clock: () => now })
})

describe('remember', () => {
  it('appends to the log without a name, and makes or overwrites a note with one', async () => {
    expect((await memory.remember('We moved')).entry).toMatchObject({ kind: 'experience', name: null, scope: 'main' })
    const first = await memory.remember('Run the tests', { name: 'Deploy', description: 'Before a release' })
    const second = await memory.remember('Run the smoke tests', { name: 'Deploy' })
    expect(second.entry).toMatchObject({ id: first.entry.id, kind: 'note', description: 'Before a release' })
    expect(second.replaced).toBe(first.entry.revision)
    expect(second.change?.number).toBe(3)
  })

  it.each<[string, () => Promise<Written>]>([
    ['a note', () => memory.remember('x', { name: 'n', description: 'd', metadata: { m: 1 } })],
    ['a topic', () => memory.learnFact('n', 'x')],
    ['MEMORY.md', () => memory.reflect('x')],
    ['a context', () => memory.setContext('n', 'x')],
  ])('makes no change if %s is already like this', async (_, write) => {
    const first = await write()
    at('2026-11-15T15:00:00.000Z')
    expect(await write()).toEqual({ entry: first.entry, warnings: [] })
    expect(await memory.log()).toHaveLength(1)
  })

  it('still checks `expect` for an unchanged note, and can change when it expires', async () => {
    const { entry } = await memory.remember('x', { name: 'n' })
    const again = (options: object): Promise<Written> => memory.remember('x', { name: 'n', ...options })
    await expect(again({ expect: '0123456789abcdef' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(again({ expect: null })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await again({ expect: entry.revision })).change).toBeUndefined()
    expect((await again({ ttl: '1h' })).change?.number).toBe(2)
  })

  it('gives a fact without a name one from its first words', async () => {
    const { entry } = await memory.remember('User prefers to be called Alex', { kind: 'fact' })
    expect(entry).toMatchObject({ kind: 'fact', name: 'User prefers to be called Alex', expiresAt: null })
    const again = await memory.remember('User prefers to be called Alex\n', { kind: 'fact' })
    expect([again.entry.id, again.replaced]).toEqual([entry.id, entry.revision])
  })

  it('sets context by key until the end of the day in the zone of the workspace', async () => {
    const first = await memory.remember('billing', { kind: 'context', key: 'task' })
    expect(first.entry).toMatchObject({ key: 'task', name: null, expiresAt: '2026-11-15T23:00:00.000Z' })
    const second = await memory.remember('deploys', { key: 'task' })
    expect(second.entry.id).toBe(first.entry.id)
    at('2026-11-16T08:00:00.000Z')
    expect(await memory.list({ kinds: ['context'] })).toEqual([])
    const third = await memory.remember('reviews', { key: 'task' })
    expect(third.entry.id).not.toBe(first.entry.id)
    expect((await memory.list({ kinds: ['context'] })).map((entry) => entry.content)).toEqual(['reviews'])
  })

  it('ends an entry when its ttl is over, for every reader', async () => {
    const { entry } = await memory.remember('short', { name: 'Short', ttl: '90m' })
    expect(entry.expiresAt).toBe('2026-11-15T15:33:00.000Z')
    at('2026-11-15T15:32:59.999Z')
    expect(await memory.get('Short')).toBeDefined()
    at('2026-11-15T15:33:00.000Z')
    expect(await memory.get('Short')).toBeUndefined()
    expect(await memory.get(entry.id)).toBeUndefined()
    expect(await memory.list()).toEqual([])
    await expect(memory.forget('Short')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('gives a name or alias whose owner has expired to whoever asks for it', async () => {
    await memory.remember('short', { name: 'Short', ttl: '1h' })
    const { entry } = await memory.remember('long', { name: 'Long' })
    at('2026-11-15T16:00:00.000Z')
    await memory.alias('Long', 'Short')
    expect((await memory.get('Short'))?.id).toBe(entry.id)
  })

  it('sets one key from two places at once', async () => {
    await Promise.all([memory.remember('a', { key: 'k' }), memory.remember('b', { key: 'k' })])
    expect(await memory.list({ kinds: ['context'] })).toHaveLength(1)
  })

  it.each([
    ['blank text', () => memory.remember('  \n '), 'content'],
    ['an unknown kind', () => memory.remember('x', { kind: 'thing' as 'note' }), 'kind'],
    ['an empty name', () => memory.remember('x', { name: ' ' }), 'name'],
    ['a name on a log entry', () => memory.remember('x', { name: 'a', kind: 'experience' }), 'name'],
    ['a ttl that is none', () => memory.remember('x', { ttl: '3 weeks' }), 'ttl'],
    ['a reserved name', () => memory.remember('x', { name: 'MEMORY' }), 'MEMORY'],
    ['a topic of punctuation', () => memory.learnFact('!!!', 'x'), 'topic'],
    ['days out of range', () => memory.recall({ days: -1 }), 'days'],
    ['a budget of nothing', () => memory.recall({ budgetTokens: 0 }), 'budget'],
  ])('refuses %s with an error that says what is allowed', async (_, call, word) => {
    const error = await call().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: expect.stringMatching(/INVALID|NAME_TAKEN/), hint: expect.any(String) })
    expect((error as Error).message).toContain(word)
    expect(await memory.list()).toEqual([])
  })

  it('takes numbers that come as text', async () => {
    await expect(memory.recall({ days: '3' as unknown as number })).resolves.toBeDefined()
  })

  it('does not overwrite an archive, or a name of another kind', async () => {
    await memory.remember('summary', { kind: 'archive', name: 'chat-1' })
    await memory.remember('a fact', { kind: 'fact', name: 'F' })
    await expect(memory.remember('x', { kind: 'archive', name: 'chat-1' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
    await expect(memory.remember('x', { name: 'F' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  })

  it('leaves the identity alone', async () => {
    await expect(memory.remember('I am', { kind: 'identity' })).rejects.toMatchObject({ code: 'READ_ONLY' })
  })
})

describe('reflect and learnFact', () => {
  it('rewrite with compare-and-swap', async () => {
    const { entry } = await memory.reflect('First')
    await memory.reflect('Second', { expect: entry.revision })
    await expect(memory.reflect('Third', { expect: entry.revision })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(memory.learnFact('new', 'x', { expect: entry.revision })).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.learnFact('new', 'x', { expect: null })
    await expect(memory.learnFact('new', 'y', { expect: null })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await memory.get('MEMORY'))?.content).toBe('Second')
  })

  it('never erase the memory by an empty text, unless asked to', async () => {
    await memory.reflect('Something')
    await expect(memory.reflect(' ')).rejects.toMatchObject({ code: 'INVALID' })
    expect((await memory.reflect('', { erase: true })).entry.content).toBe('')
  })

  it('keep topics apart that share a slug, and take other spellings of one for the same', async () => {
    for (const topic of ['C++', 'C#', 'C!']) await memory.learnFact(topic, `about ${topic}`)
    await memory.learnFact('Deploy Process', 'first')
    await memory.learnFact('deploy-process', 'second')
    const topics = await memory.list({ kinds: ['topic'] })
    expect(topics.map((entry) => [entry.name, entry.content])).toEqual([
      ['C++', 'about C++'],
      ['C#', 'about C#'],
      ['C!', 'about C!'],
      ['Deploy Process', 'second'],
    ])
  })
})

describe('find', () => {
  beforeEach(async () => {
    await memory.remember('x', { name: 'Deploy checklist', aliases: ['Ship it'] })
  })

  it.each(['Deploy checklist', 'Ship it', 'deploy CHECKLIST', 'deploy-checklist', ' ship it '])(
    'takes %s',
    async (ref) => {
      expect((await memory.find(ref)).name).toBe('Deploy checklist')
    },
  )

  it('suggests what comes near, and takes nothing that is not the only one', async () => {
    await expect(memory.find('Deploy checklst')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining('Deploy checklist'),
    })
    await memory.remember('y', { name: 'DEPLOY checklist' })
    await expect(memory.find('deploy CHECKLIST')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it("finds the agent's own before the world's", async () => {
    await memory.learnFact('people', 'of the world')
    await memory.remember('mine', { name: 'people' })
    expect((await memory.get('people'))?.content).toBe('mine')
  })
})

describe('rename, alias, forget', () => {
  it('keep, move and free names', async () => {
    await memory.remember('x', { name: 'A' })
    await memory.rename('A', 'B')
    expect((await memory.get('A'))?.name).toBe('B')
    await memory.remember('y', { name: 'C' })
    await expect(memory.alias('C', 'A')).rejects.toMatchObject({ code: 'NAME_TAKEN', data: expect.anything() })
    await memory.alias('C', 'A', { mode: 'take' })
    expect((await memory.get('A'))?.name).toBe('C')
    const idle = await memory.alias('C', 'C')
    expect(idle.change).toBeUndefined()
    expect((await memory.forget('A')).entry.name).toBe('C')
    expect(await memory.get('C')).toBeUndefined()
    await memory.remember('z', { name: 'A' })
  })
})

describe('two agents', () => {
  it('share the world and nothing else, also by id', async () => {
    const other = new Memory(store, 'other', () => now)
    const { entry } = await memory.remember('secret', { name: 'Mine' })
    await memory.learnFact('people', 'Ada')
    expect((await other.get('people'))?.content).toBe('Ada')
    expect(await other.get(entry.id)).toBeUndefined()
    expect(await other.get('Mine')).toBeUndefined()
    await expect(other.forget(entry.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(other.apply([{ op: 'remove', id: entry.id }])).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(other.apply([{ op: 'add', scope: 'main', kind: 'note', content: 'x' }])).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect((await other.list()).map((each) => each.name)).toEqual(['people'])
    expect((await other.recall()).text).not.toContain('secret')
  })
})

describe('recall without a query', () => {
  it('says so when there is nothing', async () => {
    expect((await memory.recall()).text).toBe('Nothing is remembered yet.')
  })

  it('gives the world by name, the memory, and the days newest first', async () => {
    await memory.learnFact('systems', 'Postgres 17')
    await memory.learnFact('people', 'Ada runs the lab')
    await memory.reflect('I like short answers')
    at('2026-11-14T22:30:00.000Z') // still the 14th in Berlin
    await memory.remember('late on the 14th')
    at('2026-11-14T23:30:00.000Z') // the 15th already
    await memory.remember('early on the 15th')
    at('2026-11-15T14:03:00.000Z')
    await memory.remember('on the 15th')
    expect((await memory.recall()).text).toMatchInlineSnapshot(`
      "# World Knowledge

      ## people

      Ada runs the lab

      ## systems

      Postgres 17

      ---

      # Your Memory

      I like short answers

      ---

      # Recent Experiences

      ## 2026-11-15

      ### 00:30

      early on the 15th

      ### 15:03

      on the 15th

      ## 2026-11-14

      ### 23:30

      late on the 14th"
    `)
    expect((await memory.recall({ days: 1 })).text).not.toContain('14th')
    expect((await memory.recall({ days: 0 })).text).not.toContain('Recent Experiences')
  })

  it('says which day was the last when the days asked for are empty', async () => {
    await memory.remember('long ago')
    at('2026-12-24T12:00:00.000Z')
    expect((await memory.recall()).text).toContain('The last log is of 2026-11-15.')
  })

  it('leaves out whole entries, the oldest first and the memory last, and says so', async () => {
    await memory.reflect('my memory')
    for (let hour = 0; hour < 10; hour++) {
      at(`2026-11-15T0${hour}:00:00.000Z`)
      await memory.remember(`hour ${hour} `.repeat(40))
    }
    const { text } = await memory.recall({ budgetTokens: 300 })
    expect(text).toContain('my memory')
    expect(text).toContain('hour 9')
    expect(text).not.toContain('hour 0')
    expect(text).toMatch(/\d more did not fit/)
    expect((await memory.recall({ budgetTokens: 2 })).text).toContain('did not fit')
  })
})
