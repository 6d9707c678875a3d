/**
 * The segments of one index: a live one, and sealed and frozen ones in tiers. Four of a tier are merged into one of the
 * next, so there are a few for each doubling of the index, and a document is merged a handful of times in its life.
 * Sealing costs little, and merges go on a bounded number of units with each write: no write pays for all.
 */
import type { Analyzer } from './analyzer.ts'
import type { Document, Schema } from './document.ts'
import type { FrozenSegment } from './frozen-segment.ts'
import { LiveSegment } from './live-segment.ts'
import { mergeSegments } from './merge.ts'
import { RunningMerge, sizeOf } from './running-merge.ts'
import { liveDocuments, type Segment } from './segment.ts'
import { runAll } from './steps.ts'

export interface Bounds {
  /** The live segment is sealed when it has so many documents or tokens. */
  readonly sealDocuments: number
  readonly sealTokens: number
  /** The same while many documents are added at once, and so many of these are frozen as one: fewer merges. */
  readonly bulkTokens: number
  readonly bulkSegments: number
  /** So many segments of a tier are merged, and a tier is so many times as large as the one below. */
  readonly fanIn: number
  /** What a write does for the merges: enough that they end before the next ones are due. */
  readonly unitsPerToken: number
  readonly unitsPerWrite: number
  /** Nothing larger is merged: offsets have 32 bits. */
  readonly largestTokens: number
}

export const DEFAULT_BOUNDS: Bounds = {
  sealDocuments: 256,
  sealTokens: 32_768,
  bulkTokens: 1_000_000,
  bulkSegments: 16,
  fanIn: 4,
  unitsPerToken: 48,
  unitsPerWrite: 2000,
  largestTokens: 100_000_000,
}

export interface Place {
  readonly segment: Segment
  readonly document: number
}

export class SegmentSet {
  readonly #schema: Schema
  readonly #bounds: Bounds
  #live: LiveSegment
  #others: Segment[]
  #merges: RunningMerge[] = []
  /** Sealed while many are added, and frozen before that ends. They are among `#others` too. */
  #bulk: LiveSegment[] = []

  constructor(schema: Schema, bounds: Bounds, frozen: readonly FrozenSegment[]) {
    this.#schema = schema
    this.#bounds = bounds
    this.#live = new LiveSegment(schema.fields.length)
    this.#others = [...frozen]
  }

  all(): Segment[] {
    return this.#live.documents > 0 ? [...this.#others, this.#live] : [...this.#others]
  }

  find(id: string): Place | undefined {
    const inLive = this.#live.find(id)
    if (inLive >= 0) return { segment: this.#live, document: inLive }
    for (const segment of this.#others) {
      const document = segment.find(id)
      if (document >= 0) return { segment, document }
    }
    return undefined
  }

  /** The id must not be there. Gives the units that merges may spend for it. */
  add(document: Document, analyzer: Analyzer): number {
    return this.#live.add(document, analyzer) * this.#bounds.unitsPerToken + this.#bounds.unitsPerWrite
  }

  remove({ segment, document }: Place): void {
    segment.remove(document)
    const merge = this.#mergeOf(segment)
    if (merge) merge.noteRemoval(segment, document)
    else if (segment !== this.#live && liveDocuments(segment) === 0) this.#drop([segment])
  }

  /** After a write: seals a full live segment, begins the merges that are due, and goes on with them. */
  tend(units: number): void {
    if (this.#isFull(this.#live)) this.#seal()
    this.#beginMerges()
    let left = units
    while (left > 0) {
      const [first, ...rest] = this.#merges
      if (first === undefined) return
      const smallest = rest.reduce((best, merge) => (merge.size < best.size ? merge : best), first)
      left = smallest.advance(left)
      if (smallest.result === undefined) continue
      this.#merges = this.#merges.filter((merge) => merge !== smallest)
      this.#drop(smallest.inputs)
      this.#keep(smallest.result)
      this.#beginMerges()
    }
  }

  /** While many are added: large live segments, whose Maps still fit into the cache, and several frozen as one. */
  tendBulk(): void {
    if (sizeOf(this.#live) < this.#bounds.bulkTokens) return
    this.#bulk.push(this.#live)
    this.#seal()
    if (this.#bulk.length >= this.#bounds.bulkSegments) this.#freezeBulk()
  }

  endBulk(): void {
    if (this.#bulk.length === 0 && !this.#isFull(this.#live)) return
    this.#bulk.push(this.#live)
    this.#seal()
    this.#freezeBulk()
  }

  #freezeBulk(): void {
    const frozen = this.freeze(this.#bulk)
    this.#drop(this.#bulk)
    this.#keep(frozen)
    this.#bulk = []
  }

  #isFull(live: LiveSegment): boolean {
    return live.documents >= this.#bounds.sealDocuments || sizeOf(live) >= this.#bounds.sealTokens
  }

  freeze(segments: readonly Segment[]): FrozenSegment {
    return runAll(mergeSegments(segments, this.#schema.fields.length, this.#schema.columns.length)).segment
  }

  #seal(): void {
    this.#live.seal()
    this.#keep(this.#live)
    this.#live = new LiveSegment(this.#schema.fields.length)
  }

  #keep(segment: Segment): void {
    if (liveDocuments(segment) > 0) this.#others.push(segment)
  }

  #drop(segments: readonly Segment[]): void {
    this.#others = this.#others.filter((segment) => !segments.includes(segment))
  }

  #mergeOf(segment: Segment): RunningMerge | undefined {
    return this.#merges.find((merge) => merge.inputs.includes(segment))
  }

  #beginMerges(): void {
    const tiers = new Map<number, Segment[]>()
    for (const segment of this.#others) {
      const size = sizeOf(segment)
      if (size * this.#bounds.fanIn > this.#bounds.largestTokens || this.#mergeOf(segment)) continue
      if (segment.removed.count > liveDocuments(segment)) {
        this.#begin([segment])
        continue
      }
      const tier = Math.max(0, Math.floor(Math.log(size / this.#bounds.sealTokens) / Math.log(this.#bounds.fanIn)) + 1)
      tiers.set(tier, [...(tiers.get(tier) ?? []), segment])
    }
    for (const segments of tiers.values()) if (segments.length >= this.#bounds.fanIn) this.#begin(segments)
  }

  #begin(segments: readonly Segment[]): void {
    this.#merges.push(new RunningMerge(segments, this.#schema.fields.length, this.#schema.columns.length))
  }
}
