/**
 * A document or a query from outside can't stop the program, however long it is and whatever it is made of. Work that grew with the
 * square of the length would run into the timeout.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { englishAnalyzer } from '../../src/search/analyzer.ts'
import { highlights } from '../../src/search/highlight.ts'
import { parseQuery } from '../../src/search/query.ts'
import { isNightly } from '../tier.ts'
import { ODD_TEXT } from './odd-text.ts'

const RUNS = isNightly ? 100_000 : 300
const LENGTH = isNightly ? 1_000_000 : 250_000

const english = englishAnalyzer()

function count(text: string): number {
  let tokens = 0
  english.tokens(text, () => {
    tokens++
  })
  return tokens
}

/** Each takes another way through the analyzer or the parser of queries. */
const UNITS: readonly (readonly [name: string, unit: string])[] = [
  ['all joiners', 'a.b-c/d_e@f:g&'],
  ['quotes', '"'],
  ['quoted letters', '"a" '],
  ['exclusions', '-a '],
  ['letters with marks', 'a\u0301'],
  ['half characters', '\ud800'],
  ['a ligature that folds to eighteen letters', 'ﷺ'],
  ['words', 'deploy the services '],
]

const MORE_UNITS: typeof UNITS = [
  ['apostrophes', "a'"],
  ['Thai', 'น้ำ'],
  ['plus signs', 'a++'],
  ['one letter', 'a'],
  ['capitals and small letters', 'aB'],
  ['letters and digits', 'ab1'],
  ['letters with hyphens', 'a-'],
  ['letters with dots', 'a.'],
  ['contractions', "a's"],
  ['hyphens', '-'],
  ['stars', 'a* '],
  ['combining marks', '\u0301'],
  ['Chinese', '東京'],
  ['jamo', '\u1112\u1161'],
  ['emoji', '🚀'],
]

describe(`${LENGTH} characters`, () => {
  it.each([...UNITS, ...(isNightly ? MORE_UNITS : [])])('of %s: a document, a query, and both', (_, unit) => {
    const text = unit.repeat(LENGTH / unit.length)
    expect(count(text)).toBeLessThanOrEqual(2 * LENGTH)
    const marked = highlights(text, parseQuery(text, english), english)
    expect(marked.length).toBeLessThanOrEqual(LENGTH)
  })

  it('of one letter with marks is one short term', () => {
    const terms: string[] = []
    english.tokens(`a${'\u0301'.repeat(LENGTH)}`, (term) => terms.push(term))
    expect(terms).toEqual(['a'])
  })
})

it(`takes ${RUNS} odd documents and queries without a crash`, () => {
  fc.assert(
    fc.property(ODD_TEXT, ODD_TEXT, (text, asked) => {
      expect(count(text)).toBeLessThanOrEqual(20 * text.length)
      highlights(text, parseQuery(asked, english), english)
    }),
    { numRuns: RUNS },
  )
}, 600_000)
