/**
 * What a text is made of, as numbers. Every line and sentence is hashed as a whole, so that it is known again wherever it
 * stands, and not when a word of it is changed, put in or left out. Runs of a few words are hashed besides, for what a cut
 * leaves of a sentence. Pure; its time is proportional to the length of the text.
 */
import { linesOf, type Range, sentencesOf } from './pieces.ts'
import { WORD, type Word, weightOf, wordsOf } from './words.ts'

/** A run is six words: four are said by chance too often. */
const RUN = 6 * WORD
/** Runs begin at every second word of a sentence, and one ends with it: a part of it has them all but for a word where it was cut. */
const STEP = 2
/** About the runs of the largest block. A longer text is printed at every fourth word, and no further than that reaches. */
const MOST_PRINTS = 4000

/** In fewer words, a run or a sentence may be there by chance: eight words are about a short sentence. */
export const TELLING: number = 8 * WORD
/** A line of fewer is known only beside what was injected with it: everybody says "yes, please". */
export const SHORTEST: number = 3 * WORD
/** A longer sentence is printed in parts of so many words. */
export const LONGEST = 64

/** The prints of a text that is injected, each once. */
export function fingerprintsOf(text: string): number[] {
  const words = wordsOf(text)
  const lines = spansOf(words, linesOf(text))
  const sentences = spansOf(words, sentencesOf(text))
  // A heading may have come to stand in one line with what is below it.
  const headed = lines.slice(1).map(({ to }, n) => ({ from: lines[n]?.from ?? to, to }))
  const shortLines = [...lines, ...headed].filter((span) => isShort(words, span))
  const wholes = new Set([...sentences, ...shortLines].flatMap(wholesIn))
  const runs = new Set<number>()
  const step = words.length > MOST_PRINTS * STEP ? 2 * STEP : STEP
  for (const { from, to } of sentences) {
    for (let at = from; at < to; at += step) add(runFrom(words, at))
    add(runTo(words, to))
  }
  return [...new Set([...[...wholes].slice(0, MOST_PRINTS), ...[...runs].slice(0, MOST_PRINTS)])]

  function add(run: Span | undefined): void {
    if (run) runs.add(runPrint(words, run))
  }

  function wholesIn({ from, to }: Span): number[] {
    const prints: number[] = []
    for (let at = from; at < to; at += LONGEST) {
      const part = words.slice(at, Math.min(at + LONGEST, to))
      prints.push(part.reduce(wholePrint, WHOLE))
    }
    return prints
  }
}

/** Words of a text, by their numbers; `to` is the one behind the last. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The words of one range after the other. */
export function spanIn(words: readonly Word[]): (range: Range) => Span {
  let from = 0
  return ({ end }) => {
    let to = from
    while (to < words.length && (words[to]?.at ?? end) < end) to++
    const span = { from, to }
    from = to
    return span
  }
}

/** The run that begins here; none where the text ends before it. */
export function runFrom(words: readonly Word[], from: number): Span | undefined {
  let weight = 0
  for (let at = from; at < words.length; at++) {
    weight += words[at]?.weight ?? 0
    if (weight >= RUN) return { from, to: at + 1 }
  }
  return undefined
}

/** The run that ends here. */
export function runTo(words: readonly Word[], to: number): Span | undefined {
  let weight = 0
  for (let from = to - 1; from >= 0; from--) {
    weight += words[from]?.weight ?? 0
    if (weight >= RUN) return { from, to }
  }
  return undefined
}

export function runPrint(words: readonly Word[], { from, to }: Span): number {
  let print = 0
  for (let at = from; at < to; at++) print = mixed(print, words[at]?.hash ?? 0)
  return print >>> 0
}

/** What is a whole is printed differently from a run of the same words. */
export const WHOLE = 0x5bd1e995

/** From the print of a beginning to that with the next word. */
export function wholePrint(print: number, { hash }: Word): number {
  return mixed(print, hash) >>> 0
}

export function isShort(words: readonly Word[], { from, to }: Span): boolean {
  return to - from < TELLING && weightOf(words.slice(from, to)) < TELLING
}

function spansOf(words: readonly Word[], ranges: readonly Range[]): Span[] {
  return ranges.map(spanIn(words)).filter(({ from, to }) => from < to)
}

function mixed(print: number, hash: number): number {
  const sum = Math.imul(print ^ hash, 0x9e3779b1)
  return (sum ^ (sum >>> 15)) + 0x85ebca6b
}
