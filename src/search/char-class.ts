/**
 * What a character is to the tokenizer. ASCII is a table; every other character is asked of the Unicode properties once
 * and remembered, because a table of all of them would cost every command its start.
 */

export const OTHER = 1
/** A letter that is not a capital, in any script that puts spaces between words. */
export const LETTER = 2
export const CAPITAL = 3
export const DIGIT = 4
/** Belongs to the character before it: accents, vowel signs, joiners, soft hyphens, vowels and tails of Hangul jamo. */
export const MARK = 5
/** A character of a script without spaces between words, or a Hangul syllable: indexed in pairs. */
export const PAIRED = 6
export const PICTOGRAPH = 7

/** By code; only for codes below 128. */
export const ASCII_CLASSES: Uint8Array = new Uint8Array(128).map((_, code) => {
  if (code >= 97 && code <= 122) return LETTER
  if (code >= 65 && code <= 90) return CAPITAL
  if (code >= 48 && code <= 57) return DIGIT
  return OTHER
})

/** Planes 0 to 2 hold every letter in use; characters above them are asked each time. */
const REMEMBERED = 0x30000
const remembered = new Uint8Array(REMEMBERED)

/** The class of the character that begins at `at`; OTHER past the end and for a lone surrogate. */
export function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 128) return ASCII_CLASSES[unit] ?? OTHER
  const code = text.codePointAt(at)
  if (code === undefined) return OTHER
  if (code >= REMEMBERED) return ask(code)
  const known = remembered[code]
  if (known) return known
  const kind = ask(code)
  remembered[code] = kind
  return kind
}

/** In UTF-16 units. */
export function widthAt(text: string, at: number): number {
  return text.charCodeAt(at) >= 0xd800 && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

export function isWordClass(kind: number): boolean {
  return kind === LETTER || kind === CAPITAL || kind === DIGIT
}

/** The sound marks of half-width Katakana are letters to Unicode, but become part of the letter before when folded. */
const HALF_WIDTH_SOUND_MARKS = /[\uff9e\uff9f]/
const JAMO_AFTER_THE_FIRST = /[\u1160-\u11ff\ud7b0-\ud7ff]/

/** Spaces without width: the one parts Thai and Khmer words, the other is white space to JavaScript, so to queries. */
const ZERO_WIDTH_SPACES = '\u200b\ufeff'
/** A letter to Unicode, but it only stretches the word that it stands in. */
const TATWEEL = '\u0640'

/** Dashes, quotes, dots, arrows, §: they stand in most texts, and the first one would have V8 compile five expressions. */
function isTypographic(code: number): boolean {
  return (code >= 0x2010 && code <= 0x2027) || (code >= 0x2190 && code <= 0x2193) || code === 0xa7
}

// Expressions with properties stand where they are used: V8 makes them when it gets there, and most texts do not need them.
function ask(code: number): number {
  if (isTypographic(code)) return OTHER
  const character = String.fromCodePoint(code)
  if (ZERO_WIDTH_SPACES.includes(character)) return OTHER
  if (HALF_WIDTH_SOUND_MARKS.test(character) || JAMO_AFTER_THE_FIRST.test(character)) return MARK
  if (/[\p{M}\p{Cf}]/u.test(character) || character === TATWEEL) return MARK
  if (/\p{L}|\p{Nl}/u.test(character) && isWithoutSpaces(character)) return PAIRED
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return CAPITAL
  if (/\p{L}/u.test(character)) return LETTER
  if (/\p{N}/u.test(character)) return DIGIT
  // Below U+2190 are ©, ™ and the like, which stick to a name and say nothing.
  if (code < 0x2190) return OTHER
  if (/[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(character)) return PICTOGRAPH
  return isSpelledOut(character) ? LETTER : OTHER
}

function isWithoutSpaces(character: string): boolean {
  const scripts =
    /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u
  return scripts.test(character)
}

/** Symbols such as `㎏` or `Ⓐ` that folding turns into letters. */
function isSpelledOut(character: string): boolean {
  return /^\p{L}+$/u.test(character.normalize('NFKC'))
}
