/**
 * Compounds: what people write as one but look for in parts. `getUserById`, `snake_case`, `a/b.ts`, `node.js`, `3.14`,
 * `2026-11-01`, `user@host.com`, `C++`, `.NET`. The whole comes first, then its parts, the larger ones before the smaller:
 * `src/a-b.ts` is itself, `src`, `ab.ts`, `ab`, `a`, `b`, `ts`. A word that is none comes here too when the short way of
 * `scan` gave up on it.
 */
import { CAPITAL, classAt, DIGIT, isWordClass, LETTER, MARK, OTHER, widthAt } from './char-class.ts'
import { contractionAt, isApostropheInWord } from './english-apostrophe.ts'
import { lower } from './fold.ts'
import type { ScanRules, TokenSink } from './scan.ts'

/** Of a longer word only the beginning is indexed, and of a longer compound only the parts. In UTF-16 units. */
export const LONGEST_TERM = 64
/** A compound ends at the first joiner beyond this, so that what is made for it at a time is small. */
const LONGEST_COMPOUND = 256

/** How a piece is joined to the one before it; the highest are parted first. */
const BY_CASE = 0
const BY_HYPHEN = 1
const BY_DOT = 2
const BY_SLASH = 3

const JOINERS: ReadonlyMap<number, number> = new Map([
  ...joiners('-_&\u2010\u2011', BY_HYPHEN),
  ...joiners('.', BY_DOT),
  ...joiners('/\\@:', BY_SLASH),
  // These part nothing: apostrophes belong to the word, and the symbols of `C++` and `C#` come after it.
  ...joiners("'\u2019\uff07+#", BY_CASE),
])
const ASCII_JOINERS = new Uint8Array(128).map((_, code) => (JOINERS.has(code) ? 1 : 0))

interface Piece {
  readonly start: number
  readonly end: number
  readonly joined: number
}

/** Whether a word that is followed by this may be more than a plain one. */
export function isJoiner(code: number): boolean {
  return code < 128 ? ASCII_JOINERS[code] === 1 : JOINERS.has(code)
}

/** `start` is a letter or digit. Returns where the compound, or the word that it turned out to be, ends. */
export function scanCompound(text: string, start: number, rules: ScanRules, sink: TokenSink): number {
  const pieces: Piece[] = []
  let end = scanRun(text, start, BY_CASE, rules, pieces)
  let joined = joinerAt(text, end)
  while (joined !== undefined && end - start <= LONGEST_COMPOUND) {
    end = scanRun(text, end + 1, joined, rules, pieces)
    joined = joinerAt(text, end)
  }
  const wordEnd = pieces.at(-1)?.end ?? end
  const before = leadingDot(text, start)
  const after = trailingSymbols(text, wordEnd, pieces)
  if (before + after.length > 0 && wordEnd - start < LONGEST_TERM) {
    const form = (before > 0 ? '.' : '') + formOf(text, pieces, 0, pieces.length) + after
    sink.compound(form, start - before, wordEnd + after.length)
  }
  if (isAcronym(text, pieces)) sink.compound(lower(text.slice(start, wordEnd)).replaceAll('.', ''), start, wordEnd)
  else emit(text, pieces, 0, pieces.length, sink)
  return Math.max(end, wordEnd + after.length)
}

/** The letters and digits up to the next joiner or gap, parted where the case or the kind of character changes. */
function scanRun(text: string, start: number, joined: number, rules: ScanRules, pieces: Piece[]): number {
  const known = pieces.length
  let pieceStart = start
  let pieceJoined = joined
  let letters = 0
  // The classes of the last two characters that are no marks, and where the last one begins.
  let previous = OTHER
  let last = OTHER
  let lastAt = start
  const part = (end: number, next: number, how: number) => {
    if (end > pieceStart) pieces.push({ start: pieceStart, end, joined: pieceJoined })
    pieceStart = next
    pieceJoined = how
    letters = end === lastAt ? 1 : 0
  }
  let at = start
  for (;;) {
    const kind = classAt(text, at)
    if (kind === MARK) {
      at += widthAt(text, at)
      continue
    }
    if (!isWordClass(kind)) {
      if (!rules.englishApostrophes || last === DIGIT || !isApostropheInWord(text, at)) break
      const contraction = contractionAt(text, at + 1)
      if (contraction > 0) {
        finish(at)
        return at + 1 + contraction
      }
      at++
      continue
    }
    if (at - start <= LONGEST_TERM) {
      if (kind === CAPITAL && last === LETTER) part(at, at, BY_CASE)
      else if (kind === LETTER && last === CAPITAL && (previous === CAPITAL || previous === DIGIT)) {
        if (!isPluralOfCapitals(text, at)) part(lastAt, lastAt, BY_CASE)
      } else if (kind === DIGIT && letters >= 2) part(at, at, BY_CASE)
      else if (kind === DIGIT && previous === DIGIT && text[lastAt] === 'T' && known > 0) part(lastAt, at, BY_SLASH)
      if (kind !== DIGIT) letters++
    }
    previous = last
    last = kind
    lastAt = at
    at += widthAt(text, at)
  }
  finish(at)
  return at

  function finish(end: number): void {
    if (end - start <= LONGEST_TERM) {
      part(end, end, BY_CASE)
      return
    }
    pieces.length = known
    pieces.push({ start, end: wholeCharacters(text, start, LONGEST_TERM), joined })
  }
}

/** The whole of the pieces `from` to `to`, then its parts. */
function emit(text: string, pieces: readonly Piece[], from: number, to: number, sink: TokenSink): void {
  const first = pieces[from]
  const last = pieces[to - 1]
  if (first === undefined || last === undefined) return
  if (to - from === 1) {
    sink.word(first.start, first.end)
    return
  }
  if (last.end - first.start <= LONGEST_TERM) sink.compound(formOf(text, pieces, from, to), first.start, last.end)
  let highest = BY_CASE
  for (let at = from + 1; at < to; at++) highest = Math.max(highest, pieces[at]?.joined ?? BY_CASE)
  let begin = from
  for (let at = from + 1; at <= to; at++) {
    if (at < to && pieces[at]?.joined !== highest) continue
    emit(text, pieces, begin, at, sink)
    begin = at
  }
}

/**
 * Hyphens, underscores and case say nothing: `e-mail` is `email`, and `get_user`, `get-user` and `getUser` are one. Between
 * digits, as in dates, and where they stand for more (`node.js`, `a/b`, `AT&T`), joiners stay.
 */
function formOf(text: string, pieces: readonly Piece[], from: number, to: number): string {
  let form = ''
  for (let at = from; at < to; at++) {
    const piece = pieces[at]
    if (piece === undefined) break
    if (at > from && piece.joined !== BY_CASE && saysSomething(text, piece)) form += lower(text[piece.start - 1] ?? '')
    form += lower(text.slice(piece.start, piece.end))
  }
  return form
}

function saysSomething(text: string, piece: Piece): boolean {
  if (piece.joined !== BY_HYPHEN || text[piece.start - 1] === '&') return true
  return classAt(text, piece.start - 2) === DIGIT && classAt(text, piece.start) === DIGIT
}

/** How what follows is joined, when there is a joiner at `at` and a word right after it. */
function joinerAt(text: string, at: number): number | undefined {
  const how = JOINERS.get(text.charCodeAt(at))
  if (how === undefined || how === BY_CASE || !isWordClass(classAt(text, at + 1))) return undefined
  if (text[at] !== ':') return how
  return classAt(text, at - 1) === DIGIT && classAt(text, at + 1) === DIGIT ? how : undefined
}

/** "U.S.A" is "usa": its letters alone are worth nothing. */
function isAcronym(text: string, pieces: readonly Piece[]): boolean {
  return (
    pieces.length > 1 &&
    pieces.every(
      ({ start, end, joined }, at) =>
        end - start === 1 && classAt(text, start) !== DIGIT && (at === 0 || joined === BY_DOT),
    )
  )
}

/** What may stand before the dot of `.NET` and `.env`; after a word, as in `list().size`, it joins or ends something. */
const BEFORE_DOT = /[\s([{"'`/\u2018\u2019\u201c\u201d\u201e\uff02]/

/** 1 for such a dot. */
function leadingDot(text: string, start: number): number {
  if (text[start - 1] !== '.' || classAt(text, start) === DIGIT) return 0
  return start === 1 || BEFORE_DOT.test(text[start - 2] ?? '') ? 1 : 0
}

/** The `++` of C++, the `#` of C# and F#. */
function trailingSymbols(text: string, end: number, pieces: readonly Piece[]): string {
  const symbols = text.startsWith('++', end) ? '++' : text[end] === '#' ? '#' : ''
  if (symbols === '' || isWordClass(classAt(text, end + symbols.length))) return ''
  const last = pieces.at(-1)
  const isShort = last !== undefined && pieces.length === 1 && last.end - last.start <= 2
  return symbols === '#' && !isShort ? '' : symbols
}

/** The "s" of "APIs" begins no part. */
function isPluralOfCapitals(text: string, at: number): boolean {
  return text[at] === 's' && !isWordClass(classAt(text, at + 1))
}

/** At most `length` units after `start`, without cutting a character in two. */
function wholeCharacters(text: string, start: number, length: number): number {
  const end = start + length
  return widthAt(text, end - 1) === 2 ? end - 1 : end
}

function joiners(characters: string, how: number): [number, number][] {
  return [...characters].map((character) => [character.charCodeAt(0), how])
}
