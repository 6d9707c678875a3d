/** The options that take dates; what the words mean is model/date-range.ts's to say. */
import { type DateRange, dateRange, lastInstant } from '../model/date-range.ts'
import type { Present } from '../model/date-words.ts'
import type { Arguments } from './arguments.ts'
import type { Option } from './command.ts'

export type { DateRange } from '../model/date-range.ts'
export type { Present } from '../model/date-words.ts'

export const SINCE: Option = {
  name: 'since',
  value: 'DATE',
  about: 'from then on: 2026-11-15, yesterday, monday, "3 days ago", "last week", 2026-11, 2h',
}

export const UNTIL: Option = { name: 'until', value: 'DATE', about: 'up to then; a day counts up to its end' }

export function parseDates(given: Arguments, present: Present): DateRange {
  return dateRange({ since: given.one('since'), until: given.one('until') }, present)
}

export function parseAsOf(given: Arguments, present: Present): string | undefined {
  const text = given.one('as-of')
  return text === undefined ? undefined : lastInstant(text, present)
}
