/**
 * When a doc was said, from the free text that data sets have for it: "1:56 pm on 8 May, 2023", "March-15-2024",
 * "2023-05-08", an ISO time. Taken as UTC where it names no zone. Not Date.parse, whose answer depends on the machine's zone.
 */
import { instant, isDay, parseInstant } from '../model/time.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `undefined` where no day can be made out. */
export function parseDocTime(text: string): string | undefined {
  // Longer is no time, and short texts keep every pattern cheap.
  if (text.length > 100) return undefined
  const exact = parseInstant(text.trim())
  if (exact !== undefined) return exact
  const day = dayOf(text)
  if (day === undefined || !isDay(day)) return undefined
  const ms = Date.parse(`${day}T00:00:00Z`) + minutesOf(text) * 60_000
  return parseInstant(instant(ms))
}

function dayOf(text: string): string | undefined {
  const digits = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text)
  if (digits) return dayText(digits[1], Number(digits[2]), digits[3])
  const named = /([a-z]{3,9})/gi
  for (const [, word = ''] of text.matchAll(named)) {
    const month = MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1
    if (month === 0) continue
    const year = /(?<!\d)(\d{4})(?!\d)/.exec(text)?.[1]
    // Neither a part of the year nor of the time of day.
    const day = /(?<![\d:])(\d{1,2})(?:st|nd|rd|th)?(?![\d:]|\s*[ap]\.?m)/i.exec(text)?.[1]
    return dayText(year, month, day)
  }
  return undefined
}

function dayText(year: string | undefined, month: number, day: string | undefined): string | undefined {
  if (year === undefined || day === undefined) return undefined
  return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** Minutes since midnight; midnight where no time of day is said. */
function minutesOf(text: string): number {
  const match = /(?<!\d)(\d{1,2}):(\d\d)(?::\d\d)?(?:\s*([ap])\.?m)?/i.exec(text)
  if (!match) return 0
  const [, hourText = '', minute = '', half] = match
  const hour = Number(hourText)
  if (hour > 23 || Number(minute) > 59 || (half !== undefined && (hour === 0 || hour > 12))) return 0
  const hours = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return hours * 60 + Number(minute)
}
