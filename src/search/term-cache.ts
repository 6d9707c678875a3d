/**
 * Remembers the term of each spelling, for folding and stemming cost ten times a lookup and texts repeat their words. A
 * table of fixed size in the manner of a processor's cache: each spelling has two places, and what was there longer goes.
 * It looks into the text itself: with a Map, cutting the word out and hashing the cut took most of the time of indexing.
 */

const MOST_PLACES = 65_536
/** It begins small, for a query has a few words and making all places takes a millisecond. Whoever indexes soon has them all. */
const FIRST_PLACES = 1024
/** From this length on, V8 makes a slice a view of the text it was cut from, which would keep whole documents alive. */
const VIEW_LENGTH = 13

export class TermCache {
  readonly #termOf: (spelling: string) => string
  #places = FIRST_PLACES
  #hashes = new Uint32Array(FIRST_PLACES)
  #spellings: string[] = new Array(FIRST_PLACES)
  #terms: string[] = new Array(FIRST_PLACES)
  #added = 0

  constructor(termOf: (spelling: string) => string) {
    this.#termOf = termOf
  }

  /** The term of `text.slice(start, end)`. */
  get(text: string, start: number, end: number): string {
    const hash = hashOf(text, start, end)
    const place = hash & (this.#places - 1)
    if (this.#holds(place, hash, text, start, end)) return this.#terms[place] ?? ''
    const other = place ^ 1
    if (this.#holds(other, hash, text, start, end)) return this.#terms[other] ?? ''
    if (++this.#added === FIRST_PLACES) this.#grow()
    return this.#add(hash & (this.#places - 1), hash, text.slice(start, end))
  }

  /** What was known is forgotten: it comes back with the next words. */
  #grow(): void {
    this.#places = MOST_PLACES
    this.#hashes = new Uint32Array(MOST_PLACES)
    this.#spellings = new Array(MOST_PLACES)
    this.#terms = new Array(MOST_PLACES)
  }

  #holds(place: number, hash: number, text: string, start: number, end: number): boolean {
    if (this.#hashes[place] !== hash) return false
    const spelling = this.#spellings[place] ?? ''
    if (spelling.length !== end - start) return false
    for (let at = 0; at < spelling.length; at++) {
      if (spelling.charCodeAt(at) !== text.charCodeAt(start + at)) return false
    }
    return true
  }

  #add(place: number, hash: number, cut: string): string {
    const spelling = cut.length < VIEW_LENGTH ? cut : copyOf(cut)
    const term = this.#termOf(spelling)
    const other = place ^ 1
    this.#hashes[other] = this.#hashes[place] ?? 0
    this.#spellings[other] = this.#spellings[place] ?? ''
    this.#terms[other] = this.#terms[place] ?? ''
    this.#hashes[place] = hash
    this.#spellings[place] = spelling
    this.#terms[place] = term
    return term
  }
}

/** FNV-1a over UTF-16 units, its high bits mixed into the low ones; never 0, which is an empty place. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0 || 1
}

function copyOf(text: string): string {
  const codes: number[] = []
  for (let at = 0; at < text.length; at++) codes.push(text.charCodeAt(at))
  return String.fromCharCode(...codes)
}
