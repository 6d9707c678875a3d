/**
 * When an entry was made, as words of its own: "in May 2023" finds what is of that month, whatever it says. They are spelled as
 * no text is, so that the 11 of "error 11" has nothing to do with the eleventh, and numbers stay as rare as they are in texts.
 */
import type { Query, QueryWord } from '../search/query.ts'

/** A letter that nobody writes, so that these are words to the engine, and words of nobody else. */
const MARK = 'ϗ'

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** Day, month and year of `2023-05-08`, for the index. */
export function dateWords(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return [spelled('y', year), spelled('m', month), spelled('d', date)].join(' ')
}

export function isDateWord(term: string): boolean {
  return term.startsWith(MARK)
}

/** The query, with what it says of a date as such words too. A number alone is no date. */
export function withDateWords(query: Query): Query {
  const dates = query.words.flatMap(({ text }) => datesIn(text))
  if (dates.length === 0) return query
  const namesMonth = query.words.some(({ text }) => MONTHS.includes(text.toLowerCase()))
  const days = namesMonth ? query.words.flatMap(({ text }) => daysIn(text)) : []
  const known = new Set<string>()
  const added = [...dates, ...days].filter(({ term }) => !known.has(term) && known.add(term))
  return { ...query, words: [...query.words, ...added] }
}

function datesIn(text: string): QueryWord[] {
  const month = MONTHS.indexOf(text.toLowerCase())
  if (month >= 0) return [word(text, 'm', String(month + 1).padStart(2, '0'))]
  const date = /^((?:19|20)\d\d)(?:-(\d\d))?(?:-(\d\d))?$/.exec(text)
  return (['y', 'm', 'd'] as const).flatMap((part, n) => {
    const digits = date?.[n + 1]
    return digits === undefined ? [] : [word(text, part, digits)]
  })
}

/** `8`, `08` and `8th`, where a month is named besides. */
function daysIn(text: string): QueryWord[] {
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/i.exec(text)?.[1]
  return day === undefined || Number(day) < 1 || Number(day) > 31 ? [] : [word(text, 'd', day.padStart(2, '0'))]
}

function word(text: string, part: 'y' | 'm' | 'd', digits: string): QueryWord {
  return { type: 'word', text: `${text} (date)`, term: spelled(part, digits), weight: 1 }
}

/** Digits as letters: a number would be a word of its own to the engine. */
function spelled(part: 'y' | 'm' | 'd', digits: string): string {
  return MARK + part + digits.replace(/\d/g, (digit) => String.fromCharCode(97 + Number(digit)))
}
