/** The days of an axis, those without anything too, so that a gap looks as long as it was. Pure. */
import type { Timeline } from '../../../api/contract.ts'
import { addDays, localTime } from '../../../model/time.ts'

export interface AxisDay {
  readonly day: string
  readonly entries: number
  readonly sessions: number
}

/** Further back than these an axis does not go, whatever a clock that was wrong has written. */
const MOST_DAYS = 400

/** A day that is still to come, as a file's name may say, would move the axis away from all the others. */
export function daysUntil(today: string, days: Timeline['days']): Timeline['days'] {
  return days.filter(({ day }) => day <= today)
}

export function axisDays(days: Timeline['days']): readonly AxisDay[] {
  const last = days.at(-1)?.day
  if (last === undefined) return []
  const known = new Map(days.map((one) => [one.day, one]))
  const first = [addDays(last, 1 - MOST_DAYS), days[0]?.day ?? last].sort().at(-1) ?? last
  const all: AxisDay[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) {
    all.push(known.get(day) ?? { day, entries: 0, sessions: 0 })
  }
  return all
}

/** The nearest day in that direction that has something; `undefined`: there is none. */
export function stepFrom(days: readonly AxisDay[], from: string, direction: 1 | -1): string | undefined {
  const filled = days.filter(({ entries, sessions }) => entries + sessions > 0)
  return direction === 1 ? filled.find(({ day }) => day > from)?.day : filled.findLast(({ day }) => day < from)?.day
}

/** The day that ends there; `undefined` for what is no time. */
export function dayBefore(before: string, zone: string): string | undefined {
  const ms = Date.parse(before)
  return Number.isNaN(ms) ? undefined : localTime(new Date(ms - 1).toISOString(), zone).day
}
