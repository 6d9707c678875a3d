/**
 * Text of a memory made harmless for a prompt: nothing in it opens or closes a block of ours, or looks to a model like the
 * beginning of a turn, a tool call or a special token, or like a comment, which would hide what follows. Where something does,
 * a dot stands in it: `<·/memory>`, `Human·:`. A dot, because an escape that can be undone (`&lt;`, `<\/`) is a tag again for
 * who undoes it. Control characters and invisible ones are made visible; everything else stays byte for byte. A second pass changes
 * nothing. Time is proportional to the length: every look ahead ends at the next bracket, every look back at the last bracket or
 * colon.
 */
import type { JsonValue } from '../model/entry.ts'
import { codesOf, decoded, type Folded, fold } from './folded.ts'
import { markInvisible } from './invisible.ts'
import { lettersOf } from './look-alikes.ts'
import { isOneOf, ROLES, SQUARE_NAMES, TAG_NAMES, TOKEN_NAMES, type Words } from './telling-names.ts'

const DOT = '·'

const BLANK = 0x20
const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const EXCLAMATION = 0x21
const DASH = 0x2d
const AMPERSAND = 0x26
const SQUARE = 0x5b
const COLON = 0x3a
const BAR = 0x7c
const NEWLINE = 0x0a

type Signs = ReadonlySet<number>
const JOINERS: Signs = new Set(codesOf('_-.'))
const BEFORE_TAGS: Signs = new Set(codesOf('/\\!?_-.'))
const BEFORE_SQUARE: Signs = new Set(codesOf('/_-.'))
const MARKDOWN: Signs = new Set(codesOf('#*_>'))

const LONGEST = 24
const LONGEST_ROLE = 9

/** Nobody writes a reference to a reference to a reference by chance. */
const MOST_DECODINGS = 4

export function neutral(text: string): string {
  // Last, because a tolerant reader ignores an invisible character inside a tag.
  return markInvisible(dotted(text))
}

/** Escapes every string in a value, keys included. */
export function neutralJson<T extends JsonValue>(value: T): T
export function neutralJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return neutral(value)
  if (Array.isArray(value)) return value.map((one) => neutralJson(one))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [neutral(key), neutralJson(one)]))
}

/**
 * Restores the original lines in a model's rewrite of a text: a line that equals a line as it was shown becomes the line as it was
 * written, so that no dot and no mark gets into a file. `shown` has the same number of lines as `written`.
 */
export function restoreOriginalLines(rewrite: string, written = '', shown: string = neutral(written)): string {
  if (shown === written) return rewrite
  const lines = written.split('\n')
  const own = new Map(shown.split('\n').flatMap((line, at) => (line === lines[at] ? [] : [[line, lines[at]]])))
  return rewrite
    .split('\n')
    .map((line) => own.get(line) ?? line)
    .join('\n')
}

function dotted(text: string): string {
  if (!/[<>[&:\u0080-\uffff]/.test(text)) return text
  const places = new Set<number>()
  // Every way of reading counts: a reference may hide the sign that ends a name, or be one.
  let reading = fold(text)
  for (let times = 0; ; times++) {
    findPlaces(text, reading, places)
    const next = decoded(reading)
    if (!next) break
    if (times === MOST_DECODINGS) {
      breakReferences(text, reading, places)
      break
    }
    reading = next
  }
  let out = ''
  let from = 0
  for (const place of [...places].sort((a, b) => a - b)) {
    out += text.slice(from, place) + DOT
    from = place
  }
  return out + text.slice(from)
}

function findPlaces(text: string, { codes, starts }: Folded, places: Set<number>): void {
  for (let at = 0; at < codes.length; at++) {
    switch (codes[at]) {
      case LESS_THAN:
        if (opensTag(codes, at + 1)) places.add(afterCharacter(text, starts[at]))
        break
      case SQUARE:
        if (beginsWithName(codes, skip(codes, at + 1, BEFORE_SQUARE), SQUARE_NAMES))
          places.add(afterCharacter(text, starts[at]))
        break
      case GREATER_THAN:
        if (closesComment(codes, at)) places.add(starts[at] ?? 0)
        break
      case COLON:
        if (endsRole(codes, at)) places.add(starts[at] ?? 0)
        break
    }
  }
}

/** What is still there after so many times is not decoded by anybody who can't begin. */
function breakReferences(text: string, { codes, starts }: Folded, places: Set<number>): void {
  for (const [at, code] of codes.entries()) if (code === AMPERSAND) places.add(afterCharacter(text, starts[at]))
}

function afterCharacter(text: string, start = 0): number {
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
}

function opensTag(codes: Int32Array, from: number): boolean {
  if (opensComment(codes, from)) return true
  const at = skip(codes, from, BEFORE_TAGS)
  return codes[at] === BAR ? isToken(codes, at + 1) : beginsWithName(codes, at, TAG_NAMES)
}

/** `<!--`, and `<![` of CDATA: what follows would be hidden up to its end, our closing tag with it. */
function opensComment(codes: Int32Array, from: number): boolean {
  const mark = skip(codes, from)
  if (codes[mark] !== EXCLAMATION) return false
  const first = skip(codes, mark + 1)
  return codes[first] === SQUARE || (codes[first] === DASH && codes[skip(codes, first + 1)] === DASH)
}

/** `-->` or `--!>`. Not over the end of a line: a line of dashes and a quote below it are Markdown. */
function closesComment(codes: Int32Array, bracket: number): boolean {
  let at = bracket - 1
  while (codes[at] === BLANK || codes[at] === EXCLAMATION) at--
  return codes[at] === DASH && codes[at - 1] === DASH
}

/** Past blanks and the signs given. */
function skip(codes: Int32Array, from: number, signs?: Signs): number {
  let at = from
  while (at < codes.length && (isBlank(codes[at]) || signs?.has(codes[at] ?? 0)) && !isRule(codes, at)) at++
  return at
}

/** The line of dashes that parts a prompt ends whatever was begun before it, though dashes in a name do not. */
function isRule(codes: Int32Array, at: number): boolean {
  if (codes[at] !== DASH || codes[at - 1] !== NEWLINE) return false
  return codes[at + 1] === DASH && codes[at + 2] === DASH && codes[at + 3] === NEWLINE
}

/** Whether a name stands here that ends as names end. Blanks inside it do not save it, a namespace before it neither. */
function beginsWithName(codes: Int32Array, from: number, names: Words): boolean {
  let letters: number[] = []
  let isSpaced = false
  for (let at = from; ; at++) {
    const code = codes[at]
    if (isBlank(code)) {
      if (isOneOf(names, letters)) return true
      if (letters.length > LONGEST) return false
      isSpaced = true
    } else if (code === COLON && !isSpaced) {
      if (isOneOf(names, letters)) return true
      letters = []
    } else if (isNameCharacter(code)) {
      letters.push(lettersOf(code ?? 0))
    } else if (!JOINERS.has(code ?? 0) || isRule(codes, at)) {
      return isOneOf(names, letters)
    }
  }
}

/** What stands between bars. */
function isToken(codes: Int32Array, from: number): boolean {
  const letters: number[] = []
  let isSpaced = false
  for (let at = from; ; at++) {
    const code = codes[at]
    if (isBlank(code)) isSpaced = true
    else if (isNameCharacter(code)) letters.push(lettersOf(code ?? 0))
    else if (!JOINERS.has(code ?? 0)) {
      const isWhole = code === BAR && !isSpaced && letters.length > 0
      return isWhole || isOneOf(TOKEN_NAMES, letters) || isOneOf(TAG_NAMES, letters)
    }
    if (isSpaced && letters.length > LONGEST) return false
  }
}

/** Whether the line up to this colon is a role and nothing else but marks of Markdown, below a blank line or at the start. */
function endsRole(codes: Int32Array, colon: number): boolean {
  const letters: number[] = []
  let at = colon - 1
  for (; at >= 0 && codes[at] !== NEWLINE; at--) {
    const code = codes[at]
    if (isNameCharacter(code)) letters.unshift(lettersOf(code ?? 0))
    else if (!isBlank(code) && !MARKDOWN.has(code ?? 0)) return false
    if (letters.length > LONGEST_ROLE) return false
  }
  if (!isOneOf(ROLES, letters)) return false
  do at--
  while (codes[at] === BLANK)
  return at < 0 || codes[at] === NEWLINE
}

function isBlank(code: number | undefined): boolean {
  return code === BLANK || code === NEWLINE
}

/** What may be read as a letter, and digits. A letter that looks like none of ours ends a name, as a sign does. */
function isNameCharacter(code: number | undefined): boolean {
  return code !== undefined && ((code >= 0x30 && code <= 0x39) || lettersOf(code) !== 0)
}
