import { beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../memory.ts'
import type { Operation } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Found, SearchOptions, Why } from './found.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const DAY = 86_400_000

let nowMs = NOW
let memory: Memory

beforeEach(() => {
  nowMs = NOW
  const clock = (): number => nowMs
  memory = new Memory(memoryStore({ clock, settings: { timezone: 'UTC' } }), 'main', clock)
})

async function note(name: string, content: string, more: Partial<Operation> = {}): Promise<void> {
  await memory.apply([{ op: 'add', scope: 'main', kind: 'note', name, content, ...more } as Operation])
}

async function names(query: string, options: SearchOptions = {}): Promise<(string | null)[]> {
  return (await memory.search(query, options)).hits.map(({ entry }) => entry.name)
}

function totalOf({ words, supports, boosts, best }: Why): number {
  const sum = [...words, ...supports].reduce((points, part) => points + part.score, 0)
  return boosts.reduce((product, { factor }) => product * factor, sum) / best
}

describe('a search', () => {
  it('finds by words, in whatever form they are', async () => {
    await note('Deploys', 'We deploy on Tuesdays, after the smoke tests have passed.')
    await note('Lunch', 'The kitchen opens at noon.')
    expect(await names('deployments')).toEqual(['Deploys'])
    expect(await names('when do we deploy')).toEqual(['Deploys'])
    expect(await names('Tuesday')).toEqual(['Deploys'])
    expect(await names('DEPLOYING')).toEqual(['Deploys'])
  })

  it('finds what was written a moment ago, and no longer what is gone', async () => {
    await note('Deploys', 'Ship on Tuesday')
    expect(await names('ship')).toEqual(['Deploys'])
    await memory.remember('Ship on Friday', { name: 'Deploys' })
    expect(await names('Tuesday')).toEqual([])
    expect(await names('Friday')).toEqual(['Deploys'])
    await memory.rename('Deploys', 'Releases')
    expect(await names('releases')).toEqual(['Releases'])
    await memory.forget('Releases')
    expect(await names('Friday')).toEqual([])
    await memory.undo()
    expect(await names('Friday')).toEqual(['Releases'])
  })

  it('puts the entry first that is called so by name or alias, with the score 1', async () => {
    await note('Release day', 'Nothing to see here.', { aliases: ['shipping'] })
    await note('Long', 'release day release day release day shipping shipping shipping')
    for (const query of ['Release day', 'shipping']) {
      const { hits } = await memory.search(query, { explain: true })
      expect(hits.map(({ entry, score }) => [entry.name, score === 1])).toEqual([
        ['Release day', true],
        ['Long', false],
      ])
      expect(hits[0]?.why?.exact).toBe(query === 'shipping' ? 'alias' : 'name')
    }
  })

  it('lets an own name shadow the name of the world', async () => {
    await memory.learnFact('deploy', 'of the world')
    await note('deploy', 'of the agent')
    const { hits } = await memory.search('deploy')
    expect(hits[0]?.entry.scope).toBe('main')
    expect(hits.map(({ score }) => score === 1)).toEqual([true, false])
  })

  it("takes the world's name where the own one is not searched or has expired", async () => {
    await memory.learnFact('Deploys', 'on friday')
    await note('Deploys', 'my own view', { expiresAt: instant(NOW + DAY) })
    const first = async (options: SearchOptions = {}): Promise<unknown> => {
      const [hit] = (await memory.search('Deploys', options)).hits
      return [hit?.entry.kind, hit?.score]
    }
    expect(await first()).toEqual(['note', 1])
    expect(await first({ kinds: ['topic'] })).toEqual(['topic', 1])
    nowMs += DAY
    expect(await first()).toEqual(['topic', 1])
    expect((await memory.get('Deploys'))?.kind).toBe('topic')
  })

  it('gives aliases no words', async () => {
    await note('One', 'first', { aliases: ['unheard of name'] })
    expect(await names('unheard')).toEqual([])
  })

  it('weighs a word in the name more than one in the text', async () => {
    await note('Kitchen', 'the deploy board hangs there')
    await note('Deploy board', 'hangs in the kitchen')
    expect((await names('kitchen board'))[0]).toBe('Deploy board')
    expect((await names('kitchen'))[0]).toBe('Kitchen')
  })

  it('never shows what belongs to another agent', async () => {
    await note('Mine', 'secret handshake')
    const other = new Memory(memory.store, 'other', () => nowMs)
    expect((await other.search('secret handshake')).hits).toEqual([])
    expect((await other.search('Mine')).hits).toEqual([])
  })
})

describe('filters', () => {
  it('act before the limit', async () => {
    for (let n = 0; n < 40; n++) await note(`Louder ${n}`, `deploy deploy deploy ${n}`)
    await note('Rare', 'deploy now', { metadata: { team: 'web', priority: 3 } })
    await memory.remember('deploy to the moon', { kind: 'fact', name: 'A fact' })
    expect(await names('deploy', { limit: 1, kinds: ['fact'] })).toEqual(['A fact'])
    expect(await names('deploy', { limit: 1, where: [{ key: 'team', op: '=', value: 'web' }] })).toEqual(['Rare'])
    expect(await names('deploy', { where: [{ key: 'priority', op: '>=', value: 4 }] })).toEqual([])
    expect(await names('deploy', { limit: 1, where: [{ key: 'priority', op: '>', value: 2 }] })).toEqual(['Rare'])
  })

  it('go by the time of making: from `since` on, before `until`', async () => {
    for (const [n, at] of ['2026-11-01', '2026-11-02', '2026-11-03'].entries()) {
      await note(`Day ${n + 1}`, 'standup happened', { createdAt: `${at}T00:00:00.000Z` })
    }
    const range = { since: '2026-11-02T00:00:00Z', until: '2026-11-03T00:00:00Z' }
    expect(await names('standup', range)).toEqual(['Day 2'])
    expect((await memory.search('standup', range)).searched).toMatchObject({ matched: 1, entries: 3 })
  })

  it('hide the expired from the moment on that it expires', async () => {
    await note('Brief', 'the code word is swordfish', { expiresAt: instant(NOW + DAY) })
    nowMs = NOW + DAY - 1
    expect(await names('swordfish')).toEqual(['Brief'])
    nowMs = NOW + DAY
    expect(await names('swordfish')).toEqual([])
    expect(await names('Brief')).toEqual([])
  })

  it('leave out the identity unless it is asked for', async () => {
    await memory.store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'identity', content: 'I am a lighthouse keeper' }],
      origin: { by: 'hand' },
    })
    expect((await memory.search('lighthouse')).hits).toEqual([])
    expect((await memory.search('lighthouse', { kinds: ['identity'] })).hits).toHaveLength(1)
  })
})

describe('the order', () => {
  it('of equals is the newer first, then by id', async () => {
    await note('Old', 'alpha beta', { createdAt: instant(NOW - 5000 * DAY) })
    await note('New', 'alpha beta gamma'.replace(' gamma', ' delta'), { createdAt: instant(NOW) })
    await note('Newer', 'alpha beta epsilon', { createdAt: instant(NOW + 1) })
    expect(await names('alpha')).toEqual(['Newer', 'New', 'Old'])
  })

  it('keeps a session that came all at once in its order', async () => {
    const turn = (n: number): Operation => ({
      op: 'add',
      scope: 'main',
      kind: 'conversation',
      createdAt: instant(NOW),
      expiresAt: null,
      content: n === 4095 ? 'where is the nest of the heron?' : n === 4096 ? 'behind the mill' : `chatter ${n}`,
    })
    const turns = Array.from({ length: 4100 }, (_, n) => turn(n))
    await memory.apply(turns, { origin: { by: 'import', session: 'one' } })
    const { hits } = await memory.search('nest of the heron', { limit: 2 })
    expect(hits.map(({ entry }) => entry.content).sort()).toEqual([
      'behind the mill',
      'where is the nest of the heron?',
    ])
  })

  it('is the same in every run and whatever the order of writing', async () => {
    const texts = ['red fox jumps', 'red red fox', 'a fox', 'the red barn', 'jumps over', 'fox den near the barn']
    const adds = texts.map((content, n) => ({
      op: 'add' as const,
      scope: 'main',
      kind: 'note' as const,
      id: `0190a000-0000-7000-8000-00000000000${n}`,
      name: `N${n}`,
      content,
      createdAt: instant(NOW - n * DAY),
    }))
    const orders: string[][] = []
    for (const operations of [adds, [...adds].reverse()]) {
      const one = new Memory(memoryStore({ clock: () => NOW }), 'main', () => NOW)
      for (const operation of operations) await one.apply([operation])
      const { hits } = await one.search('red fox jumps barn', { limit: 10 })
      orders.push(hits.map(({ entry, score }) => `${entry.id} ${score}`))
    }
    expect(orders[0]).toHaveLength(6)
    expect(orders[1]).toEqual(orders[0])
  })

  it('of a session does not hang on the order in which it was indexed, to the last bit', async () => {
    const words = 'heron lake boat storm rope anchor tide reed'.split(' ')
    const turns = Array.from({ length: 240 }, (_, n) => ({
      op: 'add' as const,
      scope: 'main',
      kind: 'conversation' as const,
      id: `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      seq: n + 1,
      content: Array.from({ length: 3 + ((n * 7) % 23) }, (_, at) => words[(n * at + n + at) % words.length]).join(' '),
      createdAt: instant(NOW - 1000 * (240 - n)),
      origin: { by: 'agent' as const, session: `s${n % 5}` },
    }))
    const answers: string[] = []
    for (const operations of [turns, [...turns].reverse()]) {
      const one = new Memory(memoryStore({ clock: () => NOW }), 'main', () => NOW)
      await one.search('heron') // from here on the index follows the feed, and not the order of seq
      // Only an undo brings seqs back in any order.
      for (const operation of operations) await one.apply([operation], { reverts: [1] })
      const found = await Promise.all(
        words.map((word, n) => one.search(`${word} ${words[n - 1] ?? 'tide'}`, { limit: 50 })),
      )
      answers.push(
        found.map(({ hits }) => hits.map(({ entry, score }) => `${entry.id} ${score}`).join('\n')).join('\n'),
      )
    }
    expect(answers[0]).not.toBe('')
    expect(answers[1]).toBe(answers[0])
  })

  it('lets an answer be found by the words of its question, and neighbours by each other', async () => {
    const turns = [
      'Where did you park the car?',
      'Behind the theatre, under the old lime tree.',
      'Fine.',
      'Dinner was good.',
    ]
    await memory.apply(
      turns.map((content) => ({
        op: 'add' as const,
        scope: 'main',
        kind: 'conversation' as const,
        content,
        origin: { by: 'agent' as const, session: 's1' },
      })),
    )
    for (let n = 0; n < 30; n++) await note(`Other ${n}`, `something else about number ${n}`)
    const { hits } = await memory.search('where is the car parked', { explain: true })
    expect(
      hits
        .map(({ entry }) => entry.content)
        .slice(0, 2)
        .sort(),
    ).toEqual(turns.slice(0, 2).sort())
    const answer = hits.find(({ entry }) => entry.content === turns[1])
    expect(answer?.why?.words).toEqual([])
    expect(answer?.why?.supports.map(({ by }) => by)).toContain('neighbour')
  })

  it.each([
    ['experiences of a day', { kind: 'experience' }],
    ['experiences of a session', { kind: 'experience', session: 's' }],
    ['facts of a session', { kind: 'fact', session: 's' }],
    ['conversation entries of no session', { kind: 'conversation' }],
  ] as const)('does not find %s by words of other entries', async (_, options) => {
    const texts = ['Do we need milk?', 'The heron is back.', 'Bread is on the list.', 'The tax is due in May.']
    for (const text of texts) await memory.remember(text, options)
    const { hits } = await memory.search('milk', { explain: true })
    expect(hits.map(({ entry }) => entry.content)).toEqual(['Do we need milk?'])
    expect(hits[0]?.why?.supports).toEqual([])
  })

  it.each([
    ['assistant', true],
    ['user', false],
  ] as const)("takes the %s's turn after a user's question for its answer: %s", async (role, isAnswer) => {
    await memory.remember('We use Postgres 17 as our database', { name: 'db' })
    const chat = memory.session('s')
    await chat.append({ role: 'user', content: 'which database do we use?' })
    await chat.append({ role, content: 'guava is my favourite' })
    await chat.compact({ summary: 'small talk' })
    const hits = (await memory.search('database')).hits.map(({ entry }) => entry.content)
    expect(hits.indexOf('guava is my favourite') < hits.indexOf('We use Postgres 17 as our database')).toBe(isAnswer)
  })

  it('does not find an archive by words of the turns beside it', async () => {
    const chat = memory.session('s')
    await chat.append({ role: 'user', content: 'the code is swordfish' })
    await chat.compact({ summary: 'code told' })
    const found = async (query: string): Promise<string[]> =>
      (await memory.search(query)).hits.map(({ entry }) => entry.content)
    expect(await found('swordfish')).toEqual(['the code is swordfish'])
    expect(await found('told')).toEqual(['code told'])
  })
})

describe('dates', () => {
  it('are words of an entry where the query speaks of one, and only there', async () => {
    await note('Then', 'the retrospective', { createdAt: '2025-05-11T12:00:00.000Z' })
    await note('Later', 'the retrospective of another time', { createdAt: '2025-06-12T12:00:00.000Z' })
    expect((await names('retrospective in may 2025'))[0]).toBe('Then')
    expect((await names('retrospective 2025-06-12'))[0]).toBe('Later')
    expect(await names('error 11')).toEqual([])
  })
})

describe('what says nearly the same', () => {
  const LONG =
    'The build server sits in the basement next to the boiler, and it must be restarted by hand after each storm that cuts the power line to this part of town.'

  it('is shown once, and the hit names the others', async () => {
    await note('The build server', LONG, { createdAt: instant(NOW - DAY) })
    await note('Build server', LONG.toUpperCase())
    await note('Server in the basement', LONG.replace('storm', 'fierce storm'))
    const { hits } = await memory.search('build server boiler')
    expect(hits).toHaveLength(1)
    expect(hits[0]?.alike).toHaveLength(2)
  })

  it('is not the same where a number or a word of the query tells them apart', async () => {
    await note('A', LONG.replace('server', 'server 17'))
    await note('B', LONG.replace('server', 'server 18'))
    expect(await names('build server boiler')).toHaveLength(2)
    await note('C', `${LONG} again`)
    expect(await names('storm again', { limit: 10 })).toHaveLength(3)
  })

  it.each([
    ['a person', LONG.replace('storm', 'visit of Alice'), LONG.replace('storm', 'visit of Boris')],
    ['a negation', LONG, LONG.replace('must be', 'must not be')],
    ['who did what to whom', 'Alice owes Bob ten coins', 'Bob owes Alice ten coins'],
  ])('is not the same where %s tells them apart', async (_, one, other) => {
    await memory.apply([
      { op: 'add', scope: 'main', kind: 'fact', content: one },
      { op: 'add', scope: 'main', kind: 'fact', content: other },
    ])
    expect((await memory.search('build server coins')).hits).toHaveLength(2)
  })

  it('does not crowd out what differs', async () => {
    const fact = (content: string): Operation => ({ op: 'add', scope: 'main', kind: 'fact', content })
    const others = ['mill', 'gate', 'barn', 'well'].map((place) =>
      fact(`the build of the ${place} takes long this year`),
    )
    await memory.apply([...others, ...Array.from({ length: 200 }, () => fact('build passed'))])
    expect((await memory.search('build')).hits).toHaveLength(5)
  })

  it('is not the same under two names, but is where the store made the names', async () => {
    await note('Alice', 'likes green tea with milk')
    await note('Bob', 'likes green tea with milk')
    expect(await names('who likes tea')).toHaveLength(2)
    const fact = { op: 'add', scope: 'main', kind: 'fact', content: 'the gate is painted blue' } as const
    await memory.apply([fact, fact])
    expect(await names('gate')).toHaveLength(1)
  })
})

describe('a budget', () => {
  it('holds whole entries only, and says what it had no room for', async () => {
    await note('Large', `deploy ${'and then some more words '.repeat(200)}`)
    await note('Small', 'deploy and be done')
    const { hits, searched } = await memory.search('deploy', { budgetTokens: 50 })
    expect(hits.map(({ entry }) => entry.name)).toEqual(['Small'])
    expect(searched.omitted).toBe(1)
    expect(hits[0]?.entry.content).toBe('deploy and be done')
  })
})

describe('explain', () => {
  it('has every part of a score: they add up to it', async () => {
    await note('Deploy guide', '# Deploy\n\nrun the smoke tests, deploy, then watch', { description: 'how to deploy' })
    await memory.remember('Did the deploy work?', { kind: 'conversation', session: 's' })
    await memory.remember('Yes, after the smoke tests were fixed.', { kind: 'conversation', session: 's' })
    const { hits } = await memory.search('deploy smoke tests gui*', { explain: true })
    expect(hits.length).toBe(3)
    for (const { score, why } of hits) {
      expect(why?.score).toBe(score)
      expect(why && totalOf(why)).toBeCloseTo(score, 9)
    }
    const guide = hits.find(({ entry }) => entry.name === 'Deploy guide')
    expect(guide?.why?.words.map(({ text, counts }) => [text, counts])).toEqual([
      ['deploy', { name: 1, description: 1, headings: 1, content: 1 }],
      ['smoke', { content: 1 }],
      ['tests', { content: 1 }],
      ['gui*', { name: 1 }],
    ])
    expect(guide?.why?.words[0]?.documents).toBe(2)
  })

  it('is left out unless it is asked for', async () => {
    await note('N', 'deploy')
    expect((await memory.search('deploy')).hits[0]).not.toHaveProperty('why')
  })
})

describe('an empty answer', () => {
  it('says what was searched, how the query was understood, and the nearest words', async () => {
    await note('Deploys', 'We deploy on Tuesdays.')
    const { hits, searched } = await memory.search('what about the deplyo', { kinds: ['note'] })
    expect(hits).toEqual([])
    expect(searched).toMatchObject({
      mode: 'lexical',
      query: 'what about the deplyo',
      understood: { words: ['deplyo'], ignored: ['what', 'about', 'the'] },
      scopes: ['world', 'main'],
      kinds: ['note'],
      entries: 1,
      eligible: 1,
      matched: 0,
      nearest: [{ text: 'deplyo', nearest: ['deploy'] }],
    })
  })

  it('is an answer for a memory that has nothing yet', async () => {
    expect((await memory.search('anything')).searched).toMatchObject({ entries: 0, matched: 0 })
  })
})

describe('queries', () => {
  beforeEach(async () => {
    await note('Tests', 'Run the smoke tests before you deploy to production.')
    await note('Smoke', 'Where there is smoke there is fire; tests come later. We deployed C++ code.')
  })

  it('take phrases, prefixes and what is not wanted', async () => {
    expect(await names('"smoke tests"')).toEqual(['Tests'])
    expect(await names('"tests smoke"')).toEqual([])
    expect(await names('prod*')).toEqual(['Tests'])
    expect((await names('smoke')).sort()).toEqual(['Smoke', 'Tests'])
    expect(await names('smoke -fire')).toEqual(['Tests'])
    expect(await names('C++ "smoke tests" deploy*')).toEqual(['Tests'])
    expect(await names('c++')).toEqual(['Smoke'])
  })

  it('hold for what is only beside a hit, too', async () => {
    const turn = (content: string): Operation => ({ op: 'add', scope: 'main', kind: 'conversation', content })
    const turns = ['the heron nests here', 'the grey heron is ill', 'lunch was good'].map(turn)
    await memory.apply(turns, { origin: { by: 'agent', session: 's' } })
    const contents = async (query: string): Promise<string[]> =>
      (await memory.search(query)).hits.map(({ entry }) => entry.content)
    expect(await contents('heron -grey')).toEqual(['the heron nests here'])
    expect(await contents('"grey heron"')).toEqual(['the grey heron is ill'])
    expect(await contents('heron')).toContain('lunch was good')
  })

  it('do not insist on quotes within a sentence', async () => {
    expect((await names('who wrote the code that is called "C++ production" here'))[0]).toBe('Smoke')
  })

  it('of stop words only are searched by these', async () => {
    expect(await names('where there is')).toEqual(['Smoke'])
  })

  const odd: [string, string][] = [
    ['punctuation', '?!… -- "" * -'],
    ['a lone surrogate', '\ud800 smoke \udc00'],
    ['a NUL', 'smoke\0tests'],
    ['a megabyte', 'smoke '.repeat(180_000)],
    ['a megabyte without a blank', 'x'.repeat(1_000_000)],
    ['many quotes', '"'.repeat(5000)],
    ['only nots', '-smoke -fire'],
  ]
  it.each(odd)('of %s get an answer', async (_, query) => {
    const { hits, searched } = await memory.search(query)
    expect(hits.length).toBeLessThanOrEqual(2)
    expect(searched.query).toBe(query)
  })

  const refused: [string, string, SearchOptions][] = [
    ['a blank query', ' \n', {}],
    ['a limit of 0', 'smoke', { limit: 0 }],
    ['a limit of 101', 'smoke', { limit: 101 }],
    ['a fraction of a limit', 'smoke', { limit: 1.5 }],
    ['a negative score', 'smoke', { minScore: -0.1 }],
    ['an unknown kind', 'smoke', { kinds: ['nope' as 'note'] }],
    ['a date that is none', 'smoke', { since: 'tomorrowish' }],
    ['an unknown mode', 'smoke', { mode: 'psychic' as 'lexical' }],
    ['a condition that is none', 'smoke', { where: [{ key: 'a', op: '~' as '=', value: 1 }] }],
  ]
  it.each(refused)('refuse %s', async (_, query, options) => {
    await expect(memory.search(query, options)).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('are searched by the endings of the language that is set, and as many as are set', async () => {
    const german = new Memory(memory.store, 'main', () => NOW, { language: 'de', recallLimit: 1 })
    await note('Weg', 'Die Straßen nach den Häusern sind gesperrt.')
    await note('Haus', 'Das Haus steht leer.')
    const { hits } = await german.search('Haus Strasse', { limit: undefined as unknown as number })
    expect(hits.map(({ entry }) => entry.name)).toEqual(['Weg'])
    const unknown = new Memory(memory.store, 'main', () => NOW, { language: 'klingon' })
    await expect(unknown.search('Haus')).rejects.toMatchObject({ code: 'INVALID' })
  })

  it.each([null, 'x', 3])('refuse %j as options', async (options) => {
    await expect(memory.search('smoke', options as never)).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('take numbers given as text', async () => {
    expect(await names('smoke', { limit: '1' as unknown as number })).toHaveLength(1)
  })
})

describe('an entry of the history that mirrors an archive', () => {
  const ids = async (query: string, options: SearchOptions = {}): Promise<string[]> =>
    (await memory.search(query, options)).hits.map(({ entry }) => entry.id)

  it('is found only where the history is asked for by name, once', async () => {
    const text = '[2026-11-15 12:00] We moved to Postgres.'
    const at = instant(NOW)
    const { entries } = await memory.apply([
      { op: 'add', scope: 'main', kind: 'archive', name: 'chat-1', content: text, metadata: { session: 'chat' } },
      { op: 'add', scope: 'main', kind: 'history', content: `${text} Said by hand.` },
    ])
    const [archive = '', byHand = ''] = entries.map(({ id }) => id)
    const { entries: more } = await memory.apply([
      { op: 'add', scope: 'main', kind: 'history', content: text, metadata: { archive, session: 'chat' } },
      { op: 'add', scope: 'main', kind: 'note', name: 'Move', content: 'Postgres', metadata: { archive } },
    ])
    const [mirror = '', note = ''] = more.map(({ id }) => id)
    expect((await ids('postgres')).sort()).toEqual([archive, byHand, note].sort())
    expect((await ids('postgres', { kinds: ['history'] })).sort()).toEqual([byHand, mirror].sort())
    expect(await ids('postgres', { kinds: ['archive'] })).toEqual([archive])
    expect(await ids('postgres', { kinds: ['history'], since: at, until: instant(NOW + 1) })).toHaveLength(2)
    expect(await ids('postgres', { kinds: ['history'], until: at })).toEqual([])
    expect(await memory.whyNot('postgres', mirror)).toMatchObject({
      reason: 'mirror',
      sentence: expect.stringMatching(/mirrors an archive.*--kind history/),
      instead: archive,
    })
    expect(await memory.whyNot('postgres', mirror, { kinds: ['note'] })).toMatchObject({ reason: 'mirror' })
    expect(await memory.whyNot('postgres', mirror, { kinds: ['history'] })).toMatchObject({ reason: 'found' })
    const { entry } = await memory.whyNot('postgres', byHand, { kinds: ['note'] })
    expect(entry?.id).toBe(byHand)
    expect(await memory.list({ kinds: ['history'] })).toHaveLength(2)
    await memory.apply([{ op: 'write', id: mirror, metadata: {} }])
    // It says what the archive says, so that one is shown in its place.
    expect(await memory.whyNot('postgres', mirror)).toMatchObject({ reason: 'alike', instead: archive })
  })

  it('mirrors nothing once its archive is gone, unless it is what a fallback left', async () => {
    const { entries } = await memory.apply([
      { op: 'add', scope: 'main', kind: 'archive', name: 'chat-1', content: 'We moved to Postgres.' },
    ])
    const [archive = ''] = entries.map(({ id }) => id)
    const { entries: more } = await memory.apply([
      { op: 'add', scope: 'main', kind: 'history', content: 'We moved to Postgres.', metadata: { archive } },
      { op: 'add', scope: 'main', kind: 'history', content: 'USER: Postgres?', metadata: { archive, raw: true } },
    ])
    const [mirror = '', fallback = ''] = more.map(({ id }) => id)
    expect(await ids('postgres')).toEqual([archive])
    await memory.apply([{ op: 'remove', id: archive }])
    expect(await ids('postgres')).toEqual([mirror])
    expect(await ids('postgres', { kinds: ['note'] })).toEqual([])
    expect(await memory.whyNot('postgres', mirror, { kinds: ['note'] })).toMatchObject({ reason: 'kind' })
    expect((await ids('postgres', { kinds: ['history'] })).sort()).toEqual([mirror, fallback].sort())
    await memory.undo()
    expect(await ids('postgres')).toEqual([archive])
  })

  it('supports no other entry of its session', async () => {
    const origin = { by: 'consolidation', agent: 'main', session: 'chat' } as const
    const add = (content: string, metadata = {}): Operation => {
      return { op: 'add', scope: 'main', kind: 'conversation', content, metadata, origin }
    }
    await memory.apply([add('The violin is in the attic.'), add('Good to know.')])
    const before = (await memory.search('violin', { kinds: ['conversation'] })).hits.map(({ score }) => score > 0)
    const mirror = { ...add('All about the violin.', { archive: 'a' }), kind: 'history' } as Operation
    await memory.apply([mirror], { origin })
    const { hits } = await memory.search('violin', { kinds: ['conversation'], explain: true })
    expect(hits.map(({ score }) => score > 0)).toEqual(before)
    const supports = hits[0]?.why?.supports.map(({ by }) => by)
    expect(supports).toEqual([])
  })
})

describe('why-not', () => {
  const reasons = async (query: string, ref: string, options: SearchOptions = {}): Promise<string> =>
    (await memory.whyNot(query, ref, options)).reason

  it('names what kept an entry out', async () => {
    await note('Deploys', 'We deploy on Tuesdays after the smoke tests.', { metadata: { team: 'web' } })
    await note('Deploys on Tuesdays', 'We deploy on Tuesdays after the smoke tests!', { createdAt: instant(NOW - DAY) })
    await note('Gone', 'deploy', { expiresAt: instant(NOW - 1), createdAt: instant(NOW - DAY) })
    await note('Long', `deploy ${'word '.repeat(300)}`)
    expect(await reasons('deploy', 'Deploys')).toBe('found')
    expect(await reasons('deploy', 'Nobody')).toBe('not-there')
    expect(await reasons('deploy', 'Gone')).toBe('expired')
    expect(await reasons('deploy', 'Deploys', { kinds: ['fact'] })).toBe('kind')
    expect(await reasons('deploy', 'Deploys', { since: instant(NOW + DAY) })).toBe('since')
    expect(await reasons('deploy', 'Deploys', { until: instant(NOW - DAY) })).toBe('until')
    expect(await reasons('deploy', 'Deploys', { where: [{ key: 'team', op: '=', value: 'ops' }] })).toBe('where')
    expect(await reasons('deploy -smoke', 'Deploys')).toBe('excluded')
    expect(await reasons('"tests smoke"', 'Deploys')).toBe('phrase')
    expect(await reasons('kitchen', 'Deploys')).toBe('no-words')
    expect(await reasons('deploy', 'Long', { minScore: 0.9 })).toBe('min-score')
    expect(await reasons('deploy', 'Deploys on Tuesdays')).toBe('alike')
    expect(await reasons('deploy', 'Long', { limit: 1 })).toBe('limit')
    expect(await reasons('deploy', 'Long', { budgetTokens: 30 })).toBe('budget')
  })

  it('says at which place it would be, and what its score is made of', async () => {
    for (let n = 0; n < 5; n++) await note(`Loud ${n}`, `deploy deploy ${n}`)
    await note('Quiet', `deploy once among ${'many other words '.repeat(20)}`)
    const { rank, score, why, sentence } = await memory.whyNot('deploy', 'Quiet', { limit: 3 })
    expect(rank).toBe(6)
    expect(why && totalOf(why)).toBeCloseTo(score ?? 0, 9)
    expect(sentence).toContain('place 6')
  })
})

describe('recall with a query', () => {
  it('gives the hits as a text for a model', async () => {
    await note('Deploys', 'We deploy on Tuesdays.', { description: 'when we ship' })
    const { text, hits } = await memory.recall({ query: 'deploy' })
    expect(text).toContain('## Deploys')
    expect(text).toContain('when we ship')
    expect(text).toContain('We deploy on Tuesdays.')
    expect(hits).toHaveLength(1)
  })

  it('says so when nothing is found', async () => {
    const found: Found | { text: string } = await memory.recall({ query: 'anything' })
    expect(found).toMatchObject({ hits: [] })
    expect((found as { text: string }).text).not.toBe('')
  })
})
