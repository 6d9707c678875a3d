/**
 * Dates on the command line, the same words for every option (model/date-words.ts): `--since` takes the start of what is meant,
 * `--until` its end, and so does `--as-of`.
 */
import { InvalidError } from '../errors.ts'
import { DATES_ALLOWED, type Present, requireDateWords } from '../model/date-words.ts'
import { instant } from '../model/time.ts'
import type { Arguments } from './arguments.ts'
import type { Option } from './command.ts'

export type { Present } from '../model/date-words.ts'

export interface DateRange {
  readonly since?: string
  /** What happened at it is not meant any more. */
  readonly until?: string
}

export const SINCE: Option = {
  name: 'since',
  value: 'DATE',
  about: 'from then on: 2026-11-15, yesterday, monday, "3 days ago", "last week", 2026-11, 2h',
}

export const UNTIL: Option = { name: 'until', value: 'DATE', about: 'up to then; a day counts up to its end' }

export function parseDates(given: Arguments, present: Present): DateRange {
  const [sinceText, untilText] = [given.one('since'), given.one('until')]
  const since = sinceText === undefined ? undefined : requireDateWords(sinceText, 'since', present).from
  const until = untilText === undefined ? undefined : requireDateWords(untilText, 'until', present).to
  if (since !== undefined && until !== undefined && since >= until) {
    throw new InvalidError('until', 'is not after --since', 'a date after --since')
  }
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

/** The last instant that counts. What has begun is as far as it has come; what lies ahead is nothing to look at. */
export function parseAsOf(given: Arguments, present: Present): string | undefined {
  const text = given.one('as-of')
  if (text === undefined) return undefined
  const now = instant(present.nowMs)
  const { from, to } = requireDateWords(text, 'as-of', present)
  if (from > now) throw new InvalidError('as-of', `"${text}" lies in the future`, DATES_ALLOWED)
  if (from === to) return from
  return to > now ? now : instant(Date.parse(to) - 1)
}
