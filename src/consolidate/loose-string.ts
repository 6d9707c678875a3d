/** A string of loose JSON: what it says, and whether its end was there. Half an escape at the very end says nothing. */
import { isFieldKeyAt } from './field-names.ts'
import { closersOf, endsBefore, LONGEST_KEY } from './loose-places.ts'

export interface LooseString {
  readonly text: string
  readonly end: number
  readonly cut: boolean
  /** It may be a part of what was meant: signs that may end a string stood in it, or what comes after it may belong to it. */
  readonly doubtful: boolean
}

const TRIPLES = ['"""', "'''", '```']

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '\n' }
/** Their backslash is no part of the text; before any other sign it is one, as in `C:\path` and in Markdown. */
const ESCAPED_SIGNS = '"\'`\\/“”‘’„«»'
const CODE = /u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})/iy

export function isQuote(sign: string | undefined): boolean {
  return closersOf(sign) !== undefined
}

/** One that stands `alone`, and a key, end with the first quote. No other goes beyond a key of ours. */
export function looseString(text: string, at: number, inside: 'object' | 'list' | 'key' | 'alone'): LooseString {
  const triple = TRIPLES.find((quotes) => text.startsWith(quotes, at))
  if (triple !== undefined) return tripleString(text, at, triple)
  const closers = closersOf(text[at]) ?? ''
  const last = inside === 'key' ? Math.min(text.length, at + LONGEST_KEY) : text.length
  let out = ''
  let from = at + 1
  let doubtful = false
  for (let place = from; place < last; place++) {
    const sign = text[place] ?? ''
    if (sign === '\\') {
      const meant = escapeAt(text, place + 1)
      out += text.slice(from, place) + meant.text
      from = place + 1 + meant.length
      place = from - 1
    } else if (closers.includes(sign)) {
      const ends = inside === 'key' || inside === 'alone' ? 'surely' : endsBefore(text, place + 1, inside)
      const read = out + text.slice(from, place)
      doubtful ||= ends !== 'surely' || sign !== closers[0]
      if (ends !== 'not') return { text: read, end: place + 1, cut: false, doubtful }
      if (isFieldKeyAt(text, place)) return { text: read.trimEnd(), end: place, cut: false, doubtful }
    }
  }
  return { text: out + text.slice(from), end: text.length, cut: true, doubtful }
}

/** Python's long strings, and a fence in the place of a string. */
function tripleString(text: string, at: number, quotes: string): LooseString {
  const line = text.indexOf('\n', at)
  const isFence = quotes === '```' && line >= 0 && /^\w*[ \t]*\r?$/.test(text.slice(at + 3, Math.min(line, at + 40)))
  const from = isFence ? line + 1 : at + 3
  const end = text.indexOf(isFence ? '\n```' : quotes, isFence ? line : from)
  const doubtful = true
  if (end < 0) return { text: text.slice(from), end: text.length, cut: true, doubtful }
  return { text: text.slice(from, end), end: end + (isFence ? 4 : 3), cut: false, doubtful }
}

/** What the escape says whose backslash stands before this place, and how long it is. */
function escapeAt(text: string, at: number): { readonly text: string; readonly length: number } {
  const sign = text[at]
  if (sign === undefined) return { text: '', length: 0 }
  if (ESCAPED_SIGNS.includes(sign)) return { text: sign, length: 1 }
  const known = ESCAPES[sign]
  if (known !== undefined) return { text: known, length: 1 }
  CODE.lastIndex = at
  const [whole, braced, four, two] = CODE.exec(text) ?? []
  if (whole === undefined) return half(text, at)
  const code = Number.parseInt(braced ?? four ?? two ?? '', 16)
  // Halves of a character come one by one, and find each other in the text.
  return { text: code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code), length: whole.length }
}

function half(text: string, at: number): { readonly text: string; readonly length: number } {
  const rest = text.slice(at, at + 6)
  const isHalf = at + rest.length === text.length && /^u[0-9a-f]{0,3}$/i.test(rest)
  return isHalf ? { text: '', length: rest.length } : { text: '\\', length: 0 }
}
