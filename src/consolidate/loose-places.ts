/**
 * What stands at a place of loose JSON, told by looking ahead a bounded way: blanks and comments, a key, the end of a text. No look
 * ahead goes over a comment, so that none is gone over twice.
 */

const BLANK = /\s/
const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$]{0,60}(?:[ -][\p{L}\p{N}_$]{1,60}){0,3}(?=\s{0,20}(?::(?!\/\/)|：|=(?!=)))/uy
/** What no key is longer than. */
export const LONGEST_KEY = 100

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

/** The signs that end a string begun by this one; `undefined` where it begins none. */
export function closersOf(quote: string | undefined): string | undefined {
  return quote === undefined ? undefined : CLOSERS[quote]
}

export function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && BLANK.test(text[at] ?? '')) at++
  return at
}

/** Past blanks, commas and comments. */
export function skipFiller(text: string, from: number): number {
  let at = from
  for (;;) {
    at = skipBlanks(text, at)
    if (text[at] === ',' || text[at] === ';') at++
    else if (isComment(text, at)) at = behind(text, text.startsWith('/*', at) ? '*/' : '\n', at + 1)
    else return at
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

/** Whether a string can end with the quote before this place. */
export function canFollow(text: string, from: number, inside: 'object' | 'list'): boolean {
  const at = skipBlanks(text, from)
  const sign = text[at]
  if (sign === undefined || sign === '}' || sign === ']' || isComment(text, at)) return true
  if (text.startsWith('```', at) || text.startsWith('<|', at)) return true
  if (sign !== ',' && sign !== ';') return inside === 'object' && keyBegins(text, at, false)
  return inside === 'list' || beginsMember(text, skipBlanks(text, at + 1))
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
  return keyBegins(text, at, true)
}

/** `unseen`: what to say of one whose end does not come soon, or at all. */
function keyBegins(text: string, at: number, unseen: boolean): boolean {
  const closers = closersOf(text[at])
  if (closers === undefined) return bareKeyAt(text, at) !== undefined
  const most = Math.min(text.length, at + LONGEST_KEY)
  for (let end = at + 1; end < most; end++) {
    const sign = text[end] ?? ''
    if (sign === '\\') end++
    else if (closers.includes(sign)) {
      const next = text[skipBlanks(text, end + 1)]
      return next === undefined || next === ':' || next === '：' || next === '='
    }
  }
  return unseen
}
