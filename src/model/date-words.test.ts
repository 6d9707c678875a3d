import { describe, expect, it } from 'vitest'
import { type DateSpan, parseDateWords, requireDateWords } from './date-words.ts'

// A Monday, half past ten in Berlin.
const NOW = '2026-11-16T09:30:00.000Z'

function spanOf(text: string, now: string = NOW, zone = 'UTC'): DateSpan | undefined {
  return parseDateWords(text, { zone, nowMs: Date.parse(now) })
}

/** The first and the last day of a span in UTC; its end must be a midnight. */
function daysOf(text: string, now: string = NOW): string | undefined {
  const span = spanOf(text, now)
  if (!span) return undefined
  expect([span.from, span.to]).toEqual([
    expect.stringMatching(/T00:00:00\.000Z$/),
    expect.stringMatching(/T00:00:00\.000Z$/),
  ])
  const last = new Date(Date.parse(span.to) - 1).toISOString()
  return `${span.from.slice(0, 10)} ${last.slice(0, 10)}`
}

describe('words for days', () => {
  it.each([
    ['2026-11-01', '2026-11-01 2026-11-01'],
    ['2024-02-29', '2024-02-29 2024-02-29'],
    ['today', '2026-11-16 2026-11-16'],
    ['yesterday', '2026-11-15 2026-11-15'],
    ['  Yesterday ', '2026-11-15 2026-11-15'],
    ['3 days ago', '2026-11-13 2026-11-13'],
    ['a day ago', '2026-11-15 2026-11-15'],
    ['1 day ago', '2026-11-15 2026-11-15'],
    ['0 days ago', '2026-11-16 2026-11-16'],
    ['2 weeks ago', '2026-11-02 2026-11-02'],
    ['a week ago', '2026-11-09 2026-11-09'],
    ['3 months ago', '2026-08-16 2026-08-16'],
    ['11 months ago', '2025-12-16 2025-12-16'],
    ['a year ago', '2025-11-16 2025-11-16'],
    ['LAST   WEEK', '2026-11-09 2026-11-15'],
    ['this week', '2026-11-16 2026-11-22'],
    ['last month', '2026-10-01 2026-10-31'],
    ['this month', '2026-11-01 2026-11-30'],
    ['last year', '2025-01-01 2025-12-31'],
    ['this year', '2026-01-01 2026-12-31'],
    ['monday', '2026-11-09 2026-11-09'],
    ['last monday', '2026-11-09 2026-11-09'],
    ['Sunday', '2026-11-15 2026-11-15'],
    ['last tuesday', '2026-11-10 2026-11-10'],
    ['Tue', '2026-11-10 2026-11-10'],
    ['2026-11', '2026-11-01 2026-11-30'],
    ['2024-02', '2024-02-01 2024-02-29'],
    ['2026', '2026-01-01 2026-12-31'],
    ['2027', '2027-01-01 2027-12-31'],
    ['november 3', '2026-11-03 2026-11-03'],
    ['Nov 16', '2026-11-16 2026-11-16'],
    ['november 17', '2025-11-17 2025-11-17'],
    ['december 3', '2025-12-03 2025-12-03'],
    ['3 nov 2026', '2026-11-03 2026-11-03'],
    ['3 november', '2026-11-03 2026-11-03'],
    ['Nov 3rd, 2025', '2025-11-03 2025-11-03'],
    ['may 4 2027', '2027-05-04 2027-05-04'],
    ['feb 29', '2024-02-29 2024-02-29'],
    ['november', '2026-11-01 2026-11-30'],
    ['december', '2025-12-01 2025-12-31'],
    ['march 2026', '2026-03-01 2026-03-31'],
    ['999999999 weeks ago', '1000-01-01 1000-01-01'],
    ['999999999 years ago', '1000-01-01 1000-01-01'],
  ])('%j is %s', (text, days) => {
    expect(daysOf(text)).toBe(days)
  })

  it.each([
    ['2026-03-31T12:00:00.000Z', 'a month ago', '2026-02-28 2026-02-28'],
    ['2024-02-29T12:00:00.000Z', 'a year ago', '2023-02-28 2023-02-28'],
    ['2027-01-01T00:00:00.000Z', 'yesterday', '2026-12-31 2026-12-31'],
    ['2027-01-01T00:00:00.000Z', 'last week', '2026-12-21 2026-12-27'],
    ['2027-01-01T00:00:00.000Z', 'this week', '2026-12-28 2027-01-03'],
    ['2027-01-01T00:00:00.000Z', 'last month', '2026-12-01 2026-12-31'],
    ['2027-01-01T00:00:00.000Z', 'last year', '2026-01-01 2026-12-31'],
    ['2026-12-31T23:59:59.999Z', 'this year', '2026-01-01 2026-12-31'],
    ['2026-11-15T23:59:59.999Z', 'last week', '2026-11-02 2026-11-08'],
    ['2026-11-15T23:59:59.999Z', 'sunday', '2026-11-08 2026-11-08'],
    ['1904-02-01T00:00:00.000Z', 'feb 29', '1896-02-29 1896-02-29'],
  ])('at %s, %j is %s', (now, text, days) => {
    expect(daysOf(text, now)).toBe(days)
  })
})

describe('words for moments', () => {
  it.each([
    ['now', '2026-11-16T09:30:00.000Z'],
    ['90m', '2026-11-16T08:00:00.000Z'],
    ['3d', '2026-11-13T09:30:00.000Z'],
    ['3D', '2026-11-13T09:30:00.000Z'],
    ['2w', '2026-11-02T09:30:00.000Z'],
    ['an hour ago', '2026-11-16T08:30:00.000Z'],
    ['2 hours ago', '2026-11-16T07:30:00.000Z'],
    ['45 minutes ago', '2026-11-16T08:45:00.000Z'],
    ['5 min ago', '2026-11-16T09:25:00.000Z'],
    ['30 seconds ago', '2026-11-16T09:29:30.000Z'],
    ['999999999 hours ago', '1000-01-01T00:00:00.000Z'],
    [' 2026-11-15T14:00:00+02:00 ', '2026-11-15T12:00:00.000Z'],
    ['2026-11-15 14:00Z', '2026-11-15T14:00:00.000Z'],
  ])('%j is %s', (text, at) => {
    expect(spanOf(text)).toEqual({ from: at, to: at })
  })
})

describe('the zone decides what a day is', () => {
  it.each([
    ['Asia/Tokyo', '2026-11-14T23:30:00.000Z', 'today', '2026-11-14T15:00:00.000Z', '2026-11-15T15:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-15T15:30:00.000Z', 'this week', '2026-11-15T15:00:00.000Z', '2026-11-22T15:00:00.000Z'],
    [
      'America/Los_Angeles',
      '2026-11-16T07:30:00.000Z',
      'today',
      '2026-11-15T08:00:00.000Z',
      '2026-11-16T08:00:00.000Z',
    ],
    [
      'America/Los_Angeles',
      '2026-11-16T07:30:00.000Z',
      'last week',
      '2026-11-02T08:00:00.000Z',
      '2026-11-09T08:00:00.000Z',
    ],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00.000Z', 'today', '2026-12-31T10:00:00.000Z', '2027-01-01T10:00:00.000Z'],
    [
      'Pacific/Kiritimati',
      '2026-12-31T10:00:00.000Z',
      'this year',
      '2026-12-31T10:00:00.000Z',
      '2027-12-31T10:00:00.000Z',
    ],
    ['Asia/Kathmandu', '2026-11-16T00:00:00.000Z', 'yesterday', '2026-11-14T18:15:00.000Z', '2026-11-15T18:15:00.000Z'],
    // 25 and 23 hours: the clocks change.
    ['Europe/Berlin', '2026-10-26T09:00:00.000Z', 'yesterday', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T00:30:00.000Z', 'today', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30T09:00:00.000Z', 'a day ago', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30T09:00:00.000Z', 'last week', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-11-16T09:00:00.000Z', 'last month', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
    // Its clocks skip midnight in spring.
    ['America/Santiago', '2026-09-06T12:00:00.000Z', 'today', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-16T09:30:00.000Z', '1000-01-01', '1000-01-01T00:00:00.000Z', '1000-01-01T14:41:01.000Z'],
    ['America/Los_Angeles', '2026-11-16T09:30:00.000Z', '9999', '9999-01-01T08:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('%s at %s: %s', (zone, now, text, from, to) => {
    expect(spanOf(text, now, zone)).toEqual({ from, to })
  })
})

describe('what is no date', () => {
  it.each([
    '',
    ' ',
    'soon',
    'tomorrow',
    'last',
    'last november 3',
    'week',
    'days ago',
    '-2 days ago',
    '1.5 days ago',
    '3 dayss ago',
    '3',
    '999',
    '0999-01-01',
    '10000',
    '2026-13',
    '2026-00',
    '2026-02-30',
    '2026-11-15T14:00:00',
    'november 31',
    'nov 0',
    'novem 3',
    'feb 29 2026',
    '3 nov 26',
    '2y',
    'a'.repeat(100_000),
    ' '.repeat(100_000),
  ])('%#: is not taken for one', (text) => {
    expect(spanOf(text)).toBeUndefined()
  })

  it('is an error that names the field and what is allowed', () => {
    expect(() => requireDateWords('soon', 'since', { zone: 'UTC', nowMs: Date.parse(NOW) })).toThrowError(
      expect.objectContaining({
        code: 'INVALID',
        message: 'since: "soon" is not a date',
        hint: expect.stringMatching(/^Allowed: a date \(2026-11-15.*"3 days ago".*\.$/),
      }),
    )
  })
})
