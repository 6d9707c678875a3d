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

/** Accents may be written as characters of their own, and what joins or hides is not seen. */
const UNSEEN = /[\p{M}\p{Cf}]/gu
const WRITTEN = /[\p{L}\p{N}\p{M}\p{Cf}]+/gu
const PLAIN = /^[a-z0-9]*$/
const WORDS = /[\p{L}\p{N}]+/gu
const IS_UNPARTED = new RegExp(`[${UNPARTED_SCRIPTS}]`, 'u')
const CHARACTERS_AND_REST = new RegExp(`[${UNPARTED_SCRIPTS}]|[^${UNPARTED_SCRIPTS}]+`, 'gu')
const CAPITAL = /\p{Lu}/u
const DIGIT = /\p{N}/u

/** Of HTML: decoration. */
const HTML = /&(?:lt|gt|amp|quot|apos|nbsp|#39);|<\/?(?:br|p|div|span|ul|ol|li|b|i|em|strong|code|pre)\s*\/?>/gi

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  const seen = text.replace(HTML, (mark) => ' '.repeat(mark.length))
  for (const { 0: written, index: at } of seen.matchAll(WRITTEN)) {
    const common = { at, isName: CAPITAL.test(written), isNumber: DIGIT.test(written) }
    for (const [word] of folded(written).matchAll(WORDS)) {
      if (!IS_UNPARTED.test(word)) words.push({ hash: hashOf(word), weight: WORD, ...common })
      else {
        for (const [part] of word.matchAll(CHARACTERS_AND_REST)) {
          const weight = IS_UNPARTED.test(part) ? CHARACTER : WORD
          words.push({ hash: hashOf(part), weight, ...common })
        }
      }
    }
  }
  return words
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

/** Up and down again: the capitals of `ß` are `SS`. */
function folded(written: string): string {
  if (PLAIN.test(written)) return written
  return written.normalize('NFKD').toUpperCase().toLowerCase().replace(UNSEEN, '').normalize('NFC')
}
