/**
 * Where a text may be cut, and what it costs up to there in tokens of a small embedding model. Numbers in columns and no object for each
 * word: a text may have a million of them.
 *
 * Tokens are estimated, for the model's own words are megabytes. It is WordPiece of BERT, made of English in lower case: an English word is
 * one token or few, of other words and of what is no language it knows little more than pairs of letters. So letters cost more unless the text
 * is English as far as one can tell: one of the commonest words was there a moment ago. Measured on a hundred languages, code and data, pieces
 * of 200 estimated tokens have 140 to 190 as a rule and 245 at most; only letters drawn at random have more.
 */

/** By place to cut, in order: the piece before ends at `ends`, the next one starts at `nexts`, and the text up to here costs `costs`. */
export interface Cuts {
  readonly ends: number[]
  readonly nexts: number[]
  readonly costs: number[]
  readonly strengths: number[]
}

export const ANYWHERE = 0
const WORD = 1
const SENTENCE = 2
const LINE = 3
const PARAGRAPH = 4

/** Words that hardly any other language has. */
const ENGLISH =
  'the and that this with from have you your are not which they what but been were their would there can'.split(' ')
const LONGEST_ENGLISH = 5
/** In English, one of these is among so many words nearly always. */
const ENGLISH_REACH = 20

/** Of a longer run, parts. */
const MOST_LETTERS = 24
const MOST_DIGITS = 12
const MOST_CLOSERS = 4

const NO_LETTER = 0
/** Latin, but no accent makes it a letter of English. */
const OTHER_LETTER = 27
/** Goes with its letter, as it does for the model. */
const ACCENT = 28
const RARE_LETTERS = 'jkqvwxyz'

/** By character code: 1 to 26 is a letter of English, with or without an accent. */
const LETTERS: Uint8Array = latinLetters()
const LETTER_COSTS: readonly number[] = Array.from({ length: ACCENT + 1 }, (_, letter) => costOfLetter(letter))
const ENGLISH_KEYS: ReadonlySet<number> = new Set(ENGLISH.map(keyOf))

const SPACE = /\s/
const STOPS: ReadonlySet<number> = codesOf('.!?\u2026')
const CLOSERS: ReadonlySet<number> = codesOf('"\')]\u00bb\u2019\u201d')
const WIDE_STOPS: ReadonlySet<number> = codesOf('\u3002\uff01\uff1f\uff61')
const WIDE_COMMAS: ReadonlySet<number> = codesOf('\u3001\uff0c\uff1b')

const UNKNOWN = 0
const NO_MARK = 1
const MARK = 2
/** It stands beside its letter and is a token of its own. */
const SPACING_MARK = 3
/** By character code, as far as any was asked about. */
const MARKS = new Uint8Array(0x10000)

export function cutsOf(text: string): Cuts {
  return new Scan(text).cuts()
}

class Scan {
  readonly #text: string
  readonly #cuts: Cuts = { ends: [], nexts: [], costs: [], strengths: [] }
  #at = 0
  #cost = 0
  #wordsSinceEnglish = ENGLISH_REACH

  constructor(text: string) {
    this.#text = text
  }

  cuts(): Cuts {
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at)
      if (letterOf(code) !== NO_LETTER) this.#word()
      else if (isDigit(code)) this.#digits()
      else if (isSpace(code)) this.#space()
      else this.#character(code)
    }
    return this.#cuts
  }

  #cut(end: number, cost: number, strength: number = ANYWHERE): void {
    this.#at = end
    this.#cost += cost
    this.#cuts.ends.push(end)
    this.#cuts.nexts.push(end)
    this.#cuts.costs.push(this.#cost)
    this.#cuts.strengths.push(strength)
  }

  #word(): void {
    let end = this.#at
    let [length, key, cost] = [0, 0, 0]
    let [hasSmall, isOdd] = [false, false]
    for (; end < this.#text.length && length < MOST_LETTERS; end++) {
      const code = this.#text.charCodeAt(end)
      const letter = letterOf(code)
      if (letter === NO_LETTER) break
      if (letter === ACCENT) continue
      length++
      if (length <= LONGEST_ENGLISH) key = key * ACCENT + letter
      cost += LETTER_COSTS[letter] ?? 0
      const isSmall = code >= 0x61 && code <= 0x7a
      isOdd ||= !isSmall && (hasSmall || code > 0x5a) // an accent, or a capital after a small letter
      hasSmall ||= isSmall
    }
    const isEnglish = length <= LONGEST_ENGLISH && ENGLISH_KEYS.has(key)
    this.#wordsSinceEnglish = isEnglish ? 0 : this.#wordsSinceEnglish + 1
    const isAmongEnglish = this.#wordsSinceEnglish < ENGLISH_REACH && !isOdd && length < MOST_LETTERS
    this.#cut(end, isAmongEnglish ? costOfEnglish(length) : Math.max(1.1, cost))
  }

  #digits(): void {
    let end = this.#at + 1
    while (end - this.#at < MOST_DIGITS && isDigit(this.#text.charCodeAt(end))) end++
    const length = end - this.#at
    this.#cut(end, length <= 3 ? 1.1 : 0.65 * length - 0.7)
  }

  /** It makes the cut before it a better one. */
  #space(): void {
    const start = this.#at
    let lines = 0
    for (; isSpace(this.#text.charCodeAt(this.#at)); this.#at++) if (this.#text[this.#at] === '\n') lines++
    const last = this.#cuts.ends.length - 1
    if (last < 0) return
    this.#cuts.nexts[last] = this.#at
    this.#cuts.strengths[last] = lines > 1 ? PARAGRAPH : lines === 1 ? LINE : this.#sentenceOrWord(start)
  }

  /** Quotes and brackets may close after a full stop. */
  #sentenceOrWord(end: number): number {
    let last = end - 1
    while (end - last < MOST_CLOSERS && CLOSERS.has(this.#text.charCodeAt(last))) last--
    return STOPS.has(this.#text.charCodeAt(last)) ? SENTENCE : WORD
  }

  /** Any other, with the marks on it. */
  #character(code: number): void {
    const isPair = code >= 0xd800 && code <= 0xdbff && this.#text.charCodeAt(this.#at + 1) >> 10 === 0x37
    let end = this.#at + (isPair ? 2 : 1)
    let cost = code >= 0xac00 && code <= 0xd7a3 ? 2.5 : 1 // a Korean syllable is two or three letters
    for (; end < this.#text.length; end++) {
      const mark = markOf(this.#text.charCodeAt(end))
      if (mark === NO_MARK) break
      if (mark === SPACING_MARK) cost++
    }
    this.#cut(end, cost, WIDE_STOPS.has(code) ? SENTENCE : WIDE_COMMAS.has(code) ? WORD : ANYWHERE)
  }
}

/** Short words are in the vocabulary; longer ones come in parts of about four letters. */
function costOfEnglish(length: number): number {
  return length <= 7 ? 1.15 : 0.25 * (length - 2)
}

function costOfLetter(letter: number): number {
  const isRare = letter === OTHER_LETTER || RARE_LETTERS.includes(String.fromCharCode(letter + 0x60))
  return isRare ? 0.75 : 0.4
}

function letterOf(code: number): number {
  return LETTERS[code] ?? NO_LETTER
}

function markOf(code: number): number {
  const known = MARKS[code] ?? NO_MARK
  if (known !== UNKNOWN) return known
  const character = String.fromCharCode(code)
  const mark = /\p{Mc}/u.test(character) ? SPACING_MARK : /[\p{M}\u200d]/u.test(character) ? MARK : NO_MARK
  MARKS[code] = mark
  return mark
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((character) => character.charCodeAt(0)))
}

function keyOf(word: string): number {
  return [...word].reduce((key, letter) => key * ACCENT + letterOf(letter.charCodeAt(0)), 0)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isSpace(code: number): boolean {
  return code <= 0x7f ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : SPACE.test(String.fromCharCode(code))
}

function latinLetters(): Uint8Array {
  const letters = new Uint8Array(0x1f00)
  for (let code = 0; code < letters.length; code++) {
    const character = String.fromCharCode(code)
    const base = character.normalize('NFD').toLowerCase().charCodeAt(0)
    if (code >= 0x300 && code < 0x370) letters[code] = ACCENT
    else if (base >= 0x61 && base <= 0x7a) letters[code] = base - 0x60
    else if (code < 0x250 && /\p{L}/u.test(character)) letters[code] = OTHER_LETTER
  }
  return letters
}
