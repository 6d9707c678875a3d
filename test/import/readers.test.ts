/** What each reader makes of files as those programs write them, and of files that nobody should have written. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkCandidates } from '../../src/import/checked.ts'
import { dailySections } from '../../src/import/daily-sections.ts'
import { foreignTime } from '../../src/import/foreign-time.ts'
import { FORMATS, type ImportFormat } from '../../src/import/formats.ts'
import type { ImportPlan } from '../../src/import/plan.ts'
import { type Random, seededRandom } from '../../src/testing/random.ts'
import { isNightly } from '../tier.ts'
import { fixture, OPTIONS, planOf } from './reading.ts'

const ROUNDS = isNightly ? 3000 : 15

/** A few characters removed, doubled or replaced by what breaks things. */
function damaged(text: string, random: Random): string {
  let out = text
  for (let count = 1 + random.int(5); count > 0; count--) {
    const [from, length] = [random.int(out.length + 1), random.int(20)]
    const put = ['', out.slice(from, from + length), '\0', '"', '{', ']', '---\n', ':', '\ud800', '\r\n']
    out = out.slice(0, from) + random.pick(put) + out.slice(from + length)
  }
  return out
}

function read(format: ImportFormat, text: string, path = 'given'): ImportPlan {
  return FORMATS[format].read([{ path, text }], OPTIONS)
}

describe('the readers', () => {
  it.each<[ImportFormat, string]>([
    ['server-memory', 'server-memory.jsonl'],
    ['basic-memory', 'basic-memory'],
    ['claude-code', 'claude-code'],
    ['openclaw', 'openclaw'],
    ['mem0', 'mem0.json'],
    ['mem0', 'openmemory.json'],
  ])('of %s gives what the golden file says for %s', async (format, name) => {
    const plan = await planOf(format, name)
    const file = resolve(import.meta.dirname, `golden/${name.replace(/\.jsonl?$/, '')}.txt`)
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot(file)
  })

  it.each<ImportFormat>(['server-memory', 'mem0'])(
    'of %s takes a file with nothing in it for an empty memory',
    (format) => {
      expect(read(format, '\n')).toEqual({ candidates: [], problems: [] })
    },
  )

  it('takes what read_graph answers as well as lines', () => {
    const graph = {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['a'] }],
      relations: [{ from: 'Ada' }],
    }
    const { candidates, problems } = read('server-memory', JSON.stringify(graph, null, 2))
    expect(candidates).toMatchObject([{ name: 'Ada', content: '- a', description: 'person' }])
    expect(problems).toEqual([
      { source: 'given, relations[0]', problem: 'is a relation that does not say from where to where' },
    ])
  })

  it('takes memories of mem0 as a list, and a line each', () => {
    const one = { id: 'x', memory: 'Likes tea' }
    const asList = read('mem0', JSON.stringify([one]))
    const asLines = read(
      'mem0',
      `\ufeff${JSON.stringify(one)}\n{"id":"y","content":"Likes rain","app":"chat"}\nno JSON\n`,
    )
    expect(asList.candidates).toMatchObject([{ key: 'x', content: 'Likes tea' }])
    expect(asLines.candidates).toMatchObject([{ key: 'x' }, { key: 'y', metadata: { app: 'chat' } }])
    expect(asLines.problems).toEqual([{ source: 'given, line 3', problem: 'is not JSON' }])
    expect(read('mem0', '{"error":"unauthorized"}').problems).toEqual([
      { source: 'given', problem: 'has neither "results" nor "memories"' },
    ])
  })

  it('takes one memory of mem0, written over several lines', () => {
    const one = { id: 'x', memory: 'Likes tea', categories: 'single', structured_attributes: { hour: 9 } }
    const { candidates, problems } = read('mem0', JSON.stringify(one, null, 2))
    expect(candidates).toMatchObject([
      { key: 'x', metadata: { categories: ['single'], structured_attributes: { hour: 9 } } },
    ])
    expect(problems).toEqual([])
  })

  it('loses nothing of an entity: a text for a list, a second type, further keys', () => {
    const lines = [
      {
        type: 'entity',
        name: 'Ada',
        entityType: 'person',
        observations: 'likes tea',
        version: 1,
        createdAt: '2026-01-05',
      },
      { type: 'entity', name: 'Ada', entityType: 'pilot', observations: { a: 1 }, version: 2, imported_from: 'x' },
      {
        type: 'entity',
        name: 'Bo',
        entityType: 7,
        observations: ['a'],
        deep: JSON.parse('['.repeat(99) + ']'.repeat(99)),
      },
    ]
    const { candidates, problems } = read('server-memory', lines.map((line) => JSON.stringify(line)).join('\n'))
    expect(candidates).toMatchObject([
      {
        content: '- likes tea',
        description: 'person, pilot',
        metadata: {
          imported_from: 'server-memory',
          entity_type: ['person', 'pilot'],
          version: [1, 2],
          createdAt: '2026-01-05',
          original_imported_from: 'x',
        },
      },
      { content: '- a', metadata: { imported_from: 'server-memory' } },
    ])
    expect(problems).toMatchObject([
      { source: 'given, line 2', problem: 'has an observation that is no text; the others were taken', taken: true },
      { source: 'given, line 3', problem: expect.stringContaining('is nested too deeply; that key was left out') },
      { source: 'given, line 3', problem: 'has an entityType that is no text; the rest was taken', taken: true },
    ])
  })

  it.each<ImportFormat>(['basic-memory', 'claude-code', 'openclaw'])(
    'of %s says itself where an entry comes from, and keeps what the file says of that',
    (format) => {
      const { candidates } = read(format, '---\nimported_from: notion\n---\nText.', 'note.md')
      expect(candidates[0]?.metadata).toEqual({ imported_from: format, original_imported_from: 'notion' })
    },
  )

  it.each([
    ['machine learning, brewing', ['machine learning', 'brewing']],
    ['"#tea #rain"', ['tea', 'rain']],
    ['2026', ['2026']],
  ])('takes the tags %s', (tags, expected) => {
    const { candidates } = read('basic-memory', `---\ntags: ${tags}\n---\nText.`, 'note.md')
    expect(candidates[0]?.metadata?.['tags']).toEqual(expected)
  })

  it.each([
    ['# 2026-02-03', undefined],
    ['# 2026-02-03 (Tuesday)', undefined],
    ['# Daily log: Tue, Feb 3rd, 2026', undefined],
    [
      '# 2026-02-03 (Tuesday): launch day, Ada joined the team',
      '# 2026-02-03 (Tuesday): launch day, Ada joined the team',
    ],
    ['# Notes', '# Notes'],
    ['# 2026-02-03: 4 servers', '# 2026-02-03: 4 servers'],
  ])('keeps of the title %j of a day what is more than the day', (title, kept) => {
    const [first] = dailySections(`${title}\n\n## 09:00 Standup\n`, '2026-02-03')
    expect(first?.content).toBe(kept ?? '## Standup')
  })

  it('takes the time of a section to the second, and in UTC where it says so', () => {
    const text = '## 14:30 UTC Standup\n\n## [15:00:20] Call\n\n## 3:45:10 pm - Tea\n\n## 16:00Z\n\nEnd.'
    const { candidates } = read('openclaw', text, 'memory/2026-02-03.md')
    expect(candidates.map(({ createdAt, content }) => [createdAt, content])).toEqual([
      ['2026-02-03T14:00:20.000Z', '## Call'],
      ['2026-02-03T14:30:00.000Z', '## Standup'],
      ['2026-02-03T14:45:10.000Z', '## Tea'],
      ['2026-02-03T16:00:00.000Z', 'End.'],
    ])
  })

  it('keeps the ids of a day apart, also after the day has grown', () => {
    const before = '## 09:00 Standup\n\na\n\n## Notes\n\nb'
    const after = `${before}\n\n## Notes\n\nc`
    const keys = (text: string): string[] => dailySections(text, '2026-01-15').map(({ key }) => key)
    expect(keys(after).slice(0, 2)).toEqual(keys(before))
    expect(new Set(keys(after)).size).toBe(3)
  })
})

describe('what nobody should have written', () => {
  const formats = Object.keys(FORMATS) as ImportFormat[]

  it('is read, or told, whatever became of its characters', async () => {
    const random = seededRandom(9)
    const texts = readdirSync(fixture('.'), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(fixture(path)).isFile())
      .map((path) => ({ path, text: readFileSync(fixture(path), 'utf8') }))
    for (let round = 0; round < ROUNDS; round++) {
      const files = texts.map(({ path, text }) => ({ path, text: damaged(text, random) }))
      for (const format of formats) {
        const { candidates } = FORMATS[format].read(files, OPTIONS)
        checkCandidates(candidates, { format, place: '', agent: 'main', now: '2026-08-01T00:00:00.000Z' })
      }
    }
  })

  it.each([
    ['blanks in a heading', `## ${'\t '.repeat(200_000)}x`],
    ['blanks between the words of a heading', `## a${'\t '.repeat(250_000)}x`],
    ['blank lines', `${'\n'.repeat(200_000)}x`],
    ['a heading of signs', `## ${'#'.repeat(200_000)}x`],
    ['a time that never ends', `## 10:00${' '.repeat(200_000)}UT`],
    ['fences', '```\n'.repeat(80_000)],
    ['headings', '## a\n'.repeat(60_000)],
    ['front matter that is deep', `---\na: ${'['.repeat(50_000)}\n---\nx`],
    ['JSON that is deep', `{"a":${'['.repeat(200_000)}`],
    ['names that are one', '{"type":"entity","name":"a","observations":["b"]}\n'.repeat(10_000)],
    // Work far from linear would run into the test's timeout.
  ])('is read in one pass: %s', (_, text) => {
    for (const path of ['2026-01-15.md', 'note.md']) {
      for (const format of formats) FORMATS[format].read([{ path, text }], OPTIONS)
    }
  })
})

describe('times', () => {
  it.each([
    ['2026-01-05T09:30:00+01:00', '2026-01-05T08:30:00.000Z'],
    ['2026-01-05 09:30', '2026-01-05T08:30:00.000Z'],
    ['2026-01-05 09:30:12', '2026-01-05T08:30:12.000Z'],
    ['2026-01-05T09:30:12.345678', '2026-01-05T08:30:12.345Z'],
    ['2026-07-05', '2026-07-04T22:00:00.000Z'],
    [1_767_600_000, '2026-01-05T08:00:00.000Z'],
    [1_767_600_000_000, '2026-01-05T08:00:00.000Z'],
    ['2026-02-30', undefined],
    ['yesterday', undefined],
    [Number.MAX_VALUE, undefined],
    [{}, undefined],
  ])('%j is %j in Berlin', (value, expected) => {
    expect(foreignTime(value, 'Europe/Berlin')).toBe(expected)
  })
})

describe('a candidate', () => {
  const source = { format: 'server-memory', place: '/a', agent: 'main', now: '2026-08-01T00:00:00.000Z' } as const

  it.each([
    ['a\0b', 'holds a NUL character'],
    ['\ud800', 'holds broken Unicode'],
    [' \n', 'is empty'],
  ])('with the text %j is told and left out', (content, problem) => {
    const { checked, problems } = checkCandidates([{ kind: 'note', key: 'k', name: 'n', content, source: 's' }], source)
    expect([checked, problems]).toEqual([[], [{ source: 's', problem: `content: ${problem}` }]])
  })

  it.each(['x'.repeat(201), 'a\u0007b', ' '])('with the name %j loses only that', (name) => {
    const { checked, problems } = checkCandidates(
      [{ kind: 'note', key: 'k', name, content: 'Heron restarts at four.', aliases: [name, 'fine'], source: 's' }],
      source,
    )
    expect(checked).toMatchObject([{ name: 'Heron restarts at four', aliases: ['fine'] }])
    expect(problems).toMatchObject([{ taken: true }, { taken: true }])
  })

  it('of another place is another one, and one that says otherwise than itself is told', () => {
    const one = { kind: 'note', key: 'k', name: 'n', content: 'a', source: 's' } as const
    const ids = ['/a', '/b'].map((place) => checkCandidates([one], { ...source, place }).checked[0]?.id)
    expect(new Set(ids).size).toBe(2)
    const twice = checkCandidates([one, { ...one, source: 't' }, { ...one, content: 'b', source: 'u' }], source)
    expect(twice.checked).toHaveLength(1)
    expect(twice.problems).toEqual([{ source: 'u', problem: 'says otherwise than s, which is the same one' }])
  })
})
