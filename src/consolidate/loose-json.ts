/**
 * JSON as models really write it: raw line ends and unescaped quotes in strings, any sort of quotes, trailing and missing commas,
 * bare keys, comments, Python's and JavaScript's words, and an end that never comes. Correct JSON is read exactly as it is: a quote
 * ends a string where what follows can follow, which in correct JSON it always does. What may end elsewhere is doubtful. Never throws; time is proportional to the length.
 */

import { bareKeyAt, isDelimited, skipBlanks, skipFiller } from './loose-places.ts'
import { isQuote, looseString } from './loose-string.ts'

export type Loose =
  /** `doubtful`: its end was guessed, since what may have ended it stood in it, too. */
  | { readonly is: 'text'; readonly text: string; readonly cut: boolean; readonly doubtful: boolean }
  | { readonly is: 'list'; readonly items: readonly Loose[]; readonly cut: boolean }
  | { readonly is: 'object'; readonly members: readonly (readonly [string, Loose])[]; readonly cut: boolean }
  /** null, and what else means that there is nothing. */
  | { readonly is: 'nothing'; readonly cut: boolean }

export interface Read {
  readonly value: Loose
  /** Behind it. */
  readonly end: number
}

/** `value` is missing where no object stands there; the time that it took to know goes as far as `end`. */
export interface ReadObject {
  readonly value?: Extract<Loose, { is: 'object' }>
  readonly end: number
}

/** Nobody means more than this. */
const DEEPEST = 32

const WORD = /(?:-?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z]+)(?=[^\S\n]{0,20}(?:[,;}\]\n]|$|\/[/*]|#))/y
const NOTHING = /^(?:null|none|nil|undefined|nan)$/i
const NUMBER_OR_TRUTH = /^(?:-?[\d.]|(?:true|false)$)/i

/** The object whose brace stands at `at`. */
export function looseObject(text: string, at: number, depth = 0): ReadObject {
  return depth > DEEPEST ? { end: at } : looseMembers(text, at + 1, depth)
}

/** What stands between braces, from its first key on. */
export function looseMembers(text: string, from: number, depth = 0): ReadObject {
  const members: (readonly [string, Loose])[] = []
  let at = skipFiller(text, from)
  while (at < text.length) {
    if (text[at] === '}') return { value: { is: 'object', members, cut: false }, end: at + 1 }
    const key = keyAt(text, at)
    const colon = key && colonBehind(text, key.end)
    // What is neither a key nor the end: what was read so far counts.
    if (!key || colon === undefined) break
    const read = looseValue(text, skipBlanks(text, colon), 'object', depth + 1)
    members.push([key.name, read.value])
    at = skipFiller(text, read.end)
  }
  return members.length === 0 && at < text.length
    ? { end: at }
    : { value: { is: 'object', members, cut: true }, end: at }
}

/** Whether an end was guessed or missing anywhere in it: then all that comes after may be something else than it seems. */
export function isDoubtful(value: Loose): boolean {
  if (value.cut) return true
  if (value.is === 'list') return value.items.some(isDoubtful)
  if (value.is === 'object') return value.members.some(([, member]) => isDoubtful(member))
  return value.is === 'text' && value.doubtful
}

function keyAt(text: string, at: number): { readonly name: string; readonly end: number } | undefined {
  if (!isQuote(text[at])) return bareKeyAt(text, at)
  const { text: name, end, cut } = looseString(text, at, 'key')
  return cut ? undefined : { name, end }
}

/** `:`, and what other languages have there. */
function colonBehind(text: string, from: number): number | undefined {
  const at = skipBlanks(text, from)
  if (text[at] === ':' || text[at] === '：') return at + 1
  if (text[at] !== '=') return undefined
  return text[at + 1] === '>' ? at + 2 : at + 1
}

function looseValue(text: string, at: number, inside: 'object' | 'list', depth: number): Read {
  const sign = text[at]
  if (isQuote(sign)) {
    const { end, ...read } = looseString(text, at, inside)
    return { value: { is: 'text', ...read }, end }
  }
  if (sign === '{') {
    const { value, end } = looseObject(text, at, depth)
    if (value) return { value, end }
  }
  if (sign === '[' && depth <= DEEPEST) return looseList(text, at, depth)
  return word(text, at) ?? bareText(text, at, inside)
}

function looseList(text: string, from: number, depth: number): Read {
  const items: Loose[] = []
  let at = skipFiller(text, from + 1)
  while (at < text.length && text[at] !== ']') {
    const read = looseValue(text, at, 'list', depth + 1)
    // A brace that closes something else: the list was never closed.
    if (read.end === at) return { value: { is: 'list', items, cut: true }, end: at }
    items.push(read.value)
    at = skipFiller(text, read.end)
  }
  const cut = at >= text.length
  return { value: { is: 'list', items, cut }, end: cut ? at : at + 1 }
}

function word(text: string, at: number): Read | undefined {
  WORD.lastIndex = at
  const [found] = WORD.exec(text) ?? []
  if (found === undefined) return undefined
  const end = at + found.length
  const cut = end === text.length
  if (NOTHING.test(found)) return { value: { is: 'nothing', cut }, end }
  if (!NUMBER_OR_TRUTH.test(found)) return undefined
  const doubtful = !/^\s{0,20}[,}\]]/.test(text.slice(end, end + 21))
  return { value: { is: 'text', text: found, cut, doubtful }, end }
}

/** A text without any quotes: up to what can only be the next member, or the end. */
function bareText(text: string, from: number, inside: 'object' | 'list'): Read {
  let at = from
  while (at < text.length && !isDelimited(text, at, inside)) at = text[at] === '\n' ? skipBlanks(text, at) : at + 1
  const value = text.slice(from, at).trim()
  const cut = at >= text.length
  return { value: value === '' ? { is: 'nothing', cut } : { is: 'text', text: value, cut, doubtful: true }, end: at }
}
