/**
 * Whether a memory that was read from a reply is all of it. Half a memory would replace the whole, so its end must be certain: correct
 * JSON with nothing of it left over, or JSON loosened only in ways that hide no end, closed, and the last of the reply. A quote that a
 * model forgot to escape seems to end the text; then a rest is left over, with a brace or a quote in it. Pure.
 */
import { fieldCalled, NAME, namesMemoryAgain, QUOTED_KEY } from './field-names.ts'
import { isDoubtful, type Loose } from './loose-json.ts'
import { DOUBTS, type Doubt } from './reply-fields.ts'

const TAG = `<(?:([a-z:_-]{1,40})(?: name)?=["']?)?${NAME}["']?>`
const MARKS = '[*_`]{0,3}'
const LABEL = `^([ \\t>]{0,8}(?:#{1,6}[ \\t]{0,4})?${MARKS})${NAME}${MARKS}[ \\t]{0,8}(?:[:：=]${MARKS}|$)`
/** A tag or a label; groups: what the tag is called, the name in it, what stands before the label's name, that name. */
export const FIELD: RegExp = new RegExp(`${TAG}|${LABEL}`, 'im')

const FIELD_AT_END = new RegExp(`(?:${FIELD.source})\\s*(?:\`\`\`\\w*\\s*)?(?![\\s\\S])`, 'im')
const LEAD_IN = /[:：]\s{0,20}(?:```\w{0,20}\s{0,20})?$/
const CLOSED_STRING = /["'`”’]\s{0,20},?\s{0,20}[}\]]/

const NOTHING_MORE = /^\s*(?:```\s*)?(?:<(?:[/|｜][^<>\n]{1,60}|end_of_turn)>\s*)*$/
const LINE_ENDS = /^[ \t]*(?:<(?:[/|｜][^<>\n]{1,60}|end_of_turn)>[ \t]*)*(?:\r?\n|\{\s*["'\w]|$)/
const FENCE_BEFORE = /(?:^|\n)[ \t]*```\w*\s*$/
const BEGINS_LINE = /(?:^|\n)[ \t]*(?:```\w*[ \t]*)?$/
const FENCE_BEHIND = /^\s*```/
/** A rest of a string that only seemed to end has its brace, or where the model forgot that, its quote. */
const MAY_END_STRING = /[}"]/
const MAY_END_STRING_BEHIND_FENCE = /\}|["'`”’][ \t]*,?[ \t]*\r?$/m
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
  readonly wasCut: boolean | undefined
  /** Nothing but an object may stand there. */
  readonly isLabelled: boolean
}

/** `settled`: the memory is whole, whatever the words behind it look like. */
export function certaintyOf(place: ReadPlace): Doubt | 'certain' | 'settled' {
  if (place.wasCut) return DOUBTS.cut
  if (place.value.cut) return DOUBTS.unclosed
  const raw = place.opening + place.text.slice(place.start, place.end)
  const isStrict = isCorrect(raw)
  if (!isStrict && !isMemorySure(place.value, raw)) return DOUBTS.quote
  if (isSettled(place, isStrict)) return 'settled'
  const rest = restOf(place)
  const mayFollow = isStrict && !place.isLabelled ? LINE_ENDS : NOTHING_MORE
  return rest !== undefined && mayFollow.test(rest) ? 'certain' : DOUBTS.goesOn
}

/** Whether an object stands by itself, so that it is the answer whatever notes come before it. A labelled text may show the form. */
export function standsAlone(place: ReadPlace, isInLabelledText: boolean): boolean {
  const { text, start, end } = place
  if (!isInLabelledText) return BEGINS_LINE.test(text.slice(Math.max(0, start - 40), start))
  const fence = fenceBehind(place)
  return fence !== undefined && NOTHING_MORE.test(text.slice(end + fence.length))
}

/** Where the server says that the reply is whole, the end of a string that only seemed to end would stand behind the object. */
function isSettled(place: ReadPlace, isStrict: boolean): boolean {
  if (place.wasCut !== false || place.isLabelled) return false
  const fence = fenceBehind(place)
  if (fence === undefined) return isStrict && !MAY_END_STRING.test(place.text.slice(place.end))
  return !MAY_END_STRING_BEHIND_FENCE.test(place.text.slice(place.end + fence.length))
}

/** What closes the fence that the object fills. */
function fenceBehind({ text, start, end }: ReadPlace): string | undefined {
  const isOpened = FENCE_BEFORE.test(text.slice(Math.max(0, start - 40), start))
  return isOpened ? FENCE_BEHIND.exec(text.slice(end))?.[0] : undefined
}

/** What a piece of the reply around the objects says: nothing, or that they may be parts of a text, or what a label says. */
export function roundAbout(text: string): 'nothing' | 'a label' | 'a labelled text' | 'doubt' {
  const label = FIELD.exec(text)
  if (label && !FIELD_AT_END.test(text.slice(label.index))) return 'a labelled text'
  const own = text.replace(LEAD_IN, '')
  if (QUOTED_KEY.test(own) || CLOSED_STRING.test(own)) return 'doubt'
  return label ? 'a label' : 'nothing'
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
