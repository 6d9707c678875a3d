/** The text of a history entry: what the model wrote, with its time where the model forgot it or left the pattern in its place. Pure. */
import { keepableText } from '../model/content.ts'
import { isDay, parseInstant } from '../model/time.ts'
import { timeStamp } from './time-stamp.ts'

/** In brackets at the very beginning, or behind marks of Markdown. */
const WRITTEN = /^([\s#>*_-]{0,20})\[(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?\]/
const PATTERN = /^[\s*_]{0,20}\[YYYY-MM-DD(?: HH:MM)?\][\s*_]{0,20}/i

export function historyText(entry: string, at: string, zone: string): string {
  const text = keepableText(entry).trim()
  const written = WRITTEN.exec(text)
  if (!written) return `${timeStamp(at, zone)} ${text.replace(PATTERN, '')}`.trimEnd()
  const [stamp, before = '', day = '', time = '', seconds = '', offset = ''] = written
  if (!isDay(day) || time >= '24' || time.slice(3) >= '60') return `${timeStamp(at, zone)} ${text}`
  const instant = offset === '' ? undefined : parseInstant(`${day}T${time}${seconds}${offset}`)
  return `${before}${instant === undefined ? `[${day} ${time}]` : timeStamp(instant, zone)}${text.slice(stamp.length)}`
}
