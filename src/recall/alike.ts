/**
 * Hits that say the same once. Nearly the same means: the same words but for a few, and none of those few is a number, an
 * identifier or a word that was searched by. A template filled in differently is not the same thing said twice.
 */
import type { Entry } from '../model/entry.ts'
import type { Analyzer } from '../search/analyzer.ts'
import type { Query } from '../search/query.ts'

/** The share of words that two texts must have in common. */
const ALIKE = 0.9
const TELLS_APART = /[\p{N}\p{P}\p{S}]/u

export class Alikes {
  readonly #analyzer: Analyzer
  readonly #searched: ReadonlySet<string>
  readonly #seen: { readonly id: string; readonly words: ReadonlySet<string> }[] = []

  constructor(analyzer: Analyzer, query: Query) {
    this.#analyzer = analyzer
    this.#searched = new Set(query.words.map(({ term }) => term))
  }

  /** The id of an earlier entry that says the same; else this one is remembered for later ones. */
  of(entry: Entry): string | undefined {
    const words = this.#wordsOf(entry)
    if (words.size === 0) return undefined // signs only: nothing to compare by
    const same = this.#seen.find((other) => this.#areAlike(words, other.words))
    if (!same) this.#seen.push({ id: entry.id, words })
    return same?.id
  }

  #wordsOf({ content }: Entry): Set<string> {
    const words = new Set<string>()
    this.#analyzer.tokens(content, (term) => words.add(term))
    return words
  }

  #areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
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
