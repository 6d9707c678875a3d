/** Whether a word is too common to search by. "IT" and "WHO" are names, in a text that is not written in capitals altogether. */
import type { Analyzer } from './analyzer.ts'
import { fold } from './fold.ts'

/** People know them from other engines. Here they are words like any other, and too common to search by. */
const OPERATORS: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT'])

export function isStopWord(surface: string, { stopWords }: Analyzer, hasSmallLetters: boolean): boolean {
  return stopWords?.has(fold(surface)) === true && !(hasSmallLetters && isNameInCapitals(surface))
}

function isNameInCapitals(surface: string): boolean {
  return surface.length > 1 && !/\P{Lu}/u.test(surface) && !OPERATORS.has(surface)
}
