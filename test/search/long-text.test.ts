/**
 * Time in proportion to the length, whatever the text: a document or a query from outside can't stop the program. CPU
 * time, so that a busy machine does not fail it. The bounds are far above what it takes and far below anything quadratic.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { englishAnalyzer } from '../../src/search/analyzer.ts'
import { highlights } from '../../src/search/highlight.ts'
import { parseQuery } from '../../src/search/query.ts'
import { ODD_TEXT } from './odd-text.ts'

const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const RUNS = full ? 100_000 : 700
const LENGTH = full ? 1_000_000 : 250_000

const english = englishAnalyzer()

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function count(text: string): number {
  let tokens = 0
  english.tokens(text, () => {
    tokens++
  })
  return tokens
}

describe(`${LENGTH} characters`, () => {
  it.each([
    ['one letter', 'a'],
    ['capitals and small letters', 'aB'],
    ['letters and digits', 'ab1'],
    ['letters with hyphens', 'a-'],
    ['letters with dots', 'a.'],
    ['all joiners', 'a.b-c/d_e@f:g&'],
    ['apostrophes', "a'"],
    ['contractions', "a's"],
    ['plus signs', 'a++'],
    ['quotes', '"'],
    ['quoted letters', '"a" '],
    ['hyphens', '-'],
    ['stars', 'a* '],
    ['exclusions', '-a '],
    ['combining marks', '\u0301'],
    ['letters with marks', 'a\u0301'],
    ['Chinese', '東京'],
    ['Thai', 'น้ำ'],
    ['jamo', '\u1112\u1161'],
    ['emoji', '🚀'],
    ['half characters', '\ud800'],
    ['a ligature that folds to eighteen letters', 'ﷺ'],
    ['words', 'deploy the services '],
  ])('of %s: a document, a query, and both', (_, unit) => {
    const text = unit.repeat(LENGTH / unit.length)
    expect(cpuMs(() => count(text))).toBeLessThan(4e-3 * LENGTH)
    const query = parseQuery(text, english)
    expect(cpuMs(() => parseQuery(text, english))).toBeLessThan(1e-3 * LENGTH)
    expect(cpuMs(() => highlights(text, query, english))).toBeLessThan(8e-3 * LENGTH)
  })

  it('of one letter with marks is one short term', () => {
    const terms: string[] = []
    english.tokens(`a${'\u0301'.repeat(LENGTH)}`, (term) => terms.push(term))
    expect(terms).toEqual(['a'])
  })
})

it(`takes ${RUNS} odd documents and queries without a crash, and none longer than its length allows`, () => {
  // The first ones pay for the compiler.
  for (const text of fc.sample(ODD_TEXT, 300)) highlights(text, parseQuery(text, english), english)
  fc.assert(
    fc.property(ODD_TEXT, ODD_TEXT, (text, asked) => {
      const took = cpuMs(() => {
        count(text)
        highlights(text, parseQuery(asked, english), english)
      })
      expect(took).toBeLessThan(100 + 0.1 * (text.length + asked.length))
    }),
    { numRuns: RUNS },
  )
}, 600_000)
