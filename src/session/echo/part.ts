/** One piece of a captured text: whether it was injected as it is, and whether it is what a cut has left of that. */
import { isLeadIn, isNews, isTurning } from './connecting-words.ts'
import type { Coverage } from './coverage.ts'
import type { Span } from './fingerprints.ts'
import { WORD, type Word, weightOf } from './words.ts'

/** A cut may leave a part of a word, and one word that belongs to no run that is left. */
const CUT_WORDS = 2
/** So many words nobody says again with another one at the end. */
const LONG = 24 * WORD

export class Part {
  readonly #coverage: Coverage
  /** What is covered; around it, what is not, without words that only lead to it or ask about it. */
  readonly #covered: Span
  readonly #before: readonly Word[]
  readonly #after: readonly Word[]
  readonly #first: Word | undefined
  readonly #weight: number

  constructor(coverage: Coverage, words: readonly Word[], { from, to }: Span) {
    let first = from
    while (first < to && !coverage.has(first)) first++
    let last = to
    while (last > first && !coverage.has(last - 1)) last--
    const before = words.slice(from, first)
    const after = words.slice(last, to)
    this.#coverage = coverage
    this.#covered = { from: first, to: last }
    const news = before.findIndex((word) => !isLeadIn(word))
    this.#before = news === -1 ? [] : before.slice(news)
    this.#after = after.slice(0, after.findLastIndex(isNews) + 1)
    this.#weight = weightOf(words.slice(first, last))
    this.#first = this.#before[0] ?? words[first]
  }

  /** All of it was injected; where the text begins or ends with it, as a part of a sentence. */
  isEcho(text: { readonly begins: boolean; readonly ends: boolean }): boolean {
    if (this.#before.length > 0 || this.#after.length > 0 || this.#isBare()) return false
    return this.#coverage.isWhole(this.#covered, { begins: text.begins && this.#beginsSmall(), ends: text.ends })
  }

  /**
   * The same but for a word or two where it was cut: never a number or a "not", and no name unless it is long. One word by
   * itself may be an answer, unless the text says that it was cut there.
   */
  isRest(cut: { readonly begins: boolean; readonly ends: boolean; readonly isTold: boolean }): boolean {
    const rest = [...this.#before, ...this.#after]
    if (this.#isBare()) return cut.isTold && isWithoutNews(rest, 1)
    const begins = cut.begins && (this.isLong() || this.#beginsSmall())
    if ((!begins && this.#before.length > 0) || (!cut.ends && this.#after.length > 0)) return false
    if (!isWithoutNews(this.#before, CUT_WORDS) || !isWithoutNews(this.#after, CUT_WORDS)) return false
    if (!this.isLong() && rest.some(({ isName }) => isName)) return false
    return this.#coverage.isWhole(this.#covered, { begins, ends: cut.ends })
  }

  /** Whether it tells by itself that it was injected. */
  isLong(): boolean {
    return this.#weight >= LONG
  }

  #isBare(): boolean {
    return this.#covered.from === this.#covered.to
  }

  /** A sentence that begins with a capital was not cut there. */
  #beginsSmall(): boolean {
    return this.#first?.isName === false
  }
}

function isWithoutNews(rest: readonly Word[], most: number): boolean {
  return rest.length <= most && rest.every((word) => !word.isNumber && !isTurning(word))
}
