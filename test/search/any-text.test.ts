/** What holds of the tokenizer, of queries and of highlights for every text there is. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, englishAnalyzer, loadAnalyzer } from '../../src/search/analyzer.ts'
import { fold } from '../../src/search/fold.ts'
import { highlights } from '../../src/search/highlight.ts'
import { IRREGULAR_VERBS } from '../../src/search/irregular-verbs.ts'
import { LANGUAGES } from '../../src/search/languages.ts'
import { parseQuery } from '../../src/search/query.ts'
import { isNightly } from '../tier.ts'
import { ODD_TEXT } from './odd-text.ts'

const RUNS = isNightly ? 3000 : 210

const english = englishAnalyzer()

interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
}

function tokensOf(text: string, analyzer: Analyzer = english): Token[] {
  const tokens: Token[] = []
  analyzer.tokens(text, (term, start, end) => tokens.push({ term, start, end }))
  return tokens
}

describe('tokens of any text', () => {
  it('are terms of 1 to 64 units at places inside the text, in order, that fold to what they begin with', () => {
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        let before = 0
        for (const { term, start, end } of tokensOf(text)) {
          expect(term.length).toBeGreaterThan(0)
          expect(term.length).toBeLessThanOrEqual(64)
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          const surface = fold(text.slice(start, end))
          // "ate" is a form of "eat".
          expect((IRREGULAR_VERBS.get(surface) ?? surface)[0]).toBe(term[0])
          before = start
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('are those of each half, where a space parts it', () => {
    fc.assert(
      fc.property(ODD_TEXT, ODD_TEXT, (one, other) => {
        const shift = one.length + 1
        const moved = tokensOf(other).map(({ term, start, end }) => ({ term, start: start + shift, end: end + shift }))
        expect(tokensOf(`${one} ${other}`)).toEqual([...tokensOf(one), ...moved])
      }),
      { numRuns: RUNS },
    )
  })

  it('are the same in every normal form', () => {
    const words = fc.array(fc.constantFrom('Été', 'naïve', 'Straße', 'Łódź', 'が', '한국', 'Ёлка', 'ﬁn'), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(words, (parts) => {
        const terms = (text: string) => tokensOf(text).map(({ term }) => term)
        const text = parts.join(' ')
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(terms(text.normalize(form))).toEqual(terms(text))
      }),
    )
  })

  it.each(LANGUAGES)('are there in %s', async (language) => {
    const analyzer = await loadAnalyzer(language)
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        for (const { term } of tokensOf(text, analyzer)) expect(term.length).toBeLessThanOrEqual(64)
      }),
      { numRuns: RUNS / 3 },
    )
  })
})

describe('a query of any text', () => {
  it('asks for terms of the text, each once, with a weight above 0', () => {
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        const query = parseQuery(text, english)
        const terms = query.words.map(({ term }) => term)
        expect(new Set(terms).size).toBe(terms.length)
        for (const { weight } of query.words) expect(weight).toBeGreaterThan(0)
        for (const { prefix } of query.prefixes) expect(prefix).not.toBe('')
        for (const { terms } of query.phrases) expect(terms).not.toHaveLength(0)
        const known = new Set(tokensOf(text).map(({ term }) => term))
        for (const term of terms) expect(known).toContain(term)
      }),
      { numRuns: RUNS },
    )
  })

  it('asks for something whenever the text has a token', () => {
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        const query = parseQuery(text, english)
        expect(query.words.length + query.prefixes.length > 0).toBe(tokensOf(text).length > 0)
      }),
      { numRuns: RUNS },
    )
  })

  it('is the same when it is asked again', () => {
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        expect(parseQuery(text, english)).toEqual(parseQuery(text, english))
      }),
    )
  })
})

describe('highlights in any text', () => {
  it('lie inside it, in order, apart from each other, and begin with what was asked for', () => {
    fc.assert(
      fc.property(ODD_TEXT, ODD_TEXT, (text, asked) => {
        const query = parseQuery(`${asked} ${text.slice(0, 20)}`, english)
        let before = -1
        for (const [start, end] of highlights(text, query, english)) {
          expect(start).toBeGreaterThan(before)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          before = end
        }
      }),
      { numRuns: RUNS },
    )
  })
})
