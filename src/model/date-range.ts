/** Dates as people ask for them, the same words on every interface (date-words.ts): `since` takes the start of what is meant, `until` and `as-of` its end. */
import { InvalidError } from '../errors.ts'
import { DATES_ALLOWED, type Present, requireDateWords } from './date-words.ts'
import { instant } from './time.ts'

export interface DateRange {
  readonly since?: string
  /** What happened at it is not meant any more. */
  readonly until?: string
}

export function dateRange(
  asked: { readonly since: string | undefined; readonly until: string | undefined },
  present: Present,
): DateRange {
  const since = asked.since === undefined ? undefined : requireDateWords(asked.since, 'since', present).from
  const until = asked.until === undefined ? undefined : requireDateWords(asked.until, 'until', present).to
  if (since !== undefined && until !== undefined && since >= until) {
    throw new InvalidError('until', 'is not after --since', 'a date after --since')
  }
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

/** The last instant that counts. What has begun is as far as it has come; what lies ahead is nothing to look at. */
export function lastInstant(text: string, present: Present): string {
  const now = instant(present.nowMs)
  const { from, to } = requireDateWords(text, 'as-of', present)
  if (from > now) throw new InvalidError('as-of', `"${text}" lies in the future`, DATES_ALLOWED)
  if (from === to) return from
  return to > now ? now : instant(Date.parse(to) - 1)
}
