/**
 * Whether all-MiniLM-L6-v2 tells texts like this apart. It learned from English: of other scripts it knows single letters or nothing, so
 * that whatever is written in them looks alike (measured: cosines of .3 to .8 for sentences that have nothing to do with each
 * other). In Latin letters, other languages are read as well as they resemble English.
 */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/gu
const LATIN_OR_DIGIT = /[\p{Script=Latin}0-9]/gu
/** What is longer is one unknown word to its tokenizer. */
const LONGEST_WORD = 100

export function readsText(text: string): boolean {
  const known = countOf(text, LATIN_OR_DIGIT)
  return known > 0 && 2 * known >= countOf(text, LETTER_OR_DIGIT) && hasWord(text)
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count++
  return count
}

/** One that it can read. Marks part words for it, as blanks do. */
function hasWord(text: string): boolean {
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) if (word.length <= LONGEST_WORD) return true
  return false
}
