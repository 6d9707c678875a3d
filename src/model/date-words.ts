/**
 * Dates as people say them: a day, a week, a month or a year of one zone, an instant, or how long ago. Each is a span, so that
 * one rule serves every use: what is "since" it begins at `from`, what is "until" it ends before `to`. Nothing here reads a
 * clock, and no day is taken for 24 hours: where clocks change, it has 23 or 25.
 */
import { InvalidError } from '../errors.ts'
import { addDays, instant, isDay, localTime, parseInstant, startOfDay } from './time.ts'

/** What a date is relative to. */
export interface Present {
  readonly zone: string
  readonly nowMs: number
}

/** Two instants, the second one not part of it; an instant is both. */
export interface DateSpan {
  readonly from: string
  readonly to: string
}

export const DATES_ALLOWED =
  'a date (2026-11-15, 2026-11, 2026, "nov 15", "15 november 2026"), a day (today, yesterday, monday), "this" or "last" week, month or year, "3 days ago", a time with its zone (2026-11-15T14:00:00Z), now, or a duration back from now (90m, 2h, 3d, 2w)'

// What lies before or after has a year that is not of four digits.
const FIRST = '1000-01-01T00:00:00.000Z'
const LAST = '9999-12-31T23:59:59.999Z'
const [FIRST_DAY, LAST_DAY] = [FIRST.slice(0, 10), LAST.slice(0, 10)]

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** As parseDateWords; what is no date is an error that names the field. */
export function requireDateWords(text: string, field: string, present: Present): DateSpan {
  const span = parseDateWords(text, present)
  if (!span) throw new InvalidError(field, `"${text}" is not a date`, DATES_ALLOWED)
  return span
}

/** Case and surrounding blanks do not count; `undefined` when it is no date. */
export function parseDateWords(text: string, { zone, nowMs }: Present): DateSpan | undefined {
  const at = parseInstant(text.trim())
  if (at !== undefined) return { from: at, to: at }
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const moment = momentOf(words, nowMs)
  if (moment !== undefined) return { from: moment, to: moment }
  const today = localTime(instant(nowMs), zone).day
  const days = daysOf(words, today)
  return days && { from: startOf(days.first, zone), to: endOf(days.last, zone) }
}

/** Days of the calendar, the last one part of it. */
interface Days {
  readonly first: string
  readonly last: string
}

function momentOf(words: string, nowMs: number): string | undefined {
  if (words === 'now') return instant(nowMs)
  const [, count, unit = ''] =
    /^(\d{1,9})([smhdw])$/.exec(words) ?? /^(\d{1,9}|an?) (second|sec|minute|min|hour)s? ago$/.exec(words) ?? []
  if (count === undefined) return undefined
  const ms = nowMs - countOf(count) * UNIT_MS[unit[0] as keyof typeof UNIT_MS] // the patterns allow just these letters
  return ms < Date.parse(FIRST) ? FIRST : instant(ms)
}

function daysOf(words: string, today: string): Days | undefined {
  const day = namedDay(words, today) ?? daysAgo(words, today)
  if (day !== undefined) return { first: day, last: day }
  return periodOf(words, today) ?? writtenOf(words) ?? monthOf(words, today)
}

function namedDay(words: string, today: string): string | undefined {
  if (isDay(words) && words >= FIRST_DAY) return words
  if (words === 'today') return today
  if (words === 'yesterday') return addDays(today, -1)
  const weekday = indexOfName(words.replace(/^last /, ''), WEEKDAYS)
  // The one before today: on a Monday, "monday" is a week ago, since there is "today" for today.
  return weekday === -1 ? undefined : addDays(today, -(((weekdayOf(today) - weekday + 6) % 7) + 1))
}

/** The day so long ago by the calendar; where that month is too short, its last day. */
function daysAgo(words: string, today: string): string | undefined {
  const [, digits, unit] = /^(\d{1,9}|an?) (day|week|month|year)s? ago$/.exec(words) ?? []
  if (digits === undefined) return undefined
  const count = countOf(digits)
  const day =
    unit === 'day' || unit === 'week'
      ? dayBefore(today, unit === 'day' ? count : count * 7)
      : sameDay(today, unit === 'month' ? count : count * 12)
  return day < FIRST_DAY ? FIRST_DAY : day
}

function dayBefore(today: string, count: number): string {
  // So many days ago there was no year 1000, nor a date that can be written.
  return count > 4_000_000 ? FIRST_DAY : addDays(today, -count)
}

function sameDay(today: string, monthsAgo: number): string {
  const month = monthBefore(today.slice(0, 7), monthsAgo)
  if (month < FIRST_DAY) return FIRST_DAY
  const [day, last] = [`${month}-${today.slice(8)}`, lastOf(month)]
  return day < last ? day : last
}

function periodOf(words: string, today: string): Days | undefined {
  const [, which, unit] = /^(this|last) (week|month|year)$/.exec(words) ?? []
  const back = which === 'last' ? 1 : 0
  if (unit === 'week') {
    const monday = addDays(today, -weekdayOf(today) - 7 * back)
    return { first: monday, last: addDays(monday, 6) }
  }
  if (unit === 'month') return wholeMonth(monthBefore(today.slice(0, 7), back))
  return unit === 'year' ? wholeYear(String(Number(today.slice(0, 4)) - back)) : undefined
}

/** `2026-11` and `2026`. */
function writtenOf(words: string): Days | undefined {
  if (/^[1-9]\d{3}$/.test(words)) return wholeYear(words)
  return /^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(words) ? wholeMonth(words) : undefined
}

/** `november`, `november 3`, `3 nov 2026`, `nov 3rd, 2026`: without a year the last one that has begun. */
function monthOf(words: string, today: string): Days | undefined {
  const match =
    /^(?<name>[a-z]{3,9})(?: (?<day>\d{1,2})(?:st|nd|rd|th)?)?(?:,? (?<year>[1-9]\d{3}))?$/.exec(words) ??
    /^(?<day>\d{1,2})(?:st|nd|rd|th)? (?<name>[a-z]{3,9})(?:,? (?<year>[1-9]\d{3}))?$/.exec(words)
  const { name = '', day, year } = match?.groups ?? {}
  const index = indexOfName(name, MONTHS)
  if (index === -1) return undefined
  const inYear = (its: number): Days | undefined => daysIn(`${its}-${twoDigits(index + 1)}`, day)
  if (year !== undefined) return inYear(Number(year))
  const thisYear = Number(today.slice(0, 4))
  // 29 February comes every four years, once in a while every eight.
  for (let its = thisYear; its >= Math.max(1000, thisYear - 8); its--) {
    const days = inYear(its)
    if (days && days.first <= today) return days
  }
  return undefined
}

function daysIn(month: string, day: string | undefined): Days | undefined {
  if (day === undefined) return wholeMonth(month)
  const date = `${month}-${twoDigits(Number(day))}`
  return isDay(date) ? { first: date, last: date } : undefined
}

function wholeMonth(month: string): Days {
  return { first: `${month}-01`, last: lastOf(month) }
}

function wholeYear(year: string): Days {
  return { first: `${year}-01-01`, last: `${year}-12-31` }
}

function lastOf(month: string): string {
  const [year = 0, index = 0] = month.split('-').map(Number)
  return `${month}-${new Date(Date.UTC(year, index, 0)).getUTCDate()}`
}

function monthBefore(month: string, count: number): string {
  const [year = 0, index = 0] = month.split('-').map(Number)
  const months = year * 12 + (index - 1) - count
  return months < 0 ? '0000-01' : `${String(Math.floor(months / 12)).padStart(4, '0')}-${twoDigits((months % 12) + 1)}`
}

/** 0 is Monday. */
function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}

/** In full, or its first three letters. */
function indexOfName(name: string, names: readonly string[]): number {
  return names.findIndex((full) => name === full || name === full.slice(0, 3))
}

function countOf(digits: string): number {
  return digits.startsWith('a') ? 1 : Number(digits)
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function startOf(day: string, zone: string): string {
  const start = startOfDay(day, zone)
  return start < FIRST ? FIRST : start
}

function endOf(day: string, zone: string): string {
  return day === LAST_DAY ? LAST : startOfDay(addDays(day, 1), zone)
}
