/** How hits, their scores and the answer to --why-not read, on a terminal and on a pipe. */
import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/cli/display-width.ts'
import { refsText } from '../../src/cli/entry-text.ts'
import { explainText, searchText } from '../../src/cli/explain-text.ts'
import { hitsText } from '../../src/cli/hits-text.ts'
import { Screen } from '../../src/cli/screen.ts'
import { whyNotText } from '../../src/cli/why-not-text.ts'
import { entryOf, foundOf, hitOf, loggedOf, searchedOf, WHY } from './found-sample.ts'

const PIPE = new Screen({ hasColor: false, cwd: '/work' })
const TERMINAL = new Screen({ hasColor: true, cwd: '/work' })

function placeOf(screen: Screen): { screen: Screen; root: string; zone: string } {
  return { screen, root: '/work/.keepsake', zone: 'Europe/Berlin' }
}

const PLAIN = placeOf(PIPE)
const CHECKLIST = entryOf('We deploy on Tuesdays.\nRun make ship.')
const MOVED = loggedOf('The staging server moved before the deploy.')

it('says what searched the vectors, if a store did', () => {
  const vectors = { model: 'letters', pending: 0 }
  const lines = (more: object): string => searchText(searchedOf({ vectors: { ...vectors, ...more } }), 'UTC', PIPE)
  expect(lines({ searchedBy: 'pgvector 0.8.0' })).toContain('\nVectors of letters, searched by pgvector 0.8.0.')
  expect(lines({})).not.toContain('letters')
})

describe('hits for a person', () => {
  it('have a line about each, then the text, best first', () => {
    const hits = [hitOf(CHECKLIST, ['deploy'], { alike: ['x', 'y'] }), hitOf(MOVED, ['deploy'], { score: 0.5 })]
    expect(hitsText(foundOf(hits, { matched: 9 }), PLAIN)).toBe(
      [
        '1  Deploys  note  2026-11-15 23:08  0.83  .keepsake/agents/main/entries/deploys.md',
        '   We deploy on Tuesdays.',
        '   Run make ship.',
        '   and 2 nearly the same',
        '',
        '2  The staging server moved before the deploy.  experience  2026-11-15 23:08  0.50  .keepsake/agents/main/daily/2026-11-15.md  01a1e141-051b-77f7-9285-cbc46dbe4791',
        '   The staging server moved before the deploy.',
        '',
        '2 of 9 that match; --limit and --min-score say how many are shown.',
      ].join('\n'),
    )
  })

  it('mark the words on a terminal, also where they lie side by side or across the end of a line', () => {
    const shown = hitsText(foundOf([hitOf(CHECKLIST, ['deploy', 'Tues', 'days'])]), placeOf(TERMINAL))
    expect(shown).toContain('We \u001b[1mdeploy\u001b[22m on \u001b[1mTues\u001b[22m\u001b[1mdays\u001b[22m.\n')
    const long = hitOf(entryOf('x'.repeat(150)), ['x{150}'])
    expect(
      hitsText(foundOf([long]), placeOf(TERMINAL))
        .split('\n')
        .slice(1),
    ).toEqual([`   \u001b[1m${'x'.repeat(92)}\u001b[22m`, `   \u001b[1m${'x'.repeat(58)}\u001b[22m`])
  })

  it('send no escape sequence to a terminal or a pipe', () => {
    const evil = 'a\u001b[2Jb\rc\u0007d\u009be'
    const entry = entryOf(`${evil} deploy ${evil}`, { name: null, description: evil, kind: 'experience' })
    const found = foundOf([hitOf(entry, ['deploy']), hitOf(entry)])
    const evilWhy = { ...WHY, words: [{ text: evil, term: evil, counts: { [evil]: 1 }, documents: 1, score: 1 }] }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    const command = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/
    expect(hitsText(found, PLAIN)).not.toMatch(command)
    expect(explainText(evilWhy, PIPE).join('\n')).not.toMatch(command)
    expect(
      searchText(searchedOf({ understood: { ...searchedOf().understood, words: [evil] } }), 'UTC', PIPE),
    ).not.toMatch(command)
    expect(hitsText(foundOf([], { query: evil, nearest: [{ text: evil, nearest: [evil] }] }), PLAIN)).not.toMatch(
      command,
    )
    expect(whyNotText({ entry, reason: 'kind', sentence: evil, warnings: [] }, evil, PLAIN)).not.toMatch(command)
  })

  it('show the description where the words are not in the text', () => {
    const entry = entryOf('Run make ship.', { description: 'Before a deploy' })
    expect(
      hitsText(foundOf([hitOf(entry)]), PLAIN)
        .split('\n')
        .slice(1),
    ).toEqual(['   Before a deploy', '   Run make ship.'])
    expect(hitsText(foundOf([hitOf(entry, ['ship'])]), PLAIN)).not.toContain('Before')
  })

  it('are four lines at most of a long text', () => {
    const hit = hitOf(entryOf(`${'Words and words. '.repeat(500)}Then deploy.`), ['deploy'])
    const lines = hitsText(foundOf([hit]), PLAIN).split('\n')
    expect(lines).toHaveLength(4)
    expect(lines.at(-1)).toMatch(/Then deploy\.$/)
    expect(lines.every((line) => line.length <= 100)).toBe(true)
  })

  it('say what did not fit the budget', () => {
    expect(hitsText(foundOf([hitOf(CHECKLIST)], { matched: 4, omitted: 3 }), PLAIN)).toMatch(
      /\n\n3 more did not fit the budget\.$/,
    )
  })

  it('line up their ranks', () => {
    const lines = hitsText(foundOf(Array.from({ length: 10 }, () => hitOf(CHECKLIST))), PLAIN).split('\n')
    expect(lines.filter((line) => line.startsWith(' 9  Deploys') || line.startsWith('10  Deploys'))).toHaveLength(2)
    expect(lines.filter((line) => line === '    Run make ship.')).toHaveLength(10)
  })

  it('are names or ids alone when little is wanted', () => {
    expect(refsText([CHECKLIST, MOVED], new Set(['Deploys']), PIPE)).toBe(`Deploys\n${MOVED.id}`)
    expect(refsText([], new Set(), PIPE)).toBe('')
  })

  it('that are none say which option to loosen', () => {
    expect(hitsText(foundOf([], { kinds: ['note'], eligible: 0 }), PLAIN)).toBe(
      [
        'Nothing to search was let through: 0 of 42 entries (kind note).',
        'Understood as words: deploy; too common: when, do, we.',
        'More is searched without --kind.',
      ].join('\n'),
    )
  })
})

describe('an explanation', () => {
  it('is a table of every part', () => {
    expect(explainText(WHY, PIPE)).toEqual([
      'part                        stands in                       entries  points',
      'deploys (deploy)            name 1, content 3                     4    2.31',
      '"smoke tests" (smoke test)  content 1                             1    1.10',
      'Stag*                       tags 2                                2    0.50',
      'heron                       nowhere                              12    0.00',
      'neighbour                   words of the turns next to it              0.40',
      'nearness                    its words stand close together             0.20',
      'length                                                                ×0.95',
      'recency                                                               ×1.05',
      'score                       of 5.20 at best                            0.83',
    ])
  })

  it('adds up also where a common word gives little', () => {
    const words = [{ text: 'deploy', term: 'deploy', counts: { content: 1 }, documents: 5, score: 0.0377 }]
    const boosts = [{ by: 'recency' as const, factor: 1.04 }]
    const lines = explainText({ words, supports: [], boosts, best: 0.0914, score: 0.429 }, PIPE)
    expect(lines).toEqual([
      'part     stands in          entries  points',
      'deploy   content 1                5  0.0377',
      'recency                               ×1.04',
      'score    of 0.0914 at best             0.43',
    ])
  })

  it('shows nothing of words where they had no say', () => {
    const meaning = { cosine: 0.41, score: 0.41 }
    const alone = { words: [], supports: [], boosts: [], best: 0, byWords: 0, meaning, score: 0.41 }
    expect(explainText(alone, PIPE)).toEqual([
      'part        stands in    entries  points',
      'by meaning  cosine 0.41             0.41',
      'score                               0.41',
    ])
    const lines = explainText({ ...WHY, byWords: 0, meaning, score: 0.41 }, PIPE)
    expect(lines.filter((line) => /^(length|recency|by words)/.test(line))).toEqual([
      'by words                    of 5.20 at best                            0.00',
    ])
  })

  it('of an exact name says so', () => {
    const lines = explainText({ ...WHY, exact: 'alias', words: [], supports: [], boosts: [], score: 1 }, PIPE)
    expect(lines).toEqual([
      'part   stands in               entries  points',
      'score  the query is its alias             1.00',
    ])
  })

  it('keeps its columns aligned with wide characters', () => {
    const wide = { text: '東京', term: '東京', counts: { content: 1 }, documents: 1, score: 1 }
    const lines = explainText({ ...WHY, words: [wide, { ...wide, text: '👩\u200d💻', term: '👩\u200d💻' }] }, PIPE)
    expect(new Set(lines.map(displayWidth)).size).toBe(1)
  })

  it('fits a hundred columns, whatever the words', () => {
    const text = 'w'.repeat(500)
    const counts = { name: 1, description: 20, headings: 300, tags: 4000, content: 50_000 }
    const why = { ...WHY, words: [{ text, term: 'x', counts, documents: 1_000_000, score: 1234.5 }] }
    const lines = hitsText(foundOf([hitOf(entryOf('x'), [], { why })]), PLAIN, () => explainText(why, PIPE))
    expect(lines.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  it('ends with what was searched and how the query was understood', () => {
    const searched = searchedOf({
      kinds: ['note'],
      matched: 7,
      understood: {
        words: ['deploy'],
        phrases: ['"smoke tests"'],
        prefixes: ['stag*'],
        not: ['old'],
        ignored: ['when', 'do', 'we'],
      },
    })
    expect(searchText(searched, 'UTC', PIPE).split('\n')).toEqual([
      'Searched 42 entries (kind note) by words; 7 match.',
      '  words       deploy',
      '  phrases     "smoke tests"',
      '  beginnings  stag*',
      '  without     old',
      '  too common  when, do, we',
    ])
  })
})

describe('the answer to --why-not', () => {
  it('is a sentence, the entry, its place and its score', () => {
    const text = whyNotText(
      {
        entry: CHECKLIST,
        reason: 'limit',
        sentence: 'It comes after the limit.',
        rank: 9,
        score: 0.41,
        why: WHY,
        warnings: [],
      },
      undefined,
      PLAIN,
    )
    expect(text.split('\n').slice(0, 5)).toEqual([
      'It comes after the limit.',
      '',
      'Deploys  note  2026-11-15 23:08  0.41  .keepsake/agents/main/entries/deploys.md',
      '   place 9 of those that match',
      expect.stringMatching(/^ {3}part +stands in +entries +points$/),
    ])
  })

  it('names the entry that stands for it', () => {
    const whyNot = {
      entry: CHECKLIST,
      reason: 'alike',
      sentence: 'Said once.',
      instead: 'an-id',
      warnings: [],
    } as const
    expect(whyNotText(whyNot, 'Releases', PLAIN)).toMatch(/\n {3}shown in its place: Releases$/)
  })

  it('is the sentence alone where there is no such entry', () => {
    expect(whyNotText({ reason: 'not-there', sentence: 'It is not there.', warnings: [] }, undefined, PLAIN)).toBe(
      'It is not there.',
    )
  })
})
