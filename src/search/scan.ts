/**
 * Finds the tokens of a text: where each begins and ends, in the text as it is. What a token is worth as a term (folding,
 * stemming) is up to the one who listens. Hand-written instead of regular expressions: its time is proportional to the
 * length of the text, whatever the text is, and plain ASCII words, which are nearly all, take the short way.
 */
import {
  ASCII_CLASSES,
  CAPITAL,
  classAt,
  DIGIT,
  isWordClass,
  LETTER,
  MARK,
  OTHER,
  PAIRED,
  PICTOGRAPH,
  widthAt,
} from './char-class.ts'
import { isJoiner, LONGEST_TERM, scanCompound } from './compound.ts'

export interface TokenSink {
  /** A word, or one part of a compound. */
  word(start: number, end: number): void
  /** A compound as a whole, before its parts: `getUserById`, `a/b.ts`, `C++`. `form` is lower. */
  compound(form: string, start: number, end: number): void
  /** Two neighbouring characters of a script without spaces; one where it stands alone; a pictograph. */
  gram(start: number, end: number): void
}

export interface ScanRules {
  /** "don't" is one word and the "'s" of "Melanie's" none; without it an apostrophe parts, as in "l'eau". */
  readonly englishApostrophes: boolean
}

export function scan(text: string, rules: ScanRules, sink: TokenSink): void {
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? ASCII_CLASSES[code] : classAt(text, at)
    if (kind === LETTER || kind === CAPITAL || kind === DIGIT) at = scanWord(text, at, rules, sink)
    else if (kind === PAIRED) at = scanPairs(text, at, sink)
    else {
      const end = at + (code < 128 ? 1 : widthAt(text, at))
      if (kind === PICTOGRAPH) sink.gram(at, end)
      at = end
    }
  }
}

/** The short way for a plain ASCII word; whatever is not that goes to `scanCompound`. Returns where it ended. */
function scanWord(text: string, start: number, rules: ScanRules, sink: TokenSink): number {
  let shape = 0
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code >= 128) break
    const kind = ASCII_CLASSES[code] ?? OTHER
    if (kind === OTHER) break
    if (kind === shape) continue
    if (end === start || (end === start + 1 && shape === CAPITAL && kind === LETTER)) shape = kind
    else return scanCompound(text, start, rules, sink)
  }
  if (end - start > LONGEST_TERM || text[start - 1] === '.' || !endsWord(text, end)) {
    return scanCompound(text, start, rules, sink)
  }
  sink.word(start, end)
  return end
}

function endsWord(text: string, end: number): boolean {
  const code = text.charCodeAt(end)
  if (code < 128) return !isJoiner(code) || !goesOn(text, end)
  return end >= text.length || (classAt(text, end) === OTHER && !isJoiner(code))
}

/** Whether what follows the joiner at `at` may make a compound of it. */
function goesOn(text: string, at: number): boolean {
  const symbol = text[at]
  return symbol === '+' || symbol === '#' || isWordClass(classAt(text, at + 1))
}

/**
 * Pairs instead of words, for these scripts do not part words and a dictionary would be larger than all else here. Hangul
 * does part them, but its words carry their particles, and pairs find the noun in them.
 */
function scanPairs(text: string, start: number, sink: TokenSink): number {
  let first = start
  let second = endOfUnit(text, start)
  if (classAt(text, second) !== PAIRED) sink.gram(first, second)
  while (classAt(text, second) === PAIRED) {
    const end = endOfUnit(text, second)
    sink.gram(first, end)
    first = second
    second = end
  }
  return second
}

/** A character with its marks. */
function endOfUnit(text: string, start: number): number {
  let end = start + widthAt(text, start)
  while (end < text.length && classAt(text, end) === MARK) end += widthAt(text, end)
  return end
}
