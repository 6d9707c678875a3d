import { describe, expect, it } from 'vitest'
import { entryOf, foundOf, hitOf, loggedOf } from '../../test/cli/found-sample.ts'
import { hitsText } from './hits-text.ts'

const CHECKLIST = entryOf('Run the smoke tests.\n\nThen make ship.', { description: 'Before a release' })

describe('hits for a model', () => {
  it('are whole, each under its name with its description, or under its time in the zone', () => {
    const context = { ...loggedOf('dark'), kind: 'context', key: 'theme' } as const
    const hits = [hitOf(CHECKLIST), hitOf(loggedOf('The staging server moved.')), hitOf(context)]
    expect(hitsText(foundOf(hits), 'Europe/Berlin')).toBe(`## Deploys

Before a release

Run the smoke tests.

Then make ship.

## 2026-11-15 23:08

The staging server moved.

## theme

dark`)
  })

  it('say what is missing', () => {
    const found = foundOf([hitOf(entryOf('One.'))], { omitted: 2 }, ['world/broken.md: it is not UTF-8 text'])
    expect(hitsText(found, 'UTC')).toBe(`## Deploys

One.

(2 more did not fit and were left out.)

(Could not be read: world/broken.md: it is not UTF-8 text.)`)
  })
})

describe('an empty answer for a model', () => {
  const none = { words: [], phrases: [], prefixes: [], not: [], ignored: [] }

  it.each([
    [
      'says what was searched, how the query was understood, and what comes near',
      {
        query: 'deplyo',
        understood: { ...none, words: ['deplyo'] },
        nearest: [{ text: 'deplyo', nearest: ['deploy'] }],
      },
      [
        'Nothing found for "deplyo" in 42 entries.',
        'Understood as words: deplyo.',
        '"deplyo" stands nowhere; near: deploy.',
      ],
    ],
    [
      'names the filters, and that they can be loosened',
      {
        eligible: 1,
        kinds: ['note', 'fact'],
        since: '2026-11-08T23:00:00.000Z',
        where: [{ key: 'priority', op: '>=', value: '3' }],
      },
      [
        'Nothing found for "when do we deploy" in 1 of 42 entries (kind note or fact, since 2026-11-09 00:00, where priority>=3).',
        'Understood as words: deploy; too common: when, do, we.',
        'More is searched without kind or since or where.',
      ],
    ],
    [
      'tells when the filters leave nothing',
      { eligible: 0, until: '2026-11-15T23:00:00.000Z' },
      [
        'Nothing to search was let through: 0 of 42 entries (until 2026-11-16 00:00).',
        'Understood as words: deploy; too common: when, do, we.',
        'More is searched without until.',
      ],
    ],
    [
      'tells what quotes and minus mean',
      { understood: { ...none, phrases: ['"smoke tests"'], prefixes: ['deploy*'], not: ['staging'] } },
      [
        'Nothing found for "when do we deploy" in 42 entries.',
        'Understood as phrases: "smoke tests"; beginnings: deploy*; without: staging.',
        'Words in quotes must stand together; without the quotes they need not.',
        'What has staging is left out.',
      ],
    ],
    [
      'tells a query without words',
      { query: '?!', understood: none },
      ['Nothing found for "?!" in 42 entries.', 'The query has no word to search by.'],
    ],
    [
      'tells what the budget had no room for',
      { matched: 3, omitted: 3 },
      [
        'Nothing found for "when do we deploy" in 42 entries: 3 would match, but the budget has no room.',
        'Understood as words: deploy; too common: when, do, we.',
        'Raise budget.',
      ],
    ],
    [
      'tells that all scored too low',
      { matched: 3 },
      [
        'Nothing found for "when do we deploy" in 42 entries: 3 would match, but the score is too low.',
        'Understood as words: deploy; too common: when, do, we.',
        'Lower min score.',
      ],
    ],
  ] as const)('%s', (_, searched, sentences) => {
    expect(hitsText(foundOf([], { matched: 0, ...searched }), 'Europe/Berlin').split('\n')).toEqual(sentences)
  })

  it('stays short whatever was asked', () => {
    const words = Array.from({ length: 100_000 }, (_, n) => `word${n}`)
    const query = words.join(' ')
    const nearest = words.map((text) => ({ text, nearest: [] }))
    const text = hitsText(foundOf([], { query, understood: { ...none, words }, nearest }), 'UTC')
    expect(text.length).toBeLessThan(2000)
    expect(text).toContain('word19 and 99980 more')
  })
})
