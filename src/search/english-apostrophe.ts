/**
 * The apostrophe in English words. "don't" and "O'Brien" are one word without it; of "Melanie's", "we'll" and "they've"
 * only what stands before it counts, for "well" and "shell" are other words.
 */
import { CAPITAL, classAt, isWordClass, LETTER, MARK } from './char-class.ts'

/** Whether an apostrophe stands at `at` with a letter behind it; that one stands before it is for the caller to know. */
export function isApostropheInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code !== 0x27 && code !== 0x2019 && code !== 0xff07) return false
  const next = classAt(text, at + 1)
  return next === LETTER || next === CAPITAL
}

const CONTRACTIONS = ['s', 'll', 're', 've', 'd', 'm']

/** The length of what "it's", "we'll" and "they've" have after the apostrophe; without it they are the word before. */
export function contractionAt(text: string, at: number): number {
  for (const ending of CONTRACTIONS) {
    if (text.slice(at, at + ending.length).toLowerCase() !== ending) continue
    const next = classAt(text, at + ending.length)
    if (!isWordClass(next) && next !== MARK) return ending.length
  }
  return 0
}
