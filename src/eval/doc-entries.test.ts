import { describe, expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { englishAnalyzer } from '../search/analyzer.ts'
import { memoryStore } from '../stores/memory.ts'
import type { EvalDoc } from './dataset.ts'
import { docEntries } from './doc-entries.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')

/** What a memory makes of them, in the order of the docs. */
async function remembered(docs: readonly EvalDoc[]): Promise<Entry[]> {
  const memory = await openMemory({ store: memoryStore({ clock: () => NOW }), clock: () => NOW })
  await memory.apply(docEntries(docs, 'main', NOW - 1000).operations)
  return memory.list()
}

function wordsOf({ name, content }: Entry): string[] {
  return `${name ?? ''} ${content}`.match(/[\p{L}\p{N}]+/gu) ?? []
}

describe('docs of a session', () => {
  const docs: EvalDoc[] = [
    { id: 'a', text: 'Ann: hello', session: 's1', time: '1:56 pm on 8 May, 2023' },
    { id: 'b', text: 'Bob: hello', session: 's1', time: '1:56 pm on 8 May, 2023' },
    { id: 'c', text: 'Ann: bye', session: 's1' },
    { id: 'd', text: 'Ann: later', session: 's2' },
    { id: 'e', text: 'Ann: much later', session: 's3', time: 'June-01-2023' },
  ]

  it('become log entries of that session that never expire', async () => {
    const entries = await remembered(docs)
    expect(entries.map(({ kind, origin, content }) => [kind, origin.session, content])).toEqual(
      docs.map(({ session, text }) => ['conversation', session, text]),
    )
    expect(entries.every(({ expiresAt, name }) => expiresAt === null && name === null)).toBe(true)
  })

  it('keep their order in time, and go on from the doc before where they tell none', async () => {
    expect((await remembered(docs)).map(({ createdAt }) => createdAt)).toEqual([
      '2023-05-08T13:56:00.000Z',
      '2023-05-08T13:56:00.001Z',
      '2023-05-08T13:56:00.002Z',
      '2023-05-08T13:56:00.002Z',
      '2023-06-01T00:00:00.000Z',
    ])
  })

  it('tell when the last one was said', () => {
    expect(docEntries(docs, 'main', NOW).lastMs).toBe(Date.parse('2023-06-01T00:00:00Z'))
    expect(docEntries([{ id: 'a', text: 'x' }], 'main', NOW).lastMs).toBe(NOW)
  })
})

describe('docs of no session', () => {
  it('become notes, with the title as the name and not in the content too', async () => {
    const [entry] = await remembered([{ id: 'a', title: 'The heron', text: 'The heron stands in the water.' }])
    expect(entry).toMatchObject({ kind: 'note', name: 'The heron', content: 'stands in the water.' })
  })

  it.each<[string, EvalDoc[]]>([
    [
      'without a title',
      [
        { id: 'a', text: 'Herons stand.' },
        { id: 'b', text: 'Herons stand.' },
      ],
    ],
    [
      'with one title twice',
      [
        { id: 'a', title: 'Bird', text: 'Bird one' },
        { id: 'b', title: 'Bird', text: 'Bird two' },
      ],
    ],
    ['with nothing but a title', [{ id: 'a', title: 'Bird', text: 'Bird' }]],
    ['with a reserved title', [{ id: 'a', title: 'MEMORY', text: 'MEMORY and more' }]],
    ['with a title that is long', [{ id: 'a', title: 'word '.repeat(60).trim(), text: `${'word '.repeat(60)}end` }]],
    ['with a title that has no blank', [{ id: 'a', title: 'w'.repeat(300), text: `${'w'.repeat(300)} end` }]],
    ['with a title that has odd blanks', [{ id: 'a', title: ' two\n words ', text: ' two\n words  and more' }]],
    ['with a title that the text lacks', [{ id: 'a', title: '', text: 'only text' }]],
    ['with many of no title', Array.from({ length: 2500 }, (_, n) => ({ id: `${n}`, text: `${n}` }))],
  ])('%s have each word once', async (_, docs) => {
    const entries = await remembered(docs)
    expect(entries.map(wordsOf)).toEqual(docs.map(({ text }) => text.match(/[\p{L}\p{N}]+/gu)))
    expect(entries.every(({ kind }) => kind === 'note')).toBe(true)
  })

  it('have names that give the search no words where they have no title', async () => {
    const entries = await remembered(Array.from({ length: 300 }, (_, n) => ({ id: `${n}`, text: 'text' })))
    const terms: string[] = []
    for (const { name } of entries) englishAnalyzer().tokens(name ?? '', (term) => terms.push(term))
    expect(terms).toEqual([])
    expect(new Set(entries.map(({ name }) => name)).size).toBe(300)
  })

  it('leave out what is blank, and mend what no memory takes', async () => {
    const docs = [
      { id: 'a', text: ' \n' },
      { id: 'b', text: 'one\0two \ud800' },
    ]
    const { docs: ids } = docEntries(docs, 'main', NOW)
    expect([...ids.values()]).toEqual(['b'])
    expect((await remembered(docs)).map(({ content }) => content)).toEqual(['one two \ufffd'])
  })

  it('lead back from the entry to the doc', async () => {
    const docs = [
      { id: 'x', text: 'one' },
      { id: 'y', text: 'two' },
    ]
    const { docs: ids } = docEntries(docs, 'main', NOW)
    expect((await remembered(docs)).map(({ id }) => ids.get(id))).toEqual(['x', 'y'])
  })
})
