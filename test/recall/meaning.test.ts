/** Search by meaning, with the real model: what it finds, what binds it, what it tells, and what auto-recall makes of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MiniLm, openMiniLm } from '../../src/embed/minilm/open-minilm.ts'
import { typedMemory } from '../../src/facades/typed-memory.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Found, SearchMode, SearchOptions, Why } from '../../src/recall/found.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools } from '../../src/tools/index.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid']

const NOTES = {
  'What to call the user': 'User prefers to be called Alex',
  Deploys: 'Deploys go out by make ship, never on Fridays.',
  Drinks: 'Prefers tea over coffee in the morning.',
  Food: 'Allergic to peanuts and shellfish.',
  Database: 'We chose PostgreSQL over MongoDB because of transactions.',
  Biscuit: 'Her dog has to see the vet every March.',
  Backup: 'The nightly job failed on Tuesday because the disk was full.',
} as const

let model: MiniLm
let memory: Memory
/** A fact among more notes than are looked at, all of them nearer to tea and coffee. */
let crowded: Memory

beforeAll(async () => {
  model = await openMiniLm({ inThread: true })
  memory = await withNotes()
  crowded = await empty()
  const content = (n: number): string => `Tea and coffee number ${n}`
  await crowded.apply(
    Array.from({ length: 130 }, (_, n) => ({
      op: 'add',
      scope: 'main',
      kind: 'note',
      name: `Note ${n}`,
      content: content(n),
    })),
  )
  await crowded.remember('At times she takes tea or coffee.', { kind: 'fact', name: 'Habit' })
  await crowded.embed()
})
afterAll(() => model.close())

function empty(options: Parameters<typeof openMemory>[0] = {}): Promise<Memory> {
  const clock = (): number => NOW
  const store = memoryStore({ clock, settings: { timezone: 'UTC' } })
  return openMemory({ store, clock, embed: model, ...options })
}

async function withNotes(options: Parameters<typeof openMemory>[0] = {}): Promise<Memory> {
  const opened = await empty(options)
  for (const [name, content] of Object.entries(NOTES)) await opened.remember(content, { name })
  await opened.embed()
  return opened
}

async function names(query: string, options: SearchOptions = {}, searched = memory): Promise<(string | null)[]> {
  return (await searched.search(query, options)).hits.map(({ entry }) => entry.name)
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error) => [error.code, typeof error.hint],
  )
}

describe('a search by meaning', () => {
  it('finds what has no word in common with the query, with its id and a score from 0 to 1', async () => {
    const own = await empty()
    const { entry } = await own.remember('User prefers to be called Alex', { kind: 'fact' })
    await own.remember('The staging server runs on port 8443.', { kind: 'fact' })
    await own.embed()
    const { hits, searched } = await own.search('what name should I use?', { mode: 'semantic' })
    expect(hits.map((hit) => hit.entry.id)).toEqual([entry.id])
    expect(hits[0]?.score).toBeGreaterThan(0.3)
    expect(hits[0]?.score).toBeLessThan(1)
    expect(searched).toMatchObject({ mode: 'semantic', vectors: { model: model.model, pending: 0 }, matched: 1 })
  })

  it('scores a text that is the same at about 1, and only a name at 1', async () => {
    const [same] = (await memory.search(NOTES.Drinks, { mode: 'semantic' })).hits
    expect(same?.entry.name).toBe('Drinks')
    expect(same?.score).toBeGreaterThan(0.99)
    expect(same?.score).toBeLessThan(1)
    for (const mode of MODES) {
      const [named] = (await memory.search('Food', { mode })).hits
      expect([mode, named?.entry.name, named?.score]).toEqual([mode, 'Food', 1])
    }
  })

  it('leaves out what is below 0.3, unless another score is asked for', async () => {
    const { hits } = await memory.search('which database do we use?', { mode: 'semantic' })
    expect(hits.map(({ entry }) => entry.name)).toEqual(['Database'])
    const { hits: all } = await memory.search('which database do we use?', { mode: 'semantic', minScore: 0 })
    expect(all.length).toBeGreaterThan(2)
    expect(all.at(-1)?.score).toBeGreaterThan(0)
    expect(await names('which database do we use?', { mode: 'semantic', minScore: 0.9 })).toEqual([])
  })

  it('is what a search is by default, together with words', async () => {
    const { searched, hits } = await memory.search('which beverage does she like?')
    expect(searched.mode).toBe('hybrid')
    expect(hits[0]?.entry.name).toBe('Drinks')
    expect(await names('which beverage does she like?', { mode: 'lexical' })).toEqual([])
  })

  it('finds nothing for what the memory does not know, and says what was searched', async () => {
    const { hits, searched } = await memory.search('What is the capital of Mongolia?')
    expect([hits.length, searched.mode, searched.entries]).toEqual([0, 'hybrid', Object.keys(NOTES).length])
  })
})

describe.each(MODES)('mode %s', (mode) => {
  it('filters before the limit', async () => {
    const query = 'Tea and coffee number'
    expect(await names(query, { mode, limit: 1, kinds: ['fact'] }, crowded)).toEqual(['Habit'])
    expect(await names(query, { mode, limit: 1 }, crowded)).not.toEqual(['Habit'])
  })

  it('holds to phrases and to what is not wanted', async () => {
    expect(await names('tea "over coffee"', { mode })).toEqual(['Drinks'])
    expect(await names('"coffee over" tea', { mode })).toEqual([])
    expect(await names('tea coffee drinks in the morning -coffee', { mode })).not.toContain('Drinks')
    expect(await names('tea coffee drinks in the morning', { mode })).toContain('Drinks')
  })

  it('explains each score by parts that add up to it', async () => {
    const { hits } = await memory.search('what went wrong with the nightly job?', { mode, explain: true, minScore: 0 })
    expect(hits.length).toBeGreaterThan(0)
    for (const { score, why } of hits) expect(totalOf(why as Why)).toBeCloseTo(score, 9)
    const [{ why } = {}] = hits
    expect(why?.meaning === undefined).toBe(mode === 'lexical')
    expect(why?.words.length === 0).toBe(mode === 'semantic')
  })

  it('tells why an entry is not among the hits', async () => {
    const asked = { mode, limit: 1 }
    const reason = async (query: string, ref: string): Promise<string> =>
      (await memory.whyNot(query, ref, asked)).reason
    expect(await reason('tea over coffee', 'Drinks')).toBe('found')
    expect(await reason('tea over coffee -morning', 'Drinks')).toBe('excluded')
    expect(await reason('tea "coffee over"', 'Drinks')).toBe('phrase')
    const far = { lexical: 'no-words', semantic: 'min-score', hybrid: 'far' }
    expect(await reason('tea over coffee', 'Backup')).toBe(far[mode])
  })
})

function totalOf({ words, supports, boosts, best, byWords, meaning, score }: Why): number {
  if (meaning !== undefined) return (byWords ?? Number.NaN) + meaning.score
  expect(score).toBeLessThan(1)
  const sum = [...words, ...supports].reduce((points, part) => points + part.score, 0)
  return boosts.reduce((product, { factor }) => product * factor, sum) / best
}

describe('what is pending', () => {
  it('is found by its words as well as before', async () => {
    const own = await empty({ searchBy: 'meaning too once loaded' })
    for (const [name, content] of Object.entries(NOTES)) await own.remember(content, { name })
    const { hits, searched } = await own.search('shellfish', { limit: 1 })
    expect([hits[0]?.entry.name, searched.mode]).toEqual(['Food', 'hybrid'])
    expect(searched.vectors?.pending).toBe(Object.keys(NOTES).length)
    expect((await own.whyNot('shellfish', 'Drinks')).reason).toBe('no-words')
    const never = await own.whyNot('tea', 'Drinks')
    expect([never.reason, never.why?.meaning?.cosine]).toEqual(['found', undefined])
  })
})

describe('auto-recall', () => {
  async function recalled(message: string): Promise<string> {
    return (await memory.context({ message })).recall
  }

  it.each(['Hi, good morning!', 'hello there', 'thanks, that helps', 'sounds great', 'How are you doing?'])(
    'brings up nothing for "%s"',
    async (message) => {
      expect(await recalled(message)).toBe('')
    },
  )

  it.each([
    'What is the capital of Mongolia?',
    'Write a haiku about the sea',
    'Can you explain how quicksort works?',
    'Fix the typo in line 3 of the readme',
    'rename the variable foo to bar',
  ])('brings up nothing for "%s", which is only vaguely near to something', async (message) => {
    expect(await recalled(message)).toBe('')
  })

  it('brings up what is meant in other words', async () => {
    expect(await recalled('Which beverage does she like?')).toContain(NOTES.Drinks)
    expect(await recalled('when must the puppy be brought to the animal doctor?')).toContain(NOTES.Biscuit)
  })

  it('goes by the whole message, and not by what was injected into it', async () => {
    const block = (await memory.context({ message: 'Which beverage does she like?' })).recall
    const found = await recalled(`${block}\n\nWhat is the capital of Mongolia?`)
    expect(block).toContain(NOTES.Drinks)
    expect(found).toBe('')
  })
})

describe('typed memories', () => {
  it('are searched by meaning, facade and tool alike', async () => {
    const own = await empty({ tools: 'reachy' })
    const typed = typedMemory(own)
    const stored = await typed.rememberFact('User prefers to be called Alex')
    await typed.rememberFact('The printer is on the second floor')
    await own.embed()
    const [hit, ...others] = await typed.search('what name should I use?')
    expect([hit?.memory.id, others.length]).toEqual([stored.id, 0])
    const tool = createMemoryTools(own).find(({ name }) => name === 'search_memories')
    const answer = await tool?.run({ query: 'what name should I use?' })
    expect(answer?.structured).toMatchObject({ result: [{ id: stored.id, score: hit?.score }], mode: 'semantic' })
  })
})

describe('by meaning and by words', () => {
  it('gives the same answer twice, in every process that has the same entries', async () => {
    const order = ({ hits }: Found): readonly [string | null, number][] =>
      hits.map(({ entry, score }) => [entry.name, score])
    const [one, other] = [
      await memory.search('tea in the morning'),
      await (await withNotes()).search('tea in the morning'),
    ]
    expect(order(one)).toEqual(order(other))
  })

  it('has no say in the past, and says so', async () => {
    const then = await memory.asOf('2026-11-15T12:00:00Z')
    expect((await then.search('tea')).searched.mode).toBe('lexical')
    expect(await codeOf(then.search('tea', { mode: 'semantic' }))).toEqual(['UNSUPPORTED', 'string'])
  })
})
