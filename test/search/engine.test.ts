/**
 * The engine against a naive search over all documents, on random cases: puts, replaces, removes, half-done merges,
 * saves and reopenings between, over one index and two. The nightly run has ten thousand of them.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Scoring, saturated } from '../../src/search/bm25.ts'
import type { Document, Schema } from '../../src/search/document.ts'
import { lengths } from '../../src/search/lengths.ts'
import type { Query } from '../../src/search/query.ts'
import { search } from '../../src/search/search.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import type { Bounds } from '../../src/search/segment-set.ts'
import type { TermPart } from '../../src/search/term-parts.ts'
import { isNightly } from '../tier.ts'
import { naiveGroup, naiveLengths, naiveSearch } from './naive-search.ts'
import { plainAnalyzer } from './plain-analyzer.ts'

const RUNS = isNightly ? 10_000 : 60
const SCHEMA: Schema = { fields: ['name', 'content'], columns: ['time'] }

// Few and alike, so that words meet, begin alike, and stand side by side; and some that are not plain letters.
const TERMS = ['a', 'ab', 'abc', 'b', 'ba', 'c', 'd', 'é', 'éa', '😀', '😀a', '\ud83d', '\uffff', '\ufffd']
const IDS = ['1', '2', '3', '4', '5', 'x', 'é', '😀', '\uffff', '']

const term = fc.constantFrom(...TERMS)
const text = fc.array(term, { maxLength: 7 }).map((terms) => terms.join(' '))
const document = fc.record({
  id: fc.constantFrom(...IDS),
  texts: fc.tuple(text, text),
  group: fc.constantFrom('', 'g', 'h'),
  position: fc.constantFrom(-1, 0, 0.5, 2),
  columns: fc.tuple(fc.double()),
  stored: fc.string({ unit: 'grapheme', maxLength: 4 }),
})

type Action =
  | { readonly type: 'put' | 'remove' | 'reopen'; readonly index: number; readonly document: Document }
  | { readonly type: 'putAll'; readonly index: number; readonly documents: readonly Document[] }

const index = fc.constantFrom(0, 0, 1)
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('put' as const), index, document }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('remove' as const), index, document }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const), index, document }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('putAll' as const),
      index,
      documents: fc.array(document, { maxLength: 12 }),
    }),
  },
)

// An id stands in one index only.
const ownId = (document: Document, index: number): Document => ({ ...document, id: `${document.id}${index}` })
const action = anyAction.map(
  (one): Action =>
    one.type === 'putAll'
      ? { ...one, documents: one.documents.map((document) => ownId(document, one.index)) }
      : { ...one, document: ownId(one.document, one.index) },
)

// Merges of all sizes, begun early, and left at any step.
const bounds: fc.Arbitrary<Bounds> = fc.record({
  sealDocuments: fc.integer({ min: 1, max: 4 }),
  sealTokens: fc.integer({ min: 1, max: 30 }),
  bulkTokens: fc.integer({ min: 1, max: 60 }),
  bulkSegments: fc.integer({ min: 1, max: 3 }),
  fanIn: fc.integer({ min: 2, max: 4 }),
  unitsPerToken: fc.constantFrom(0, 0, 128),
  unitsPerWrite: fc.constantFrom(0, 1, 1, 1000),
  largestTokens: fc.constantFrom(40, 1_000_000),
})

const word = term.map((one) => ({ type: 'word' as const, text: one, term: one, weight: 1 }))
const phrase = fc
  .array(term, { minLength: 1, maxLength: 3 })
  .map((terms) => ({ type: 'phrase' as const, text: terms.join(' '), terms }))
const prefix = fc
  .tuple(term, term)
  .map(([one, exact]) => ({ type: 'prefix' as const, text: `${one}*`, prefix: one, term: exact }))
const rarely = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: fc.array(one, { maxLength: 2 }) })

const query: fc.Arbitrary<Query> = fc.record({
  words: fc.uniqueArray(
    fc.tuple(word, fc.integer({ min: 1, max: 3 })).map(([one, weight]) => ({ ...one, weight })),
    { maxLength: 4, selector: (one) => one.term },
  ),
  phrases: rarely(phrase),
  prefixes: rarely(prefix),
  not: rarely(fc.oneof(word, phrase, prefix)),
  ignored: fc.constant([]),
})

const share = fc.constantFrom(0, 0.3, 0.75, 1)
const scoring: fc.Arbitrary<Scoring> = fc.record({
  k1: fc.constantFrom(0, 0.9, 1.2, 3),
  fields: fc.tuple(
    fc.record({ weight: fc.constantFrom(0, 1, 2.5), b: share }),
    fc.record({ weight: fc.constantFrom(0, 1, 1), b: share }),
  ),
})

/** An index and, beside it, what it must hold. */
class Pair {
  index: SearchIndex
  readonly documents = new Map<string, Document>()
  readonly #bounds: Bounds

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.index = new SearchIndex(plainAnalyzer, SCHEMA, bounds)
  }

  apply(action: Action): void {
    if (action.type === 'put') this.#put([action.document], () => this.index.put(action.document))
    else if (action.type === 'putAll') this.#put(action.documents, () => this.index.putAll(action.documents))
    else if (action.type === 'reopen') this.#reopen()
    else expect(this.index.remove(action.document.id)).toBe(this.documents.delete(action.document.id))
  }

  #put(documents: readonly Document[], put: () => void): void {
    put()
    for (const document of documents) this.documents.set(document.id, document)
  }

  #reopen(): void {
    const opened = SearchIndex.open(this.index.save('note'), plainAnalyzer, SCHEMA, this.#bounds)
    if ('problem' in opened) throw new Error(opened.problem)
    expect(opened.note).toBe('note')
    this.index = opened.index
  }
}

function near(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected))
}

describe('the search engine', () => {
  test('answers as a naive search over all documents does', () => {
    let matched = 0
    fc.assert(
      fc.property(
        fc.array(action, { minLength: 1, maxLength: 60 }),
        bounds,
        fc.array(fc.tuple(query, scoring), { minLength: 3, maxLength: 3 }),
        (actions, bounds, questions) => {
          const pairs = [new Pair(bounds), new Pair(bounds)]
          const half = Math.floor(actions.length / 2)
          for (const action of actions.slice(0, half)) pairs[action.index]?.apply(action)
          for (const [query, scoring] of questions.slice(0, 1)) matched += compare(pairs, query, scoring)
          for (const action of actions.slice(half)) pairs[action.index]?.apply(action)
          for (const [query, scoring] of questions) matched += compare(pairs.slice(0, 1), query, scoring)
          for (const [query, scoring] of questions) matched += compare(pairs, query, scoring)
        },
      ),
      { numRuns: RUNS },
    )
    // The cases are of use only where something is found.
    expect(matched).toBeGreaterThan(RUNS)
  }, 1_200_000)

  test('gives every document the same score to the bit, however it is cut into segments', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(document, { selector: ({ id }) => id }),
        bounds,
        bounds,
        query,
        scoring,
        (documents, first, second, query, scoring) => {
          const one = new SearchIndex(plainAnalyzer, SCHEMA, first)
          const other = new SearchIndex(plainAnalyzer, SCHEMA, second)
          for (const document of documents) one.put(document)
          other.putAll(documents.toReversed())
          mustEqual(scoresById(one, query, scoring), scoresById(other, query, scoring), 'scores')
        },
      ),
      { numRuns: RUNS },
    )
  }, 1_200_000)
})

function scoresById(index: SearchIndex, query: Query, scoring: Scoring): readonly unknown[] {
  const matches = search({ indexes: [index], query, scoring })
  return matches.top(100).map((doc) => [matches.id(doc), matches.score(doc)])
}

/** `expect` would take most of the time: these are millions of comparisons. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

function mustEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)]
  must(is === shouldBe, `${what}: ${is}, not ${shouldBe}`)
}

/** Throws where the two differ; gives how many documents matched. */
function compare(pairs: readonly Pair[], query: Query, scoring: Scoring): number {
  const documents = pairs.flatMap((pair) => [...pair.documents.values()])
  const naive = naiveSearch(documents, query, scoring)
  const indexes = pairs.map((pair) => pair.index)
  const matches = search({ indexes, query, scoring })
  const handles = new Map<string, number>()
  matches.forEachLive((doc) => handles.set(matches.id(doc), doc))
  mustEqual([...handles.keys()].sort(), documents.map(({ id }) => id).sort(), 'documents')
  mustEqual(matches.total, documents.length, 'total')
  for (const { index, documents } of pairs) {
    mustEqual(index.size, documents.size, 'size')
    mustEqual([...index.ids()].sort(), [...documents.keys()].sort(), 'ids')
    for (const [id, { stored }] of documents) mustEqual(index.stored(id), stored, `stored of ${id}`)
  }

  mustEqual(matches.docs.length, naive.scores.size, 'matches')
  must(near(matches.best, naive.best), `best: ${matches.best}, not ${naive.best}`)
  const nameOf = new Map([...handles].map(([id, doc]) => [doc, id]))
  const rows = Uint32Array.from({ length: matches.handles }, (_, doc) => doc + 1)
  const weights = matches.weights(rows, matches.handles)
  for (const document of documents) {
    const { id } = document
    const doc = handles.get(id) ?? -1
    const score = naive.scores.get(id) ?? 0
    must(near(matches.score(doc), score), `score of ${id}: ${matches.score(doc)}, not ${score}`)
    mustEqual(matches.docs.includes(doc), naive.scores.has(id), `${id} matches`)
    mustEqual(matches.stored(doc), document.stored, `stored of ${id}`)
    must(Object.is(matches.column(doc, 0), document.columns[0]), `column of ${id}`)
    must(Object.is(matches.position(doc), document.position), `position of ${id}`)
    compareParts(matches.explain(doc), naive.parts.get(id) ?? [])
    const explained = matches.explain(doc).reduce((sum, part) => sum + part.score, 0)
    // To the bit, however the documents are spread over segments.
    if (score > 0) must(explained === matches.score(doc), `parts of ${id}: ${explained}, not ${matches.score(doc)}`)
    const weighed = matches.importances.map((importance, column) =>
      saturated(importance, weights[doc * matches.importances.length + column] ?? 0, scoring.k1),
    )
    const summed = weighed.reduce((sum, part) => sum + part, 0)
    must(near(summed, explained), `weights of ${id}: ${summed}, not ${explained}`)
    const members = matches.members(matches.group(doc)).map((other) => nameOf.get(other))
    if (document.group !== '') mustEqual(members, naiveGroup(documents, document.group ?? ''), `group of ${id}`)
    mustEqual(matches.find(id), doc, `find ${id}`)
  }
  for (const field of [0, 1]) {
    const expected = naiveLengths(documents, field)
    const actual = lengths(indexes, field)
    must(near(actual.mean, expected.mean), `mean length ${actual.mean}, not ${expected.mean}`)
    // The two ways round differently, and a root makes much of it near 0.
    must(Math.abs(actual.deviation - expected.deviation) < 1e-6, `deviation ${actual.deviation}`)
  }
  compareTop(
    matches.top(10).map((doc) => ({ id: matches.id(doc), score: matches.score(doc) })),
    [...naive.scores].map(([id, score]) => ({ id, score })),
  )
  return matches.count
}

type Part = Pick<TermPart, 'term' | 'counts' | 'documents' | 'score'>

function compareParts(actual: readonly Part[], expected: readonly Part[]): void {
  const facts = ({ term, counts, documents }: Part): unknown => [term, counts, documents]
  mustEqual(actual.map(facts), expected.map(facts), 'parts')
  for (const [at, { score }] of actual.entries()) must(near(score, expected[at]?.score ?? 0), `part ${score}`)
}

interface Ranked {
  readonly id: string
  readonly score: number
}

/** The oracle rounds differently in the last bits: scores that near are equal to it, and the order among them is by id. */
function compareTop(actual: readonly Ranked[], expected: readonly Ranked[]): void {
  const sorted = [...expected].sort((a, b) => b.score - a.score)
  mustEqual(actual.length, Math.min(10, expected.length), 'top')
  for (const [at, { score, id }] of actual.entries()) {
    must(near(score, sorted[at]?.score ?? 0), `score ${score} at ${at}, not ${sorted[at]?.score}`)
    const next = actual[at + 1]
    must(!next || score > next.score || (score === next.score && id < next.id), `order at ${at}`)
  }
}
