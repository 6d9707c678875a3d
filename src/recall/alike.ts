/**
 * Hits that say the same once. Nearly the same means: the same words but for a few, and none of those few is a number, an
 * identifier or a word that was searched by. A template filled in differently is not the same thing said twice.
 */
import type { Entry } from '../model/entry.ts'
import type { Analyzer } from '../search/analyzer.ts'
import type { Query } from '../search/query.ts'

/** The share of words that two texts must have in common. */
const ALIKE = 0.9
/** And at least of their lengths, and of their first pieces, whose order may differ. */
const ROUGHLY_ALIKE = 0.75
const BEGINNINGS_ALIKE = 0.25
const BEGINNING = 400
const TELLS_APART = /[\p{N}\p{P}\p{S}]/u

export class Alikes {
  readonly #analyzer: Analyzer
  readonly #searched: ReadonlySet<string>
  readonly #seen: { readonly entry: Entry; words?: ReadonlySet<string> }[] = []

  constructor(analyzer: Analyzer, query: Query) {
    this.#analyzer = analyzer
    this.#searched = new Set(query.words.map(({ term }) => term))
  }

  /** The id of an earlier entry that says the same; else this one is remembered for later ones. */
  of(entry: Entry): string | undefined {
    let words: ReadonlySet<string> | undefined
    const same = this.#seen.find((other) => {
      // Most differ so much at first sight that their words need not be looked at.
      if (!mayBeAlike(entry.content, other.entry.content)) return false
      words ??= this.#wordsOf(entry)
      other.words ??= this.#wordsOf(other.entry)
      return this.#areAlike(words, other.words)
    })
    if (!same) this.#seen.push({ entry, ...(words ? { words } : {}) })
    return same?.entry.id
  }

  #wordsOf({ content }: Entry): Set<string> {
    const words = new Set<string>()
    this.#analyzer.tokens(content, (term) => words.add(term))
    return words
  }

  #areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
    if (a.size === 0) return false // signs only: nothing to compare by
    const [few, many] = a.size < b.size ? [a, b] : [b, a]
    if (few.size < ALIKE * many.size) return false
    const apart = [...few].filter((word) => !many.has(word)).concat([...many].filter((word) => !few.has(word)))
    const union = (few.size + many.size + apart.length) / 2
    return union - apart.length >= ALIKE * union && !apart.some((word) => this.#tellsApart(word))
  }

  #tellsApart(word: string): boolean {
    return this.#searched.has(word) || TELLS_APART.test(word)
  }
}

/** By their lengths, and by what stands between blanks in their beginnings. */
function mayBeAlike(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < ROUGHLY_ALIKE * Math.max(a.length, b.length)) return false
  const pieces = new Set(beginningOf(a))
  const others = beginningOf(b)
  const common = others.filter((piece) => pieces.has(piece)).length
  return common >= BEGINNINGS_ALIKE * others.length
}

function beginningOf(text: string): string[] {
  return text.slice(0, BEGINNING).toLowerCase().split(/\s+/)
}
