/**
 * A text as a tolerant reader sees it: compatibility forms and look-alike signs as what they stand for, without what is not
 * seen (zero-width, direction, marks over letters), blanks of every sort as blanks. Each character knows where it stood.
 * Letters keep their script and case: look-alikes.ts says what each may be read as.
 */
import { enclosedLetter, signOf } from './look-alikes.ts'

export interface Folded {
  /** Code points. */
  readonly codes: Int32Array
  /** For each, where the character that it came from begins in the text. */
  readonly starts: Int32Array
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const BLANK = 0x20
const AMPERSAND = 0x26
const HASH = 0x23
const SEMICOLON = 0x3b

const LINE_END = /[\v\f\u0085\u2028\u2029]/

/** A few ligatures unfold to whole sentences, which no name of ours is part of. */
const MOST_CODES = 4

export function fold(text: string): Folded {
  const out = new Growing(text.length)
  const before = new Map<number, readonly number[]>()
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0
    if (code > BLANK && code < 0x7f) {
      out.push(code, at)
      continue
    }
    // One end of line, not two: else every line would follow a blank one.
    if (code === RETURN && text.charCodeAt(at + 1) === NEWLINE) continue
    const folded = before.get(code) ?? foldedCharacter(code)
    before.set(code, folded)
    for (const one of folded) out.push(one, at)
    if (code > 0xffff) at++
  }
  return out.folded()
}

function foldedCharacter(code: number): readonly number[] {
  if (code === NEWLINE || code === RETURN) return [NEWLINE]
  if (code === BLANK) return [BLANK]
  const enclosed = enclosedLetter(code)
  if (enclosed !== undefined) return [enclosed]
  const out: number[] = []
  for (const character of String.fromCodePoint(code).normalize('NFKD')) {
    if (LINE_END.test(character)) out.push(NEWLINE)
    else if (/[\t\p{Z}]/u.test(character)) out.push(BLANK)
    else if (!isUnseen(character)) out.push(signOf(character.codePointAt(0) ?? 0))
  }
  return out.slice(0, MOST_CODES)
}

function isUnseen(character: string): boolean {
  return /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)
}

/** The same with each character reference (`&lt;`, `&#60;`, `&#x3c;`) decoded once; `undefined` when there are none. */
export function decoded({ codes, starts }: Folded): Folded | undefined {
  if (!codes.includes(AMPERSAND)) return undefined
  const out = new Growing(codes.length)
  let found = false
  for (let at = 0; at < codes.length; ) {
    const reference = codes[at] === AMPERSAND ? referenceAt(codes, at) : undefined
    found ||= reference !== undefined
    const start = starts[at] ?? 0
    if (reference) for (const code of reference.codes) out.push(code, start)
    else out.push(codes[at] ?? 0, start)
    at = reference?.end ?? at + 1
  }
  return found ? out.folded() : undefined
}

interface Reference {
  readonly codes: readonly number[]
  readonly end: number
}

/** Those that stand for a sign we look at, or for nothing that is seen. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['gt', '>'],
  ['lt', '<'],
  ['nvlt', '<'],
  ['lang', '<'],
  ['langle', '<'],
  ['lsaquo', '<'],
  ['laquo', '<'],
  ['lsqb', '['],
  ['lbrack', '['],
  ['vert', '|'],
  ['verbar', '|'],
  ['verticalline', '|'],
  ['sol', '/'],
  ['bsol', '\\'],
  ['excl', '!'],
  ['quest', '?'],
  ['colon', ':'],
  ['lowbar', '_'],
  ['underbar', '_'],
  ['hyphen', '-'],
  ['dash', '-'],
  ['ndash', '-'],
  ['mdash', '-'],
  ['minus', '-'],
  ['period', '.'],
  ['newline', '\n'],
  ['tab', ' '],
  ['nbsp', ' '],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
  ['shy', ''],
  ['zwj', ''],
  ['zwnj', ''],
  ['lrm', ''],
  ['rlm', ''],
  ['zerowidthspace', ''],
  ['nobreak', ''],
])
const LONGEST_NAME = 14
/** Browsers read these so. */
const WITHOUT_SEMICOLON = ['lt', 'gt', 'amp', 'nbsp', 'shy']
const MATHEMATICAL_LETTER = /^([a-z])(?:fr|scr|opf)$/

function referenceAt(codes: Int32Array, ampersand: number): Reference | undefined {
  if (codes[ampersand + 1] === HASH) return numberedAt(codes, ampersand + 2)
  let name = ''
  let end = ampersand + 1
  while (name.length <= LONGEST_NAME && isLatin(codes[end]))
    name += String.fromCharCode(codes[end++] ?? 0).toLowerCase()
  const text = NAMED.get(name) ?? MATHEMATICAL_LETTER.exec(name)?.[1]
  if (codes[end] === SEMICOLON && text !== undefined) return { codes: codesOf(text), end: end + 1 }
  const begun = WITHOUT_SEMICOLON.find((one) => name.startsWith(one))
  return begun ? { codes: codesOf(NAMED.get(begun) ?? ''), end: ampersand + 1 + begun.length } : undefined
}

function numberedAt(codes: Int32Array, from: number): Reference | undefined {
  const isHex = codes[from] === 0x78 || codes[from] === 0x58
  const base = isHex ? 16 : 10
  let end = isHex ? from + 1 : from
  const first = end
  let value = 0
  for (; ; end++) {
    const digit = Number.parseInt(String.fromCodePoint(codes[end] ?? BLANK), base)
    if (Number.isNaN(digit)) break
    value = Math.min(value * base + digit, 0x110000)
  }
  if (end === first) return undefined
  const character = value > 0 && value < 0x110000 ? foldedCharacter(value) : []
  return { codes: character, end: codes[end] === SEMICOLON ? end + 1 : end }
}

function isLatin(code: number | undefined): boolean {
  return code !== undefined && ((code >= 65 && code <= 90) || (code >= 97 && code <= 122))
}

export function codesOf(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0))
}

/** Numbers by twos, in as much room as they take. */
class Growing {
  #codes: Int32Array
  #starts: Int32Array
  #length = 0

  constructor(length: number) {
    this.#codes = new Int32Array(length)
    this.#starts = new Int32Array(length)
  }

  push(code: number, start: number): void {
    if (this.#length === this.#codes.length) this.#grow()
    this.#codes[this.#length] = code
    this.#starts[this.#length++] = start
  }

  folded(): Folded {
    return { codes: this.#codes.subarray(0, this.#length), starts: this.#starts.subarray(0, this.#length) }
  }

  #grow(): void {
    const [codes, starts] = [this.#codes, this.#starts]
    this.#codes = new Int32Array(codes.length * 2 + MOST_CODES)
    this.#starts = new Int32Array(codes.length * 2 + MOST_CODES)
    this.#codes.set(codes)
    this.#starts.set(starts)
  }
}
