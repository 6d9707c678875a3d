/** The engine at its bounds: many writes, long fields, odd counts, two searches at once, documents that do not fit. */
import { describe, expect, test } from 'vitest'
import type { Scoring } from '../../src/search/bm25.ts'
import type { Document, Schema } from '../../src/search/document.ts'
import { lengths } from '../../src/search/lengths.ts'
import type { Query } from '../../src/search/query.ts'
import { search } from '../../src/search/search.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import type { Segment } from '../../src/search/segment.ts'
import { DEFAULT_BOUNDS } from '../../src/search/segment-set.ts'
import { plainAnalyzer } from './plain-analyzer.ts'

const SCHEMA: Schema = { fields: ['name', 'content'], columns: ['time'] }
const EVEN: Scoring = { k1: 1.2, fields: [1, 1].map((weight) => ({ weight, b: 0.75 })) }

function wordQuery(term: string): Query {
  return { words: [{ type: 'word', text: term, term, weight: 1 }], phrases: [], prefixes: [], not: [], ignored: [] }
}

describe('the search engine at its bounds', () => {
  test('keeps to a few segments and finds everything, over many writes', () => {
    const index = new SearchIndex(plainAnalyzer, SCHEMA, { ...DEFAULT_BOUNDS, sealDocuments: 8, sealTokens: 100 })
    let most = 0
    for (let i = 0; i < 1600; i++) {
      const texts = [`name ${i % 97}`, `all ${i % 10} of ${i % 1000} these ${i}`]
      index.put({ id: String(i % 1000), texts, columns: [i], stored: String(i) })
      if (i % 5 === 0) index.remove(String((i * 7) % 1000))
      most = Math.max(most, index.segments().length)
    }
    // Four of each tier, and as many again that wait for a merge; a tier is four times as large as the one below.
    expect(most).toBeLessThan(8 * Math.ceil(Math.log(1000 / 8) / Math.log(4)))
    for (const id of index.ids()) {
      const term = index.stored(id) ?? ''
      const matches = search({ indexes: [index], query: wordQuery(term), scoring: EVEN })
      if (![...matches.docs].some((doc) => matches.id(doc) === id)) expect.fail(`${id} is not found by ${term}`)
    }
  })

  test('removes from the result of a merge what is removed while it is under way', () => {
    const slow = { ...DEFAULT_BOUNDS, sealDocuments: 2, fanIn: 2, unitsPerToken: 0, unitsPerWrite: 1 }
    const index = new SearchIndex(plainAnalyzer, SCHEMA, slow)
    const put = (id: string): void => index.put({ id, texts: ['', `word ${id}`], columns: [0], stored: id })
    for (const id of ['0', '1', '2', '3']) put(id)
    const merging = index.segments()
    for (const id of ['0', '3']) index.remove(id)
    expect(index.segments()).toEqual(merging)
    // Each goes a step further, until the merged one stands in the place of the two.
    for (let i = 0; i < 100 && index.segments().includes(merging[0] as Segment); i++) put('again')
    expect(index.segments()).not.toContain(merging[0])
    expect([...index.ids()].sort()).toEqual(['1', '2', 'again'])
    const matches = search({ indexes: [index], query: wordQuery('word'), scoring: EVEN })
    expect([...matches.docs].map((doc) => matches.id(doc)).sort()).toEqual(['1', '2', 'again'])
    expect(matches.documentsWith(0)).toBe(3)
  })

  test('counts a field of more than 65,535 words, live and frozen', () => {
    const index = new SearchIndex(plainAnalyzer, SCHEMA)
    index.put({ id: 'short', texts: ['', 'word'], columns: [0], stored: '' })
    index.put({ id: 'long', texts: ['', 'word '.repeat(70_000)], columns: [0], stored: '' })
    const reopened = SearchIndex.open(index.save(''), plainAnalyzer, SCHEMA)
    if ('problem' in reopened) throw new Error(reopened.problem)
    for (const one of [index, reopened.index]) {
      const matches = search({ indexes: [one], query: wordQuery('word'), scoring: EVEN })
      expect(matches.length(matches.find('long'), 1)).toBe(70_000)
      expect(matches.explain(matches.find('long'))[0]?.counts).toEqual([0, 70_000])
      expect(lengths([one], 1)).toEqual({ mean: 35_000.5, deviation: 34_999.5 })
    }
  })

  test('has room for more than 65,536 ways to stand in the fields', () => {
    const schema: Schema = { fields: Array.from({ length: 9 }, (_, field) => `f${field}`), columns: [] }
    const scoring = { k1: 1.2, fields: schema.fields.map(() => ({ weight: 1, b: 0.75 })) }
    // Each term has another vector of counts: its number in base four.
    const digit = (number: number, field: number): number => Math.floor(number / 4 ** field) % 4
    const texts = schema.fields.map((_, field) => {
      const words: string[] = []
      for (let n = 1; n <= 66_000; n++) for (let i = 0; i < digit(n, field); i++) words.push(`w${n}`)
      return words.join(' ')
    })
    const index = new SearchIndex(plainAnalyzer, schema)
    index.put({ id: 'all', texts, columns: [], stored: '' })
    const reopened = SearchIndex.open(index.save(''), plainAnalyzer, schema)
    if ('problem' in reopened) throw new Error(reopened.problem)
    for (const number of [1, 12_345, 65_535, 65_536, 66_000]) {
      const [live, frozen] = [index, reopened.index].map((one) => {
        const matches = search({ indexes: [one], query: wordQuery(`w${number}`), scoring })
        const [part] = matches.explain(matches.find('all'))
        expect(part?.counts).toEqual(schema.fields.map((_, field) => digit(number, field)))
        expect(part?.score).toBe(matches.score(matches.find('all')))
        return matches.score(matches.find('all'))
      })
      expect(frozen).toBe(live)
    }
  })

  test('keeps the scores of a search after the next one', () => {
    const index = new SearchIndex(plainAnalyzer, SCHEMA)
    index.putAll(
      ['a', 'b', 'a b'].map((content, n) => ({ id: String(n), texts: ['', content], columns: [0], stored: '' })),
    )
    const first = search({ indexes: [index], query: wordQuery('a'), scoring: EVEN })
    const scores = ['0', '1', '2'].map((id) => first.score(first.find(id)))
    const second = search({ indexes: [index], query: wordQuery('b'), scoring: EVEN })
    expect(['0', '1', '2'].map((id) => first.score(first.find(id)))).toEqual(scores)
    expect(first.top(3).map((doc) => first.id(doc))).toEqual(['0', '2'])
    expect(second.top(3).map((doc) => second.id(doc))).toEqual(['1', '2'])
    expect(scores.filter((score) => score > 0)).toHaveLength(2)
  })

  test('refuses a document that does not fit the schema, and keeps the one that is there', () => {
    const index = new SearchIndex(plainAnalyzer, SCHEMA)
    index.put({ id: 'x', texts: ['', 'a'], columns: [0], stored: 'old' })
    const wrong: readonly Partial<Document>[] = [
      { texts: ['a'] },
      { columns: [] },
      { position: Number.NaN },
      { stored: '\ud800' },
      { id: '\udc00' },
    ]
    for (const change of wrong) {
      const document = { id: 'x', texts: ['', 'b'], columns: [0], stored: 'new', ...change }
      expect(() => index.put(document)).toThrow(/texts|columns|position|stored|id/)
    }
    expect([...index.ids()].map((id) => index.stored(id))).toEqual(['old'])
    expect(() => search({ indexes: [index], query: wordQuery('a'), scoring: { k1: 1, fields: [] } })).toThrow(/scoring/)
  })
})
