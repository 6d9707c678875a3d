/**
 * Hits that say the same once. Nearly the same means: one has the words of the other in their order and a few more, none of
 * which is a number, an identifier, a word that was searched by, or one of the little words that turn a sentence around ("not",
 * "or"). Where each has a word that the other lacks, a person, a day or a place is exchanged: a template filled in differently
 * is not the same thing said twice. Nor is one text under two names.
 */
import type { Entry } from '../model/entry.ts'
import type { Analyzer } from '../search/analyzer.ts'
import type { Query } from '../search/query.ts'

/** The share of its words that the shorter text must have of the longer one's. */
const ALIKE = 0.9
/** And of its length. */
const LENGTHS_ALIKE = 0.75
/** At first sight, of the pieces that their beginnings have. Two texts in one language share a quarter of them by chance. */
const BEGINNINGS_ALIKE = 0.5
const BEGINNING = 400
const BETWEEN_PIECES = /[\s!-/:-@[-`{-~]+/
/** Texts longer than this are the same only when they are equal: looking at each word would take too long. */
const LONG = 100_000
/** The store tells apart by it what it has to name by the same first words. */
const NUMBERED = / \(\d+\)$/

interface Said {
  readonly words: readonly string[]
  /** What its name says beyond its text. */
  readonly name: string
}

export class Alikes {
  readonly #analyzer: Analyzer
  readonly #searched: ReadonlySet<string>
  readonly #seen: { readonly entry: Entry; said?: Said }[] = []

  constructor(analyzer: Analyzer, query: Query) {
    this.#analyzer = analyzer
    this.#searched = new Set(query.words.map(({ term }) => term))
  }

  /** The id of an earlier entry that says the same; else this one is remembered for later ones. */
  of(entry: Entry): string | undefined {
    let said: Said | undefined
    const same = this.#seen.find((other) => {
      // Most differ so much at first sight that their words need not be looked at.
      if (!mayBeAlike(entry.content, other.entry.content)) return false
      said ??= this.#saidBy(entry)
      other.said ??= this.#saidBy(other.entry)
      // What has no name of its own is not missed by it.
      return (said.name === '' || said.name === other.said.name) && this.#areAlike(said.words, other.said.words)
    })
    if (!same) this.#seen.push({ entry, ...(said ? { said } : {}) })
    return same?.entry.id
  }

  #saidBy({ name, key, content }: Entry): Said {
    const words = this.#wordsOf(content)
    const known = new Set(words)
    const own = this.#wordsOf((name ?? key ?? '').replace(NUMBERED, '')).filter((word) => !known.has(word))
    return { words, name: own.join(' ') }
  }

  #wordsOf(text: string): string[] {
    const words: string[] = []
    this.#analyzer.tokens(text, (term) => words.push(term))
    return words
  }

  #areAlike(a: readonly string[], b: readonly string[]): boolean {
    const [few, many] = a.length < b.length ? [a, b] : [b, a]
    // Signs only: nothing to compare by.
    if (few.length === 0 || few.length < ALIKE * many.length) return false
    let at = 0
    for (const word of many) {
      if (word === few[at]) at++
      else if (this.#tellsApart(word)) return false
    }
    return at === few.length
  }

  #tellsApart(word: string): boolean {
    return this.#searched.has(word) || this.#analyzer.commonTerms?.has(word) === true || /[\p{N}\p{P}\p{S}]/u.test(word)
  }
}

/** By their lengths, and by what stands between blanks and signs in their beginnings. */
function mayBeAlike(a: string, b: string): boolean {
  if (Math.max(a.length, b.length) > LONG) return a === b
  if (Math.min(a.length, b.length) < LENGTHS_ALIKE * Math.max(a.length, b.length)) return false
  const pieces = new Set(beginningOf(a))
  const others = beginningOf(b)
  return others.filter((piece) => pieces.has(piece)).length >= BEGINNINGS_ALIKE * others.length
}

function beginningOf(text: string): string[] {
  return text.slice(0, BEGINNING).toLowerCase().split(BETWEEN_PIECES)
}
