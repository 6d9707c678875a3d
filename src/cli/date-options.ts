/** `--since` and `--until`: an instant, or a day of the workspace's zone, from its start on or up to its end. */
import { InvalidError } from '../errors.ts'
import { addDays, isDay, parseInstant, startOfDay } from '../model/time.ts'
import type { Arguments } from './arguments.ts'

export interface DateRange {
  readonly since?: string
  readonly until?: string
}

// What lies before or after has a year that is not of four digits.
const FIRST = '1000-01-01T00:00:00.000Z'
const LAST_DAY = '9999-12-31'

export function parseDates(given: Arguments, zone: string): DateRange {
  const since = parseDate('since', given.one('since'), (day) => {
    const start = startOfDay(day, zone)
    return start < FIRST ? FIRST : start
  })
  const until = parseDate('until', given.one('until'), (day) =>
    day === LAST_DAY ? `${LAST_DAY}T23:59:59.999Z` : startOfDay(addDays(day, 1), zone),
  )
  if (since !== undefined && until !== undefined && since >= until) {
    throw new InvalidError('until', 'is not after --since', 'a date after --since')
  }
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

function parseDate(field: string, text: string | undefined, ofDay: (day: string) => string): string | undefined {
  if (text === undefined) return undefined
  const at = isDay(text) && text >= '1000' ? ofDay(text) : parseInstant(text)
  if (at !== undefined) return at
  throw new InvalidError(
    field,
    `"${text}" is not a date`,
    'a day such as 2026-11-15, or a time with its zone such as 2026-11-15T14:00:00Z',
  )
}
