/**
 * The words of a text and where they stand. Only letters and digits count: marks, decoration, case, blanks, line breaks and the
 * way in which accents are written say nothing. Pure; its time is proportional to the length of the text.
 */
import { UNPARTED_SCRIPTS } from '../../model/unparted-scripts.ts'

/** What a word weighs. */
export const WORD = 2
/** A character of a script that does not part words: two of them are about a word. */
const CHARACTER = 1

export interface Word {
  readonly hash: number
  readonly weight: number
  /** Where it begins in the text. */
  readonly at: number
  /** It has a capital. */
  readonly isName: boolean
  readonly isNumber: boolean
}

/** Of these signs alone, a text needs no patterns for all scripts, which take V8 a millisecond each: most texts do without. */
const PLAIN = /^[\0-\x7f\xa7\u2010-\u2027\u2190-\u2193]*$/

/** Of HTML: decoration. */
const HTML = /&(?:lt|gt|amp|quot|apos|nbsp|#39);|<\/?(?:br|p|div|span|ul|ol|li|b|i|em|strong|code|pre)\s*\/?>/gi

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  const seen = text.replace(HTML, (mark) => ' '.repeat(mark.length))
  if (PLAIN.test(seen)) {
    for (const { 0: written, index: at } of seen.matchAll(/[A-Za-z0-9]+/g)) {
      const [isName, isNumber] = [/[A-Z]/.test(written), /[0-9]/.test(written)]
      words.push({ hash: hashOf(written.toLowerCase()), weight: WORD, at, isName, isNumber })
    }
    return words
  }
  const { written: anyWritten, words: anyWords, isUnparted, charactersAndRest, capital, digit } = patterns()
  for (const { 0: written, index: at } of seen.matchAll(anyWritten)) {
    const common = { at, isName: capital.test(written), isNumber: digit.test(written) }
    for (const [word] of folded(written).matchAll(anyWords)) {
      if (!isUnparted.test(word)) words.push({ hash: hashOf(word), weight: WORD, ...common })
      else {
        for (const [part] of word.matchAll(charactersAndRest)) {
          const weight = isUnparted.test(part) ? CHARACTER : WORD
          words.push({ hash: hashOf(part), weight, ...common })
        }
      }
    }
  }
  return words
}

interface Patterns {
  readonly written: RegExp
  readonly words: RegExp
  readonly isUnparted: RegExp
  readonly charactersAndRest: RegExp
  readonly capital: RegExp
  readonly digit: RegExp
}

let made: Patterns | undefined

/** For all scripts. */
function patterns(): Patterns {
  made ??= {
    written: /[\p{L}\p{N}\p{M}\p{Cf}]+/gu,
    words: /[\p{L}\p{N}]+/gu,
    isUnparted: new RegExp(`[${UNPARTED_SCRIPTS}]`, 'u'),
    charactersAndRest: new RegExp(`[${UNPARTED_SCRIPTS}]|[^${UNPARTED_SCRIPTS}]+`, 'gu'),
    capital: /\p{Lu}/u,
    digit: /\p{N}/u,
  }
  return made
}

export function weightOf(words: readonly Word[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
}

/** FNV-1a over UTF-16 units. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}

/**
 * Up and down again: the capitals of `ß` are `SS`. Accents may be written as characters of their own, and what joins or hides is
 * not seen.
 */
function folded(written: string): string {
  if (/^[a-z0-9]*$/.test(written)) return written
  return written
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .normalize('NFC')
}
