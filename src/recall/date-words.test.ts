import { describe, expect, it } from 'vitest'
import { englishAnalyzer } from '../search/analyzer.ts'
import { parseQuery } from '../search/query.ts'
import { dateWords, isDateWord, withDateWords } from './date-words.ts'

const english = englishAnalyzer()

function termsOf(text: string): string[] {
  const terms: string[] = []
  english.tokens(text, (term) => terms.push(term))
  return terms
}

/** What a query asks of the date, as terms. */
function asked(query: string): string[] {
  return withDateWords(parseQuery(query, english)).words.flatMap(({ term }) => (isDateWord(term) ? [term] : []))
}

describe('the words of a date', () => {
  const [year, month, day] = termsOf(dateWords('2023-05-08'))

  it('are three to the engine, and found in no text', () => {
    expect(termsOf(dateWords('2023-05-08'))).toHaveLength(3)
    expect(termsOf('2023-05-08 8 May 2023 y m d').filter(isDateWord)).toEqual([])
  })

  it.each([
    ['what happened in May', [month]],
    ['the plans of 2023', [year]],
    ['2023-05-08', [year, month, day]],
    ['on 8 May 2023', [month, year, day]],
    ['on May 8th', [month, day]],
    ['8 retries', []],
    ['port 8080', []],
  ])('%j asks for %j', (query, expected) => {
    expect(asked(query).sort()).toEqual([...expected].sort())
  })
})
