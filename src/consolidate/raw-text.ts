/**
 * A conversation kept as it is, for when no model could condense it: every message whole, for people to read, and for a later try to
 * take apart again. A message has a heading with its role, time and tools; a line of a message that looks like such a heading gets
 * a backslash, and one that has backslashes there already one more. What we injected was not said by anyone and is left out. Pure.
 */
import { keepableText } from '../model/content.ts'
import { withoutInjected } from '../model/injected.ts'
import { parseInstant } from '../model/time.ts'
import type { Said } from '../prompt/said.ts'

/** `### user, 2026-11-16T13:05:00.000Z (recall, remember)` */
const HEADING = /^### ([a-z]{1,20})(?:, (\d{4}-\d\d-\d\dT[\d:.]+Z))?(?: \(([^\n]*)\))?$/
const LIKE_A_HEADING = /^\\*### (?=[a-z]{1,20}(?:, \d{4}-| \(|$))/gm
const ESCAPED = /^\\(?=\\*### [a-z]{1,20}(?:, \d{4}-| \(|$))/gm

export function rawText(conversation: readonly Said[]): string {
  return conversation.flatMap((said) => partOf(said) ?? []).join('\n\n')
}

/** What `rawText` was made of, as far as it is in the text; a text of another origin is one message. */
export function saidInRawText(text: string): Said[] {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (HEADING.test(line) ? [index] : []))
  if (starts[0] !== 0) return text.trim() === '' ? [] : [{ role: 'user', content: text }]
  return starts.map((start, n) => {
    const [, role = '', at, tools] = HEADING.exec(lines[start] ?? '') ?? []
    const end = starts[n + 1]
    // The blank lines around a content are not its own.
    const own = lines.slice(start + 2, end === undefined ? undefined : end - 1)
    const content = own.join('\n').replace(ESCAPED, '')
    return { role, content, ...(at === undefined ? {} : { at }), ...(tools ? { tools: tools.split(', ') } : {}) }
  })
}

function partOf({ role, content, at, tools = [] }: Said): string | undefined {
  const own = keepableText(withoutInjected(content))
  if (own.trim() === '' && tools.length === 0) return undefined
  const instant = parseInstant(at)
  const time = instant === undefined ? '' : `, ${instant}`
  const names = tools.length === 0 ? '' : ` (${tools.map(inOneLine).join(', ')})`
  const heading = `### ${
    role
      .toLowerCase()
      .replace(/[^a-z]/g, '')
      .slice(0, 20) || 'unknown'
  }${time}${names}`
  return own.trim() === '' ? heading : `${heading}\n\n${own.replace(LIKE_A_HEADING, '\\$&')}`
}

function inOneLine(name: string): string {
  return keepableText(name)
    .replace(/[\s,()]+/g, ' ')
    .trim()
}
