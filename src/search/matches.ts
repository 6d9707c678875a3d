/**
 * What a search found. Documents are told by handles: the segments laid end to end. A handle is valid until one of the
 * indexes changes. Nothing is copied out but the scores, so that asking about a few of many matches costs little.
 */
import { type Accumulator, isCurrent } from './accumulator.ts'
import type { Norms } from './bm25.ts'
import { termHash } from './hashes.ts'
import { type Lengths, lengthsOf } from './lengths.ts'
import { comparePlaces, type Segment } from './segment.ts'
import type { SoughtPrefix, SoughtWord } from './sought.ts'
import { type TermPart, termParts } from './term-parts.ts'
import { decode } from './utf8.ts'
import { type WordPlace, wordPlaces, wordsOf } from './word-places.ts'
import { wordWeights } from './word-weights.ts'

interface Ranked {
  readonly doc: number
  readonly score: number
  /** Read only where scores are equal. */
  id: string | undefined
}

interface Facts {
  readonly segments: readonly Segment[]
  readonly bases: Uint32Array
  readonly total: number
  readonly words: readonly SoughtWord[]
  readonly prefixes: readonly SoughtPrefix[]
  readonly norms: Norms
  readonly accumulator: Accumulator
}

export class Matches {
  readonly count: number
  /** The handles of all matching documents, in no order. */
  readonly docs: Uint32Array
  /** Their scores, in the same order. */
  readonly scores: Float64Array
  /** What the query could reach at most. */
  readonly best: number
  /** Live documents in all indexes. */
  readonly total: number
  readonly #facts: Facts
  #dense: Float64Array | undefined
  #segment = 0
  readonly #wordsBySegment = new Map<Segment, ReadonlyMap<number, number>>()

  constructor(facts: Facts) {
    const { scores, touched, count } = facts.accumulator
    this.#facts = facts
    this.count = count
    this.docs = touched.slice(0, count)
    this.scores = new Float64Array(count)
    for (let i = 0; i < count; i++) this.scores[i] = scores[touched[i] ?? 0] ?? 0
    this.total = facts.total
    this.best = [...facts.words, ...facts.prefixes].reduce((sum, { importance }) => sum + importance, 0)
  }

  /** 0 for a document that did not match. */
  score(doc: number): number {
    const { accumulator } = this.#facts
    if (this.#dense === undefined && isCurrent(accumulator)) return accumulator.scores[doc] ?? 0
    this.#dense ??= this.#spread()
    return this.#dense[doc] ?? 0
  }

  #spread(): Float64Array {
    const dense = new Float64Array(this.#facts.bases.at(-1) ?? 0)
    for (let i = 0; i < this.count; i++) dense[this.docs[i] ?? 0] = this.scores[i] ?? 0
    return dense
  }

  /** The best handles: by score, then by id. */
  top(limit: number): number[] {
    const kept: Ranked[] = []
    for (let i = 0; i < this.count && limit > 0; i++) {
      const score = this.scores[i] ?? 0
      const last = kept.length < limit ? undefined : kept.at(-1)
      if (last && score < last.score) continue
      const doc = this.docs[i] ?? 0
      const one: Ranked = { doc, score, id: undefined }
      let at = kept.length
      while (at > 0 && this.#isBefore(one, kept[at - 1])) at--
      if (at === limit) continue
      kept.splice(at, 0, one)
      if (kept.length > limit) kept.pop()
    }
    return kept.map(({ doc }) => doc)
  }

  #isBefore(one: Ranked, other: Ranked | undefined): boolean {
    if (other === undefined || one.score !== other.score) return other !== undefined && one.score > other.score
    one.id ??= this.id(one.doc)
    other.id ??= this.id(other.doc)
    return one.id < other.id
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

  /** The nearest live documents before and after it in its group, matching or not; -1 for none. Ties: by id. */
  neighbours(doc: number): readonly [before: number, after: number] {
    const group = this.group(doc)
    if (group === 0) return [-1, -1]
    const position = this.position(doc)
    const id = this.id(doc)
    let before = -1
    let after = -1
    for (const [which, segment] of this.#facts.segments.entries()) {
      const base = this.#facts.bases[which] ?? 0
      const left = segment.before(group, position, id)
      const right = segment.after(group, position, id)
      if (left >= 0 && (before < 0 || this.#comparePlaces(base + left, before) > 0)) before = base + left
      if (right >= 0 && (after < 0 || this.#comparePlaces(base + right, after) < 0)) after = base + right
    }
    return [before, after]
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

  /** Exact, over live documents. */
  lengths(field: number): Lengths {
    return lengthsOf(this.#facts.segments, field)
  }

  /**
   * What each word and prefix of the query that stands in the document gives it, in the order in which they are added
   * up: their sum is `score(doc)`. Also for one that a phrase or a `-not` keeps out, whose score is 0.
   */
  explain(doc: number): readonly TermPart[] {
    return termParts(this.#at(doc), this.#local(doc), this.#facts)
  }

  /** The distinct terms of a document as sorted hashes: for telling how much two have in common. */
  termSet(doc: number): Uint32Array {
    const segment = this.#at(doc)
    const terms = new Set(segment.tokens(this.#local(doc)))
    terms.delete(0)
    return Uint32Array.from(terms, (token) => termHash(segment.termBytes(token - 1))).sort()
  }

  /** The handle of a live document, or -1. */
  find(id: string): number {
    for (const [which, segment] of this.#facts.segments.entries()) {
      const document = segment.find(id)
      if (document >= 0) return (this.#facts.bases[which] ?? 0) + document
    }
    return -1
  }

  /** The handles of all live documents. */
  *all(): IterableIterator<number> {
    for (const [which, segment] of this.#facts.segments.entries()) {
      const base = this.#facts.bases[which] ?? 0
      for (let document = 0; document < segment.documents; document++) {
        if (!segment.removed.has(document)) yield base + document
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
