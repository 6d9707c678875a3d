/** `keepsake recall QUERY`: the whole way from words to hits, as people and programs get it. */
import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { jsonAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

const DAY_MS = 86_400_000

/** A memory with a past: notes and facts with metadata, a log, a topic. */
async function furnished(): Promise<Desk> {
  const desk = new Desk()
  const at = async (daysAgo: number, write: (memory: Awaited<ReturnType<typeof openMemory>>) => Promise<unknown>) => {
    const clock = (): number => Date.now() - daysAgo * DAY_MS
    const memory = await openMemory({ workspace: desk.workspace, timezone: 'UTC', clock })
    await write(memory)
    await memory.close()
  }
  await at(40, (memory) =>
    memory.remember('We deploy by hand, with a checklist on paper.', { name: 'Old ways', metadata: { priority: 1 } }),
  )
  await at(10, (memory) => memory.remember('The deploy of the website failed twice.'))
  await at(0, async (memory) => {
    await memory.remember('We deploy on Tuesdays.\nRun the smoke tests first.', {
      name: 'Deploy checklist',
      aliases: ['releases'],
      metadata: { priority: 3, tags: ['ops', 'ci'] },
    })
    await memory.remember('Call the printer first.', { name: 'Posters' })
    await memory.learnFact('Staging server', 'Its name is heron.')
  })
  return desk
}

function namesOf({ hits }: Printed): (string | null)[] {
  return hits.map(({ entry }: Printed) => entry.name)
}

describe.concurrent('recall with a query', () => {
  it('shows the best hits, with the lines that the words stand in', async () => {
    const { status, stdout, stderr } = await (await furnished()).run(['recall', 'smoke tests'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^1 {2}Deploy checklist {2}note {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}0\.\d\d {2}\S+entries\/deploy-checklist\.md\n {3}We deploy on Tuesdays\.\n {3}Run the smoke tests first\.\n$/,
    )
  })

  it('takes several words like one query, and standard input', async () => {
    const desk = await furnished()
    const quoted = await jsonAt(desk, ['recall', 'when do we deploy'])
    expect(namesOf(quoted)).toHaveLength(3)
    const unquoted = await jsonAt(desk, ['recall', 'when', 'do', 'we', 'deploy'])
    expect([namesOf(unquoted), unquoted.searched]).toEqual([namesOf(quoted), quoted.searched])
    const piped = await desk.json(['recall', '-'], { input: 'when do we deploy' })
    expect([namesOf(piped), piped.searched]).toEqual([namesOf(quoted), quoted.searched])
  })

  it('is one JSON object: entries as everywhere, scores, highlights, and what was searched', async () => {
    const desk = await furnished()
    const { hits, searched, warnings, status } = await jsonAt(desk, ['recall', 'smoke tests'])
    const { entry } = await jsonAt(desk, ['show', 'Deploy checklist'])
    expect([status, warnings]).toEqual([0, undefined])
    expect(hits).toEqual([{ entry, score: expect.any(Number), highlights: expect.any(Array), alike: [] }])
    const words = hits[0].highlights.map(([start, end]: [number, number]) => entry.content.slice(start, end))
    expect(words).toEqual(['smoke', 'tests'])
    expect(hits[0].score).toBeGreaterThan(0)
    expect(hits[0].score).toBeLessThan(1)
    expect(searched).toMatchObject({ mode: 'lexical', query: 'smoke tests', entries: 5, matched: 1, omitted: 0 })
  })

  it('prints names or ids alone with --quiet, and nothing where nothing is found', async () => {
    const desk = await furnished()
    const { hits } = await jsonAt(desk, ['recall', 'deploy'])
    const { stdout } = await desk.run(['recall', 'deploy', '--quiet'])
    expect(stdout).toBe(`${hits.map(({ entry }: Printed) => entry.name ?? entry.id).join('\n')}\n`)
    expect(await desk.run(['recall', 'xylophone', '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('puts an exact name or alias first, with a score of 1', async () => {
    const desk = await furnished()
    const { hits } = await jsonAt(desk, ['recall', 'releases', '--explain'])
    expect([hits[0].entry.name, hits[0].score, hits[0].why.exact]).toEqual(['Deploy checklist', 1, 'alias'])
    expect((await desk.run(['recall', 'Posters', '--explain'])).stdout).toMatch(/ the query is its name +1\.00$/m)
  })

  it.each([
    [['--limit', '1'], 1],
    [
      ['--kind', 'note'],
      ['Deploy checklist', 'Old ways'],
    ],
    [['--kind', 'experience', '--kind', 'topic'], [null]],
    [['--since', 'yesterday'], ['Deploy checklist']],
    [['--since', '2 weeks ago', '--until', 'yesterday'], [null]],
    [['--until', '30 days ago'], ['Old ways']],
    [['--where', 'priority>=2'], ['Deploy checklist']],
    [['--where', 'tags=ci', '--where', 'priority=3'], ['Deploy checklist']],
    [['--where', 'tags=ci', '--where', 'priority<3'], []],
    [['--min-score', '1'], []],
    [['--as-of', 'a week ago', '--kind', 'note'], ['Old ways']],
  ])('heeds %j', async (options, expected) => {
    const found = namesOf(await (await furnished()).json(['recall', 'deploy', ...options]))
    if (typeof expected === 'number') expect(found).toHaveLength(expected)
    else expect(found.toSorted()).toEqual(expected)
  })

  it('keeps to a budget with whole entries, and says what did not fit', async () => {
    const desk = await furnished()
    const { hits, searched } = await jsonAt(desk, ['recall', 'deploy', '--budget', '25'])
    expect([hits.length > 0, hits.length + searched.omitted]).toEqual([true, 3])
    expect((await desk.run(['recall', 'deploy', '--budget', '25'])).stdout).toMatch(
      /\d more did not fit the budget\.\n$/,
    )
  })

  it('finds what a hand wrote a moment ago', async () => {
    const desk = await furnished()
    desk.edit('world/birds.md', 'The kingfisher is blue.\n')
    expect(namesOf(await jsonAt(desk, ['recall', 'kingfisher']))).toEqual(['birds'])
    desk.edit('world/birds.md', 'The robin is red.\n')
    expect(namesOf(await jsonAt(desk, ['recall', 'kingfisher']))).toEqual([])
    expect(namesOf(await jsonAt(desk, ['recall', 'robin']))).toEqual(['birds'])
  })

  it('knows quotes, endings and what is left out', async () => {
    const desk = await furnished()
    expect(namesOf(await jsonAt(desk, ['recall', '"smoke tests" deploy*']))).toEqual(['Deploy checklist'])
    expect(namesOf(await jsonAt(desk, ['recall', '"tests smoke"']))).toEqual([])
    expect(namesOf(await jsonAt(desk, ['recall', 'deploy -checklist -failed']))).toEqual([])
    expect(namesOf(await jsonAt(desk, ['recall', 'check*', '--kind', 'note'])).toSorted()).toEqual([
      'Deploy checklist',
      'Old ways',
    ])
  })
})

describe.concurrent('recall --explain', () => {
  it('shows every part of each score, and what was searched', async () => {
    const { status, stdout, stderr } = await (await furnished()).run(['recall', 'when do we deploy', '--explain'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ {3}part +stands in +entries +points\n {3}deploy +(name|content) 1.* 3 +\d+\.\d{2,}\n/m)
    expect(stdout).toMatch(/^ {3}score +of \d+\.\d{2,} at best +\d\.\d\d$/m)
    expect(stdout).toMatch(
      /\n\nSearched 5 entries by words; 3 match\.\n {2}words +deploy\n {2}too common +when, do, we\n$/,
    )
  })

  it('adds up', async () => {
    const { hits } = await (await furnished()).json(['recall', 'deploy smoke website', '--explain'])
    expect(hits.length).toBeGreaterThan(1)
    for (const { score, why } of hits) {
      const sum = [...why.words, ...why.supports].reduce((total: number, part: Printed) => total + part.score, 0)
      const factor = why.boosts.reduce((product: number, boost: Printed) => product * boost.factor, 1)
      expect(score).toBeCloseTo(Math.min(0.999, (sum * factor) / why.best), 6)
      expect(why.score).toBe(score)
    }
  })
})

describe.concurrent('recall --why-not', () => {
  it.each([
    ['Deploy checklist', [], 'found'],
    ['Posters', [], 'no-words'],
    ['Deploy checklist', ['--kind', 'topic'], 'kind'],
    ['Old ways', ['--since', 'last week'], 'since'],
    ['Deploy checklist', ['--until', 'a week ago'], 'until'],
    ['Old ways', ['--where', 'priority>2'], 'where'],
    ['Nobody', [], 'not-there'],
  ])('of %s with %j: %s', async (ref, options, reason) => {
    const desk = await furnished()
    const asked = ['recall', 'when do we deploy', '--why-not', ref, ...options]
    const { whyNot, status } = await jsonAt(desk, asked)
    expect([whyNot.reason, status]).toEqual([reason, 0])
    const { stdout, stderr } = await desk.run(asked)
    expect([stdout.startsWith(whyNot.sentence), stderr]).toEqual([true, ''])
    expect(whyNot.entry?.name).toBe(reason === 'not-there' ? undefined : ref)
  })
})

describe.concurrent('an empty answer', () => {
  it('is a success that says what was searched, what is near and what to loosen', async () => {
    const desk = await furnished()
    const { status, stdout, stderr } = await desk.run(['recall', 'the tuesdais', '--kind', 'note'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Nothing found for "the tuesdais" in 3 of 5 entries \(kind note\)\.\n/)
    expect(stdout).toMatch(/\nUnderstood as words: tuesdais; too common: the\.\n/)
    expect(stdout).toMatch(/\n"tuesdais" stands nowhere; near: .*tuesday.*\.\n/)
    expect(stdout).toMatch(/\nMore is searched without --kind\.\n$/)
    const { hits, searched } = await jsonAt(desk, ['recall', 'tuesdais'])
    expect([hits, searched.matched]).toEqual([[], 0])
    expect(searched.nearest[0].text).toBe('tuesdais')
  })

  it.each(['?!', '"', '*', '-', '\ud83d'])('comes for %j too', async (query) => {
    const { status, stdout } = await (await furnished()).run(['recall', '--', query], { input: '?' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('The query has no word to search by.')])
  })

  it('says so where nothing is remembered', async () => {
    const desk = await Desk.empty()
    expect((await desk.run(['recall', 'heron'])).stdout).toMatch(/^There is nothing to search\.\n/)
  })
})

const scriptWorks = spawnSync('sh', ['-c', 'script -qec true /dev/null']).status === 0
if (!scriptWorks) console.warn('SKIPPED: there is no script(1) of util-linux here, so no terminal to test hits with')

describe.concurrent('hits on a terminal', () => {
  async function onTerminal(desk: Desk, variables: string, args: string): Promise<string> {
    const { stdout } = await desk.shell(
      `${variables} script -qec '"$NODE" "$MAIN" recall ${args}' /dev/null < /dev/null`,
    )
    return stdout
  }

  it.skipIf(!scriptWorks)('have the words marked, unless that is forbidden', async () => {
    const desk = await furnished()
    expect(await onTerminal(desk, 'TERM=xterm', 'heron')).toContain('is \u001b[1mheron\u001b[22m.')
    expect(await onTerminal(desk, 'TERM=xterm NO_COLOR=1', 'heron')).toContain('is heron.')
  })

  it.skipIf(!scriptWorks)('obey no memory', async () => {
    const desk = await furnished()
    desk.edit('world/evil.md', 'A kingfisher \u001b[2J\u001b]0;owned\u0007 sings.\n')
    const shown = await onTerminal(desk, 'TERM=dumb', 'kingfisher --explain')
    expect(shown).toContain('<U+001B>[2J')
    expect(shown).not.toContain('\u001b')
    expect(shown).not.toContain('\u0007')
  })

  it('are marked on a pipe only when that is forced', async () => {
    const desk = await furnished()
    expect((await desk.run(['recall', 'heron'])).stdout).not.toContain('\u001b')
    expect((await desk.run(['recall', 'heron'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
      '\u001b[1mheron\u001b[22m',
    )
  })
})
