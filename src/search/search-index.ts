/**
 * An index of documents for search: what is put is searchable with the next search, what is removed is gone from it, and
 * every statistic is exact. It is one process's own; `save` and `open` carry it over. It never reads a clock or a file.
 */
import type { Analyzer } from './analyzer.ts'
import { type Document, requireDocument, type Schema } from './document.ts'
import { FrozenSegment } from './frozen-segment.ts'
import { liveDocuments, type Segment } from './segment.ts'
import { type Bounds, DEFAULT_BOUNDS, SegmentSet } from './segment-set.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import { decode } from './utf8.ts'

export class SearchIndex {
  readonly schema: Schema
  readonly #analyzer: Analyzer
  readonly #bounds: Bounds
  readonly #segments: SegmentSet

  /** `bounds` and `frozen` are for tests and for `open`. */
  constructor(
    analyzer: Analyzer,
    schema: Schema,
    bounds: Bounds = DEFAULT_BOUNDS,
    frozen: readonly FrozenSegment[] = [],
  ) {
    this.schema = schema
    this.#analyzer = analyzer
    this.#bounds = bounds
    this.#segments = new SegmentSet(schema, bounds, frozen)
  }

  /** Documents that are not removed. */
  get size(): number {
    return this.segments().reduce((sum, segment) => sum + liveDocuments(segment), 0)
  }

  /** For searching. A segment's documents may be removed; the list itself is the caller's. */
  segments(): Segment[] {
    return this.#segments.all()
  }

  /** Adds it, or replaces the one of the same id. */
  put(document: Document): void {
    this.#segments.tend(this.#put(document))
  }

  /** The same for many, with less work for each: for building, not for keeping in step. */
  putAll(documents: Iterable<Document>): void {
    let units = 0
    for (const document of documents) {
      units += this.#put(document)
      this.#segments.tendBulk()
    }
    this.#segments.endBulk()
    this.#segments.tend(units)
  }

  #put(document: Document): number {
    requireDocument(document, this.schema)
    this.#remove(document.id)
    return this.#segments.add(document, this.#analyzer)
  }

  /** False where it was not there. */
  remove(id: string): boolean {
    const removed = this.#remove(id)
    if (removed) this.#segments.tend(this.#bounds.unitsPerWrite)
    return removed
  }

  #remove(id: string): boolean {
    const place = this.#segments.find(id)
    if (place) this.#segments.remove(place)
    return place !== undefined
  }

  has(id: string): boolean {
    return this.#segments.find(id) !== undefined
  }

  stored(id: string): string | undefined {
    const place = this.#segments.find(id)
    return place && decode(place.segment.storedBytes(place.document))
  }

  *ids(): IterableIterator<string> {
    for (const segment of this.segments()) {
      for (let document = 0; document < segment.documents; document++) {
        if (!segment.removed.has(document)) yield segment.id(document)
      }
    }
  }

  /** The same documents, and no word of those that were removed, which segments and what is saved of them keep for a while. */
  withoutRemoved(): SearchIndex {
    const all = this.segments()
    if (all.every((segment) => segment.removed.count === 0)) return this
    const frozen = all.flatMap((segment) => {
      if (segment instanceof FrozenSegment && segment.removed.count === 0) return [segment]
      return liveDocuments(segment) > 0 ? [this.#segments.freeze([segment])] : []
    })
    return new SearchIndex(this.#analyzer, this.schema, this.#bounds, frozen)
  }

  /** The whole index as one file. `note` comes back with it: the caller's own, such as how far it has read. */
  save(note: string): Uint8Array {
    const kept: FrozenSegment[] = []
    const rest: Segment[] = []
    for (const segment of this.segments()) {
      if (segment instanceof FrozenSegment && segment.removed.count * 5 <= segment.documents) kept.push(segment)
      else rest.push(segment)
    }
    const added = rest.some((segment) => liveDocuments(segment) > 0) ? [this.#segments.freeze(rest)] : []
    return writeSnapshot([...kept, ...added], { analyzer: this.#analyzer.version, schema: this.schema, note })
  }

  /**
   * From what `save` gave, or a sentence on why not; then the index is to be built anew. The index reads the bytes for
   * as long as it lives: they must not be changed.
   */
  static open(
    bytes: Uint8Array,
    analyzer: Analyzer,
    schema: Schema,
    bounds: Bounds = DEFAULT_BOUNDS,
  ): { readonly index: SearchIndex; readonly note: string } | { readonly problem: string } {
    const read = readSnapshot(bytes, analyzer.version, schema)
    if ('problem' in read) return read
    return { index: new SearchIndex(analyzer, schema, bounds, read.segments), note: read.note }
  }
}
