import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainAnalyzer } from '../../test/search/plain-analyzer.ts'
import { isNightly } from '../../test/tier.ts'
import type { Document } from './document.ts'
import { lengths } from './lengths.ts'
import { nearestTerms } from './nearest-terms.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'
import { DEFAULT_BOUNDS } from './segment-set.ts'

const SCHEMA = { fields: ['name', 'content'], columns: ['time'] }
const QUERY = {
  words: ['red', 'fox'].map((term) => ({ type: 'word' as const, text: term, term, weight: 1 })),
  phrases: [],
  prefixes: [{ type: 'prefix' as const, text: 'ha*', prefix: 'ha', term: 'ha' }],
  not: [],
  ignored: [],
}
const SCORING = { k1: 1.2, fields: [2, 1].map((weight) => ({ weight, b: 0.75 })) }

function document(id: string, name: string, content: string, group = ''): Document {
  return { id, texts: [name, content], group, position: 1, columns: [7], stored: `{"of":"${id}"}` }
}

/** Two frozen segments, one with a removal, and live documents. */
function smallIndex(): SearchIndex {
  const index = new SearchIndex(plainAnalyzer, SCHEMA, { ...DEFAULT_BOUNDS, sealDocuments: 3 })
  index.putAll(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => document(id, `fox ${id}`, 'the red fox has a hat', 'g')))
  index.put(document('g', '', 'a red hare'))
  index.remove('b')
  return index
}

function answers(index: SearchIndex): string {
  const matches = search({ indexes: [index], query: QUERY, scoring: SCORING })
  const hits = matches.top(10).map((doc) => [matches.id(doc), matches.score(doc), matches.stored(doc)])
  return JSON.stringify([hits, [...index.ids()].sort(), matches.total, lengths([index], 1)])
}

/** Whatever can be asked; what it answers is of no interest here. */
function askEverything(index: SearchIndex): void {
  answers(index)
  const phrase = { type: 'phrase' as const, text: 'red fox', terms: ['red', 'fox'] }
  for (const query of [QUERY, { ...QUERY, phrases: [phrase] }, { ...QUERY, not: QUERY.prefixes }]) {
    const matches = search({ indexes: [index], query, scoring: SCORING })
    const rows = new Uint32Array(matches.handles).fill(1)
    matches.weights(rows, 1)
    const docs = [...matches.docs]
    matches.forEachLive((doc) => docs.push(doc))
    for (const doc of docs) {
      matches.explain(doc)
      matches.places(doc)
      matches.members(matches.group(doc))
      matches.find(matches.id(doc))
      for (const field of [0, 1]) matches.length(doc, field)
    }
  }
  nearestTerms([index], 'reed', 3)
  for (const id of ['a', '', 'zz']) index.stored(id)
}

function open(bytes: Uint8Array): SearchIndex {
  const opened = SearchIndex.open(bytes, plainAnalyzer, SCHEMA)
  if ('problem' in opened) throw new Error(opened.problem)
  return opened.index
}

function problem(bytes: Uint8Array, analyzer = plainAnalyzer, schema = SCHEMA): string | undefined {
  const opened = SearchIndex.open(bytes, analyzer, schema)
  return 'problem' in opened ? opened.problem : undefined
}

describe('a snapshot', () => {
  test('answers as the index that it was made of, and can be written to', () => {
    const index = smallIndex()
    const copy = open(index.save('cursor 7'))
    expect(answers(copy)).toBe(answers(index))
    for (const one of [index, copy]) {
      one.put(document('a', 'hare', 'red red'))
      one.remove('c')
    }
    expect(answers(copy)).toBe(answers(index))
    expect(answers(open(copy.save('')))).toBe(answers(index))
  })

  test('is the same from bytes at any offset', () => {
    const bytes = smallIndex().save('n')
    for (let offset = 0; offset < 9; offset++) {
      const buffer = new Uint8Array(bytes.length + 16)
      buffer.set(bytes, offset)
      expect(answers(open(buffer.subarray(offset, offset + bytes.length)))).toBe(answers(smallIndex()))
    }
  })

  test('does not write to the bytes that it was opened from', () => {
    const bytes = smallIndex().save('n')
    const before = bytes.slice()
    const index = open(bytes)
    for (const id of ['a', 'c', 'd']) index.remove(id)
    expect(bytes).toEqual(before)
  })

  test('cut at any length, or longer than it was, is refused', () => {
    const bytes = smallIndex().save('n')
    for (let length = 0; length < bytes.length; length++) {
      expect(problem(bytes.slice(0, length)), `${length} bytes`).toMatch(/cut off|not a search index/)
    }
    for (const more of [1, 8, 100]) {
      const longer = new Uint8Array(bytes.length + more)
      longer.set(bytes)
      expect(problem(longer)).toBe('it is damaged')
    }
  })

  test.each([
    ['another analyzer', { ...plainAnalyzer, version: '2-plain' }, SCHEMA, /analyzer 1-plain, not 2-plain/],
    ['another field', plainAnalyzer, { fields: ['name', 'text'], columns: ['time'] }, /other fields or columns/],
    ['another column', plainAnalyzer, { fields: ['name', 'content'], columns: [] }, /other fields or columns/],
  ])('of %s is refused', (_, analyzer, schema, expected) => {
    expect(problem(smallIndex().save('n'), analyzer, schema)).toMatch(expected)
  })

  test('made by another version of the format is refused', () => {
    const bytes = smallIndex().save('n')
    new Uint32Array(bytes.buffer)[2] = 99
    expect(problem(bytes)).toBe('it has version 99, not 3')
  })

  test('that somebody changed neither throws nor runs away', () => {
    const bytes = smallIndex().save('n')
    const change = fc.tuple(fc.integer({ min: 24, max: bytes.length - 1 }), fc.integer({ min: 0, max: 255 }))
    const whole = smallIndex()
    const expected = answers(whole)
    let opened = 0
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const forged = bytes.slice()
        for (const [at, value] of changes) forged[at] = value
        const result = SearchIndex.open(forged, plainAnalyzer, SCHEMA, { ...DEFAULT_BOUNDS, sealDocuments: 1 })
        if ('problem' in result) return
        opened++
        askEverything(result.index)
        for (let i = 0; i < 8; i++) result.index.put(document(`new ${i}`, 'fox', 'red'))
        for (const id of ['a', 'd', 'f']) result.index.remove(id)
        askEverything(result.index)
        const again = SearchIndex.open(result.index.save(''), plainAnalyzer, SCHEMA)
        if (!('problem' in again)) askEverything(again.index)
        // Nor does it leave anything behind for the next search.
        if (answers(whole) !== expected) throw new Error('another index answers otherwise')
      }),
      { numRuns: isNightly ? 2000 : 150 },
    )
    // What the checks at opening let through is most of it: all else must do with it.
    expect(opened).toBeGreaterThan(25)
  })

  test('of an empty index is an empty index', () => {
    const index = open(new SearchIndex(plainAnalyzer, SCHEMA).save('n'))
    expect(index.size).toBe(0)
    expect(answers(index)).toBe('[[],[],0,{"mean":0,"deviation":0}]')
  })

  test('drops what is removed where it is much, and is smaller for it', () => {
    const index = smallIndex()
    const full = index.save('').length
    for (const id of ['a', 'c', 'd']) index.remove(id)
    expect(index.save('').length).toBeLessThan(full)
    expect(answers(open(index.save('')))).toBe(answers(index))
  })

  test('gives back every text that it took', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 20 })
    fc.assert(
      fc.property(anyText, anyText, anyText, (id, stored, text) => {
        const index = new SearchIndex(plainAnalyzer, SCHEMA)
        const put = (): void => index.put({ id, texts: [text, '\uFEFF'], columns: [0], stored, group: text })
        if (!id.isWellFormed() || !stored.isWellFormed()) {
          expect(put).toThrow(/half a character/)
          expect(index.size).toBe(0)
          return
        }
        put()
        for (const one of [index, open(index.save(text.toWellFormed()))]) {
          expect([...one.ids()]).toEqual([id])
          expect(one.stored(id)).toBe(stored)
        }
      }),
    )
  })
})
