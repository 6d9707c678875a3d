/**
 * What a search found. Documents are told by handles: the segments laid end to end. A handle is valid until one of the
 * indexes changes. Nothing is copied out, so that asking about a few of many matches costs little.
 */
import { type Accumulator, isCurrent, ownAccumulator, takeAccumulator } from './accumulator.ts'
import { allowedIn, type ScoredQuery, scoreQuery } from './score-query.ts'
import { comparePlaces, type Segment } from './segment.ts'
import { type TermPart, termParts } from './term-parts.ts'
import { compareTexts, decode } from './utf8.ts'
import { type WordPlace, wordPlaces, wordsOf } from './word-places.ts'
import { wordWeights } from './word-weights.ts'

interface Facts extends ScoredQuery {
  readonly total: number
}

export class Matches {
  readonly count: number
  /** What the query could reach at most. */
  readonly best: number
  /** Live documents in all indexes. */
  readonly total: number
  readonly #facts: Facts
  #accumulator: Accumulator
  #isOwn = false
  #docs: Uint32Array | undefined
  #segment = 0
  readonly #wordsBySegment = new Map<Segment, ReadonlyMap<number, number>>()
  readonly #allowedBySegment = new Map<Segment, (document: number) => boolean>()

  constructor(facts: Facts) {
    this.#facts = facts
    this.#accumulator = scoreQuery(facts, takeAccumulator(facts.bases.at(-1) ?? 0))
    this.count = this.#accumulator.count
    this.total = facts.total
    this.best = this.importances.reduce((sum, importance) => sum + importance, 0)
  }

  /**
   * The scores are not copied out of the accumulator that searches share, for most are asked for right away. Where another
   * search came between, the query is scored once more, into one of our own.
   */
  #scored(): Accumulator {
    if (!this.#isOwn && !isCurrent(this.#accumulator)) {
      this.#accumulator = scoreQuery(this.#facts, ownAccumulator(this.handles))
      this.#isOwn = true
    }
    return this.#accumulator
  }

  /** The handles of all matching documents, in no order. */
  get docs(): Uint32Array {
    this.#docs ??= this.#scored().touched.slice(0, this.count)
    return this.#docs
  }

  /** 0 for a document that did not match. */
  score(doc: number): number {
    return this.#scored().scores[doc] ?? 0
  }

  /** Whether a document has every phrase of the query and nothing that it does not want; it need not match. */
  allows(doc: number): boolean {
    const { query } = this.#facts
    if (query.phrases.length === 0 && query.not.length === 0) return true
    const segment = this.#at(doc)
    const allows = this.#allowedBySegment.get(segment) ?? allowedIn(segment, query)
    this.#allowedBySegment.set(segment, allows)
    return allows(this.#local(doc))
  }

  /** Every matching document, in no order. `take` must not search: it would be given the other search's. */
  forEach(take: (doc: number, score: number) => void): void {
    const { touched, count, scores } = this.#scored()
    for (let i = 0; i < count; i++) {
      const doc = touched[i] as number // the first `count` are there
      take(doc, scores[doc] as number)
    }
  }

  /** The best handles: by score, then by id. */
  top(limit: number): number[] {
    const { touched, count, scores } = this.#scored()
    const kept: number[] = []
    if (limit <= 0) return kept
    let least = 0
    for (let i = 0; ; i++) {
      i = nextAtLeast(least, scores, touched, i, count)
      if (i === count) return kept
      const doc = touched[i] as number // the first `count` are there
      const score = scores[doc] as number
      let at = kept.length
      while (at > 0 && this.#isBefore(doc, score, kept[at - 1] as number, scores)) at--
      if (at >= limit) continue
      kept.splice(at, 0, doc)
      if (kept.length > limit) kept.pop()
      if (kept.length >= limit) least = scores[kept[kept.length - 1] as number] as number
    }
  }

  #isBefore(doc: number, score: number, other: number, scores: Float64Array): boolean {
    const otherScore = scores[other] as number // it is one of the touched
    return score === otherScore ? compareTexts(this.#idBytes(doc), this.#idBytes(other)) < 0 : score > otherScore
  }

  #idBytes(doc: number): Uint8Array {
    return this.#at(doc).idBytes(this.#local(doc))
  }

  id(doc: number): string {
    return this.#at(doc).id(this.#local(doc))
  }

  stored(doc: number): string {
    return decode(this.#at(doc).storedBytes(this.#local(doc)))
  }

  /** 0: none. Equal groups have equal numbers, across segments and indexes. */
  group(doc: number): number {
    return this.#at(doc).group(this.#local(doc))
  }

  position(doc: number): number {
    return this.#at(doc).position(this.#local(doc))
  }

  column(doc: number, column: number): number {
    return this.#at(doc).column(this.#local(doc), column)
  }

  /** How many tokens a field of the document has. */
  length(doc: number, field: number): number {
    const { values, stride } = this.#at(doc).fieldLengths
    return values[field * stride + this.#local(doc)] ?? 0
  }

  #comparePlaces(a: number, b: number): number {
    const position = this.position(a)
    const otherPosition = this.position(b)
    if (position !== otherPosition) return position < otherPosition ? -1 : 1
    return comparePlaces(position, this.id(a), otherPosition, () => this.id(b))
  }

  /** The live documents of a group, in their order. */
  members(group: number): number[] {
    const { segments, bases } = this.#facts
    const parts = segments.map((segment, which) =>
      segment.members(group).map((document) => document + (bases[which] ?? 0)),
    )
    const [first = [], ...more] = parts.filter((part) => part.length > 0)
    return more.length === 0 ? first : [first, ...more].flat().sort((a, b) => this.#comparePlaces(a, b))
  }

  /** One more than the highest handle. */
  get handles(): number {
    return this.#facts.bases.at(-1) ?? 0
  }

  /** The most that each word and then each prefix can give: its weight times its idf. */
  get importances(): readonly number[] {
    const { words, prefixes } = this.#facts
    return [...words, ...prefixes].map(({ importance }) => importance)
  }

  /** How many live documents have a word of the query, by its number. */
  documentsWith(word: number): number {
    return this.#facts.words[word]?.documents ?? 0
  }

  /** See wordWeights. */
  weights(rowOf: Uint32Array, rows: number): Float64Array {
    return wordWeights(this.#facts, rowOf, rows)
  }

  /** Where the words of the query stand in a document. */
  places(doc: number): WordPlace[] {
    const segment = this.#at(doc)
    const terms = this.#facts.words.map(({ word }) => word.term)
    const known = this.#wordsBySegment.get(segment) ?? wordsOf(segment, terms)
    this.#wordsBySegment.set(segment, known)
    return wordPlaces(segment, this.#local(doc), known)
  }

  /**
   * What each word and prefix of the query that stands in the document gives it, in the order in which they are added
   * up: their sum is `score(doc)`. Also for one that a phrase or a `-not` keeps out, whose score is 0.
   */
  explain(doc: number): readonly TermPart[] {
    return termParts(this.#at(doc), this.#local(doc), this.#facts)
  }

  /** The handle of a live document, or -1. */
  find(id: string): number {
    for (const [which, segment] of this.#facts.segments.entries()) {
      const document = segment.find(id)
      if (document >= 0) return (this.#facts.bases[which] ?? 0) + document
    }
    return -1
  }

  /** Every live document, matching or not. */
  forEachLive(take: (doc: number) => void): void {
    for (const [which, segment] of this.#facts.segments.entries()) {
      const base = this.#facts.bases[which] ?? 0
      for (let document = 0; document < segment.documents; document++) {
        if (!segment.removed.has(document)) take(base + document)
      }
    }
  }

  /** Handles are mostly asked for in runs: the segment of the last one is looked at first. */
  #at(doc: number): Segment {
    const { bases, segments } = this.#facts
    if (doc < (bases[this.#segment] ?? 0) || doc >= (bases[this.#segment + 1] ?? 0)) {
      const next = bases.findIndex((base) => base > doc)
      this.#segment = doc >= 0 && next > 0 ? next - 1 : 0
    }
    const segment = segments[this.#segment]
    if (segment === undefined || doc < 0) throw new RangeError(`no document has the handle ${doc}`)
    return segment
  }

  /** After `#at`. */
  #local(doc: number): number {
    return doc - (this.#facts.bases[this.#segment] ?? 0)
  }
}

/** Where the next document stands that scores so much; `count` where there is none. A loop of its own, for it sees them all. */
function nextAtLeast(least: number, scores: Float64Array, touched: Uint32Array, from: number, count: number): number {
  for (let i = from; i < count; i++) if ((scores[touched[i] as number] as number) >= least) return i
  return count
}
