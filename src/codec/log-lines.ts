/**
 * The lines of a log that mean something to us, and how content that looks like one is told apart: by a backslash in
 * front. A line that looks escaped already gets one more, so that reading can always take one off.
 * All looks at a line are bounded by what ours are long, so that a hostile file costs no more than its length.
 */
import { isDay, parseInstant } from '../model/time.ts'

/** `time`: daily, conversation and context, `## HH:MM` under one date; `instant`: history, `## ` and the ISO time. */
export type LogFlavour = 'time' | 'instant'

export const COMMENT_START = '<!-- {'

const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/

const OUR_FIRST: ReadonlySet<string | undefined> = new Set(['\\', '#', '<'])

export interface Line {
  readonly start: number
  /** Before the line end; a return of a Windows editor is part of that. */
  readonly end: number
  readonly next: number
}

export function lineAt(text: string, start: number): Line {
  const newline = text.indexOf('\n', start)
  const end = newline === -1 ? text.length : newline
  const next = newline === -1 ? text.length : newline + 1
  return { start, end: end > start && text[end - 1] === '\r' ? end - 1 : end, next }
}

/** The time in a heading of ours. */
export function headingAt(text: string, line: Line, flavour: LogFlavour): string | undefined {
  const length = flavour === 'time' ? 5 : 24
  if (line.end - line.start !== length + 3 || !text.startsWith('## ', line.start)) return undefined
  const time = text.slice(line.start + 3, line.end)
  const valid = flavour === 'time' ? TIME_OF_DAY.test(time) : parseInstant(time) === time
  return valid ? time : undefined
}

/** `# 2026-11-15`; a history file has no title. */
export function isTitleAt(text: string, line: Line, flavour: LogFlavour): boolean {
  if (flavour !== 'time' || line.end - line.start !== 12 || !text.startsWith('# ', line.start)) return false
  return isDay(text.slice(line.start + 2, line.end))
}

export function escapeContent(content: string, flavour: LogFlavour): string {
  return mapOurs(content, flavour, (line) => `\\${line}`)
}

export function unescapeContent(text: string, flavour: LogFlavour): string {
  return mapOurs(text, flavour, (line) => (line.startsWith('\\') ? line.slice(1) : line))
}

/** Changes the lines that are, after any number of backslashes, a heading, title or comment of ours. */
function mapOurs(text: string, flavour: LogFlavour, change: (line: string) => string): string {
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const line = lineAt(text, at)
    if (OUR_FIRST.has(text[at]) && isOurs(text, line, flavour)) {
      parts.push(text.slice(copied, at), change(text.slice(at, line.next)))
      copied = line.next
    }
    at = line.next
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied)
}

function isOurs(text: string, line: Line, flavour: LogFlavour): boolean {
  let start = line.start
  while (text[start] === '\\') start++
  const bare = { ...line, start }
  return (
    text.startsWith(COMMENT_START, start) ||
    headingAt(text, bare, flavour) !== undefined ||
    isTitleAt(text, bare, flavour)
  )
}
