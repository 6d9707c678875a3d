/**
 * Dates on the command line, the same for every option: an instant, a day of the workspace's zone, or how long ago. A day is
 * its start for `--since`, its end for `--until` and `--as-of`.
 */
import { InvalidError } from '../errors.ts'
import { addDays, instant, isDay, localTime, parseInstant, startOfDay } from '../model/time.ts'
import type { Arguments } from './arguments.ts'
import type { Option } from './command.ts'

export interface DateRange {
  readonly since?: string
  /** What happened at it is not meant any more. */
  readonly until?: string
}

/** What a date is relative to. */
export interface Present {
  readonly zone: string
  readonly nowMs: number
}

export const SINCE: Option = {
  name: 'since',
  value: 'DATE',
  about: 'from then on: 2026-11-15, yesterday, 2026-11-15T14:00:00Z, 3d (ago)',
}

export const UNTIL: Option = { name: 'until', value: 'DATE', about: 'up to then; a day counts up to its end' }

const ALLOWED =
  'a day (2026-11-15, today, yesterday), now, a time with its zone (2026-11-15T14:00:00Z), or how long ago (90m, 2h, 3d, 2w)'

// What lies before or after has a year that is not of four digits.
const FIRST = '1000-01-01T00:00:00.000Z'
const LAST = '9999-12-31T23:59:59.999Z'

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

export function parseDates(given: Arguments, present: Present): DateRange {
  const since = parseDate('since', given.one('since'), present, (day) => startOf(day, present.zone))
  const until = parseDate('until', given.one('until'), present, (day) => endOf(day, present.zone))
  if (since !== undefined && until !== undefined && since >= until) {
    throw new InvalidError('until', 'is not after --since', 'a date after --since')
  }
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

/** The last instant that counts. Today is as far as it has come; what lies ahead is nothing to look at. */
export function parseAsOf(given: Arguments, present: Present): string | undefined {
  const text = given.one('as-of')
  const now = instant(present.nowMs)
  const at = parseDate('as-of', text, present, (day) => {
    const end = instant(Date.parse(endOf(day, present.zone)) - 1)
    return day === localTime(now, present.zone).day ? now : end
  })
  if (at !== undefined && at > now) throw new InvalidError('as-of', `"${text}" lies in the future`, ALLOWED)
  return at
}

function parseDate(
  field: string,
  text: string | undefined,
  { zone, nowMs }: Present,
  ofDay: (day: string) => string,
): string | undefined {
  if (text === undefined) return undefined
  const today = localTime(instant(nowMs), zone).day
  if (text === 'now') return instant(nowMs)
  if (text === 'today') return ofDay(today)
  if (text === 'yesterday') return ofDay(addDays(today, -1))
  const at = isDay(text) && text >= '1000' ? ofDay(text) : (parseInstant(text) ?? ago(text, nowMs))
  if (at !== undefined) return at
  throw new InvalidError(field, `"${text}" is not a date`, ALLOWED)
}

function startOf(day: string, zone: string): string {
  const start = startOfDay(day, zone)
  return start < FIRST ? FIRST : start
}

function endOf(day: string, zone: string): string {
  return day === LAST.slice(0, 10) ? LAST : startOfDay(addDays(day, 1), zone)
}

function ago(text: string, nowMs: number): string | undefined {
  const match = /^(\d{1,9})([smhdw])$/.exec(text)
  if (!match) return undefined
  const ms = nowMs - Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] // the pattern allows just these letters
  return ms < Date.parse(FIRST) ? FIRST : instant(ms)
}
