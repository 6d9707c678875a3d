/**
 * Where the words of a query stand in the texts of the hits. A text may be of any length, and a search waits for this: all
 * words are marked in its beginning only. A word that is not met there is looked for further on, first as it is typed, which
 * costs next to nothing, then in its other forms, up to a bound for the whole search: so an excerpt shows the place for which
 * the text was found.
 */
import { blankInjected } from '../model/injected.ts'
import type { Analyzer } from '../search/analyzer.ts'
import { highlights, type QueryPart } from '../search/highlight.ts'
import type { Query } from '../search/query.ts'
import { isDateWord } from './date-words.ts'
import type { Range } from './found.ts'

/** The beginning, and each part that is read after it, in UTF-16 units. */
const PART = 200_000
/** Around a word that was found as it is typed: more than an excerpt shows. */
const AROUND = 20_000
/** Such a place may be within another word, as "run" is in "trunk". */
const MOST_PLACES = 8
/** Of all hits together, beyond their beginnings: some 100 ms. */
const MOST_BEYOND = 2_000_000
/** How far from its ends a part may be cut, so that no word is. */
const LONGEST_WORD = 1000

export class HitHighlights {
  readonly #query: Query
  readonly #analyzer: Analyzer
  readonly #sought: readonly QueryPart[]
  #left = MOST_BEYOND

  /** `nowhere`: words of the query that stand in no entry, as typed; no text is read to its end for them. */
  constructor(query: Query, analyzer: Analyzer, nowhere: ReadonlySet<string>) {
    this.#query = query
    this.#analyzer = analyzer
    const words = query.words.filter(({ text, term }) => !nowhere.has(text) && !isDateWord(term))
    this.#sought = [...words, ...query.prefixes, ...query.phrases]
  }

  of(content: string): readonly Range[] {
    const text = blankInjected(content)
    const found = new Found(text, (part, met) => highlights(part, this.#query, this.#analyzer, met))
    const beginning = afterBlank(text, PART)
    found.read(0, beginning)
    if (beginning === text.length || this.#metAllOf(found)) return found.ranges()

    const lower = text.toLowerCase()
    for (const part of this.#sought) lookAsTyped(part, lower, beginning, found)
    // With less left, the next part could end where it began.
    for (let from = beginning; from < text.length && this.#left > LONGEST_WORD && !this.#metAllOf(found); ) {
      const end = afterBlank(text, from + Math.min(PART, this.#left))
      found.read(from, end)
      this.#left -= end - from
      from = end
    }
    return found.ranges()
  }

  #metAllOf({ met }: Found): boolean {
    return this.#sought.every((part) => met.has(part))
  }
}

/** What was found in a text so far. */
class Found {
  readonly met = new Set<QueryPart>()
  readonly text: string
  readonly #highlights: (text: string, met: Set<QueryPart>) => Range[]
  readonly #ranges = new Map<number, Range>()

  constructor(text: string, highlightsIn: (text: string, met: Set<QueryPart>) => Range[]) {
    this.text = text
    this.#highlights = highlightsIn
  }

  /** Beyond the beginning, a part counts where it is the first to have a word. */
  read(from: number, end: number): void {
    const known = this.met.size
    const ranges = this.#highlights(this.text.slice(from, end), this.met)
    if (from > 0 && this.met.size === known) return
    for (const [start, last] of ranges) this.#ranges.set(from + start, [from + start, from + last])
  }

  /** In order; a place that was read twice counts once. */
  ranges(): readonly Range[] {
    const inOrder = [...this.#ranges.values()].sort(([a], [b]) => a - b)
    return inOrder.filter(([start], n) => start >= (inOrder[n - 1]?.[1] ?? 0))
  }
}

function lookAsTyped(part: QueryPart, lower: string, beginning: number, found: Found): void {
  for (const spelling of spellingsOf(part)) {
    let from = beginning
    for (let tries = 0; tries < MOST_PLACES && !found.met.has(part); tries++) {
      const at = lower.indexOf(spelling, from)
      if (at < 0) break
      from = afterBlank(found.text, at + AROUND / 2)
      found.read(afterBlank(found.text, Math.max(beginning, at - AROUND / 2)), from)
    }
  }
}

/** As typed, and as the index has it: that is how most other forms begin. */
function spellingsOf(part: QueryPart): readonly string[] {
  if (part.type === 'phrase') return [part.text.slice(1, -1).toLowerCase()]
  return part.type === 'prefix' ? [part.prefix] : [part.text.toLowerCase(), part.term]
}

/** The last place up to here that comes after a blank, where there is one near. */
function afterBlank(text: string, place: number): number {
  if (place >= text.length) return text.length
  const near = Math.max(0, place - LONGEST_WORD)
  const blank = text.slice(near, place).search(/\s\S*$/)
  return blank < 0 ? place : near + blank + 1
}
