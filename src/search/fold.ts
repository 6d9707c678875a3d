/**
 * Folding: spellings of one word become equal. `lower` is NFKC and small letters; `withoutAccents` takes the marks off
 * that only vary a letter. Signs that make another letter (vowels of Indic scripts, the sound marks of Kana) stay.
 * Offsets are none of its business: it sees one word at a time.
 */

const NOT_ASCII = /[^\0-\x7f]/
/** Letters that NFD does not take apart, and what people type in their place. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const SPECIAL_LETTERS = /[ßæœøłđðþħıς]/g

export function fold(word: string): string {
  return withoutAccents(lower(word))
}

export function lower(word: string): string {
  if (!NOT_ASCII.test(word)) {
    const small = word.toLowerCase()
    return small.includes("'") ? small.replaceAll("'", '') : small
  }
  return word.normalize('NFKC').toLowerCase().replace(silent(), '').normalize('NFC')
}

// Patterns with properties take V8 up to a millisecond each: they are made when a word asks for them.

/** Joiners, soft hyphens and apostrophes inside a word: it is the same word without them. */
function silent(): RegExp {
  return /[\p{Cf}'\u2019\u02bc\uff07]/gu
}

/** Marks that belong to no one script or to one that can do without; and the Arabic tatweel, which only stretches. */
function accents(): RegExp {
  return /\u0640|(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]/gu
}

/** `word` is lower. */
export function withoutAccents(word: string): string {
  if (!NOT_ASCII.test(word)) return word
  return word
    .normalize('NFD')
    .replace(accents(), '')
    .replace(SPECIAL_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
}
