/** Where the words of a query stand in a document, in the order of its tokens: for telling how near they are to each other. */
import type { Segment } from './segment.ts'

export interface WordPlace {
  /** The word's number in the query. */
  readonly word: number
  /** Counted in tokens. */
  readonly at: number
}

/** Two fields are this far apart: what stands in different ones is not near. */
const FIELD_GAP = 1000

/** `wordOf` gives a term's word; see wordsOf. */
export function wordPlaces(segment: Segment, document: number, wordOf: ReadonlyMap<number, number>): WordPlace[] {
  const places: WordPlace[] = []
  let at = 0
  for (const token of segment.tokens(document)) {
    if (token === 0) at += FIELD_GAP
    const word = token === 0 ? undefined : wordOf.get(token - 1)
    if (word !== undefined) places.push({ word, at })
    at++
  }
  return places
}

/** A segment's numbers of the terms that the query's words are, to the words' numbers. */
export function wordsOf(segment: Segment, terms: readonly string[]): Map<number, number> {
  const words = new Map<number, number>()
  for (const [word, term] of terms.entries()) {
    const number = segment.findTerm(term)
    if (number >= 0) words.set(number, word)
  }
  return words
}
