/**
 * Whether a memory that was read from a reply is all of it. Half a memory would replace the whole, so its end must be certain: correct
 * JSON with nothing of it left over, or JSON loosened only in ways that hide no end, closed, and the last of the reply. A quote that a
 * model forgot to escape seems to end the text; then a rest is left over. In doubt the memory is missing and stays as it is. Pure.
 */
import { fieldCalled, NAME, namesMemoryAgain, QUOTED_KEY } from './field-names.ts'
import { isDoubtful, type Loose } from './loose-json.ts'

const TAG = `<(?:([a-z:_-]{1,40})(?: name)?=["']?)?${NAME}["']?>`
const MARKS = '[*_`]{0,3}'
const LABEL = `^([ \\t>]{0,8}(?:#{1,6}[ \\t]{0,4})?${MARKS})${NAME}${MARKS}[ \\t]{0,8}(?:[:：=]${MARKS}|$)`
/** A tag or a label; groups: what the tag is called, the name in it, what stands before the label's name, that name. */
export const FIELD: RegExp = new RegExp(`${TAG}|${LABEL}`, 'im')

const FIELD_AT_END = new RegExp(`(?:${FIELD.source})\\s*(?:\`\`\`\\w*\\s*)?(?![\\s\\S])`, 'im')
const LEAD_IN = /[:：]\s{0,20}(?:```\w{0,20}\s{0,20})?$/
const CLOSED_STRING = /["'`”’]\s{0,20},?\s{0,20}[}\]]/

const NOTHING_MORE = /^\s*(?:```\s*)?(?:<[/|][^<>\n]{1,60}>\s*)*$/
const LINE_ENDS = /^[ \t]*(?:<[/|][^<>\n]{1,60}>[ \t]*)*(?:\r?\n|\{\s*["'\w]|$)/
const CLOSERS: Readonly<Record<string, string>> = {
  '{': '}',
  '[': ']',
  ',': ']',
  '(': ')',
  '"': '"',
  "'": "'",
  '`': '`',
}

/** An object as it stands in a reply. */
export interface ReadPlace {
  readonly value: Extract<Loose, { is: 'object' }>
  readonly text: string
  readonly start: number
  readonly end: number
  /** Its braces; the opening one may be missing. */
  readonly opening: '' | '{'
  /** The text was taken out of quotes, whose end may still be there. */
  readonly wasEscaped: boolean
  readonly wasCut: boolean
  /** Nothing but an object may stand there. */
  readonly isLabelled: boolean
}

export function isCertain(place: ReadPlace): boolean {
  if (place.wasCut) return false
  const raw = place.opening + place.text.slice(place.start, place.end)
  const rest = restOf(place)
  if (rest === undefined) return false
  if (isCorrect(raw)) return (place.isLabelled ? NOTHING_MORE : LINE_ENDS).test(rest)
  return NOTHING_MORE.test(rest) && isMemorySure(place.value, raw)
}

/** What a piece of the reply around the objects says: nothing, or that they may be parts of a text, or what a label says. */
export function roundAbout(text: string): 'nothing' | 'a label' | 'doubt' {
  const own = text.replace(LEAD_IN, '')
  if (QUOTED_KEY.test(own) || CLOSED_STRING.test(own)) return 'doubt'
  const label = FIELD.exec(text)
  if (!label) return 'nothing'
  return FIELD_AT_END.test(text.slice(label.index)) ? 'a label' : 'doubt'
}

function isCorrect(raw: string): boolean {
  try {
    JSON.parse(raw)
    return true
  } catch {
    return false
  }
}

/** Nothing doubtful from it on, and no other key, which may be a part of it; nor its name in what is doubtful before it. */
function isMemorySure(value: Loose, raw: string): boolean {
  if (value.cut || (value.is === 'text' && value.doubtful)) return false
  if (value.is === 'list') return value.items.every((item) => isMemorySure(item, raw))
  if (value.is !== 'object') return true
  const { members } = value
  const at = members.findIndex(([key]) => fieldCalled(key) === 'memoryUpdate')
  if (at < 0) return members.every(([, member]) => isMemorySure(member, raw))
  const isDoubtBefore = members.slice(0, at).some(([, member]) => isDoubtful(member))
  if (isDoubtBefore && namesMemoryAgain(raw)) return false
  return members.slice(at).every(([key, member]) => fieldCalled(key) !== undefined && !isDoubtful(member))
}

/** What follows, without what closes that which was opened right before; `undefined`: that is not closed. */
function restOf({ text, start, end, wasEscaped }: ReadPlace): string | undefined {
  const rest = wasEscaped ? text.slice(end).replace(/^[\\"']+/, '') : text.slice(end)
  const before = text.slice(Math.max(0, start - 40), start).trimEnd()
  if (/```\w*$/.test(before)) return rest.replace(/^[ \t]*```/, '')
  const closer = CLOSERS[before.at(-1) ?? '']
  const own = rest.trimStart()
  if (closer === undefined) return rest
  if (own.startsWith(closer)) return own.slice(closer.length)
  return closer === ']' && /^,\s*\{\s*["'“]?(?:history|memory)/i.test(own) ? own.slice(1).trimStart() : undefined
}
