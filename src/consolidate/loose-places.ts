/**
 * What stands at a place of loose JSON, told by looking ahead a bounded way: blanks and comments, a key, the end of a text. No look
 * ahead goes over a long comment, so that none is gone over twice.
 */

const BLANK = /\s/
const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$]{0,60}(?:[ -][\p{L}\p{N}_$]{1,60}){0,3}(?=\s{0,20}(?::(?!\/\/)|：|=(?!=)))/uy
/** What no key is longer than. */
export const LONGEST_KEY = 100

const VALUE = /["'`“„«‘{[\d-]|(?:true|false|null|none)\b/iy
const NOTE = /(?:#|\/\/)[^\n"'`“”„«»‘’]{0,200}\n|\/\*[^*"'`“”„«»‘’]{0,200}\*\//y
const MOST_NOTES = 3
const LONGEST_CLOSING = 200

export type Sure = 'surely' | 'perhaps' | 'not'

const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”“"',
  '„': '“”"',
  '«': '»',
  '‘': "’‘'",
  '’': "’‘'",
}

/** The signs that end a string begun by this one, the right one first; `undefined` where it begins none. */
export function closersOf(quote: string | undefined): string | undefined {
  return quote === undefined ? undefined : CLOSERS[quote]
}

export function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && BLANK.test(text[at] ?? '')) at++
  return at
}

/** Past blanks, commas and comments; not past one with a quote in it, which may be a part of a string. */
export function skipFiller(text: string, from: number): number {
  let at = from
  for (;;) {
    at = skipBlanks(text, at)
    if (text[at] === ',' || text[at] === ';') at++
    else if (isComment(text, at)) {
      const end = behind(text, text.startsWith('/*', at) ? '*/' : '\n', at + 1)
      if (/["'`“”„«»‘’]/.test(text.slice(at, end))) return at
      at = end
    } else return at
  }
}

function isComment(text: string, at: number): boolean {
  return text[at] === '#' || (text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*'))
}

function behind(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

export function bareKeyAt(text: string, at: number): { readonly name: string; readonly end: number } | undefined {
  BARE_KEY.lastIndex = at
  const [name] = BARE_KEY.exec(text) ?? []
  return name === undefined ? undefined : { name, end: at + name.length }
}

/** Whether a string ends with the quote before this place: `perhaps`, where a quote inside of it may be followed by the same. */
export function endsBefore(text: string, from: number, inside: 'object' | 'list'): Sure {
  const at = skipNotes(text, from)
  const sign = text[at]
  if (sign === '}') return inside === 'object' ? 'surely' : 'perhaps'
  if (sign === ']') return inside === 'list' ? 'surely' : 'not'
  if (sign === ',') return followsComma(text, skipNotes(text, at + 1), inside)
  if (sign === ';') return followsComma(text, skipNotes(text, at + 1), inside) === 'not' ? 'not' : 'perhaps'
  if (inside === 'object' && closersOf(sign) !== undefined && keyBegins(text, at) === 'surely') return 'perhaps'
  return isOnlyClosing(text, at) ? 'perhaps' : 'not'
}

function followsComma(text: string, at: number, inside: 'object' | 'list'): Sure {
  const sign = text[at]
  if (sign === undefined) return 'perhaps'
  if (sign === (inside === 'object' ? '}' : ']')) return 'surely'
  if (inside === 'object') return keyBegins(text, at)
  VALUE.lastIndex = at
  return VALUE.test(text) ? 'surely' : 'not'
}

/** Past blanks and short comments. A quote in a comment shows that it may be a part of a string. */
function skipNotes(text: string, from: number): number {
  let at = skipBlanks(text, from)
  for (let most = MOST_NOTES; most > 0 && isComment(text, at); most--) {
    NOTE.lastIndex = at
    const [note] = NOTE.exec(text) ?? []
    if (note === undefined) return at
    at = skipBlanks(text, at + note.length)
  }
  return at
}

/** The end of all, but for a fence and the tokens of a template. */
function isOnlyClosing(text: string, at: number): boolean {
  return text.length - at <= LONGEST_CLOSING && /^(?:```|<[|/][^<>\n]{1,60}>|\s)*$/.test(text.slice(at))
}

/** Whether a bare text ends here. */
export function isDelimited(text: string, at: number, inside: 'object' | 'list'): boolean {
  const sign = text[at]
  if (sign === '}' || sign === ']') return true
  if (inside === 'list') return sign === ',' || sign === '\n'
  if (sign !== ',' && sign !== '\n') return false
  return beginsMember(text, skipBlanks(text, at + 1))
}

/** Behind a comma: another member, or the end of all. */
function beginsMember(text: string, at: number): boolean {
  const sign = text[at]
  if (sign === undefined || sign === '}' || sign === ']' || isComment(text, at)) return true
  return keyBegins(text, at) !== 'not'
}

function keyBegins(text: string, at: number): Sure {
  const closers = closersOf(text[at])
  if (closers === undefined) return bareKeyAt(text, at) === undefined ? 'not' : 'surely'
  const most = Math.min(text.length, at + LONGEST_KEY)
  for (let end = at + 1; end < most; end++) {
    const sign = text[end] ?? ''
    if (sign === '\\') end++
    else if (closers.includes(sign)) {
      const next = text[skipBlanks(text, end + 1)]
      if (next === undefined) return 'perhaps'
      return next === ':' || next === '：' || next === '=' ? 'surely' : 'not'
    }
  }
  return 'perhaps'
}
