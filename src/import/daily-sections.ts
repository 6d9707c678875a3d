/**
 * A day's log as an agent keeps it by itself: sections below headings of the second level, some of which begin with a time. Each
 * becomes an experience of its own, so that search finds what was done and not the whole day.
 */

export interface DailySection {
  /** The heading as it is written, and which one of those that are written so: the same after the file has grown. */
  readonly key: string
  /** `14:05`, `14:05:30`, `14:05Z` where it says UTC; missing: as late as the section before. */
  readonly time?: string
  readonly content: string
  /** Of its heading, from 1. */
  readonly line: number
}

const HEADING = /^##[ \t]+(.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const TIME =
  /^\[?(\d{1,2}):([0-5]\d(?::[0-5]\d)?)\]?(?:[ \t]*([ap])\.?m\.?)?(?:[ \t]*(UTC|GMT|Z)\b\]?)?(?:[ \t]*[-–—:|,][ \t]*|[ \t]+|$)(.*)$/i

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
/** What a log calls itself. */
const LOG_WORDS = ['daily', 'day', 'diary', 'journal', 'log', 'memory', 'notes', 'of', 'the']

interface Open {
  readonly heading: string | undefined
  readonly line: number
  readonly lines: string[]
}

/** `day`: the title of the file when it says no more than this is left out. */
export function dailySections(text: string, day: string): DailySection[] {
  const seen = new Map<string, number>()
  return partsOf(text).flatMap((part) => {
    const count = (seen.get(part.heading ?? '') ?? 0) + 1
    seen.set(part.heading ?? '', count)
    const section = sectionOf(part, day)
    return section ? [{ ...section, key: `${part.heading ?? ''}#${count}` }] : []
  })
}

function partsOf(text: string): Open[] {
  const parts: Open[] = [{ heading: undefined, line: 1, lines: [] }]
  let fence: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, mark] = FENCE.exec(line) ?? []
    if (mark !== undefined) fence = fence === undefined ? mark : closes(mark, fence) ? undefined : fence
    const [, heading] = fence === undefined ? (HEADING.exec(line) ?? []) : []
    if (heading === undefined) parts.at(-1)?.lines.push(line)
    else parts.push({ heading: heading.trim(), line: index + 1, lines: [] })
  }
  return parts
}

function closes(mark: string, fence: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length
}

function sectionOf({ heading, line, lines }: Open, day: string): Omit<DailySection, 'key'> | undefined {
  const [, hour, minute = '', half, utc, rest = ''] = (heading === undefined ? null : TIME.exec(heading)) ?? []
  const time = hour === undefined ? undefined : timeOfDay(Number(hour), minute, half, utc !== undefined)
  const title = time === undefined ? heading : rest
  const body = withoutTitle(lines, heading === undefined ? day : undefined)
  const content = [...(title ? [`## ${title}`] : []), ...(body === '' ? [] : [body])].join('\n\n')
  return content === '' ? undefined : { line, ...(time === undefined ? {} : { time }), content }
}

function timeOfDay(hour: number, minute: string, half: string | undefined, utc: boolean): string | undefined {
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined
  const full = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return full > 23 ? undefined : `${String(full).padStart(2, '0')}:${minute}${utc ? 'Z' : ''}`
}

/** A title that only says which day it is says nothing of what was done. */
function withoutTitle(lines: readonly string[], day: string | undefined): string {
  const first = lines.findIndex((line) => line.trim() !== '')
  const isTitle = day !== undefined && saysOnlyTheDay(lines[first] ?? '', day)
  return lines
    .slice(isTitle ? first + 1 : Math.max(first, 0))
    .join('\n')
    .replace(/^\s*\n/, '')
    .trimEnd()
}

/** As `2026-02-03`, `Tue, Feb 3rd 2026` and `Daily log: 3 February 2026 (Tuesday)` do. */
function saysOnlyTheDay(line: string, day: string): boolean {
  if (!/^#[ \t].*\d/.test(line)) return false
  const date = new Date(`${day}T00:00:00Z`)
  const names = [MONTHS[date.getUTCMonth()] ?? '', WEEKDAYS[date.getUTCDay()] ?? '']
  const numbers = day.split('-').map(Number)
  return (line.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => {
    const [, number] = /^(\d+)(?:st|nd|rd|th)?$/.exec(word) ?? []
    if (number !== undefined) return numbers.includes(Number(number))
    return LOG_WORDS.includes(word) || (word.length >= 3 && names.some((name) => name.startsWith(word)))
  })
}
