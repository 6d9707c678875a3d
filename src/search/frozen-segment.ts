/**
 * A segment as it stands in the snapshot: typed arrays laid over its bytes, nothing parsed, nothing copied. What changes
 * stands beside it: which documents are removed, and by how many of them each term's count is too high. That is a
 * number for each term, made with the first removal: one in a hundred of the segment's size, and no Map to fill.
 */
import { Bits } from './bits.ts'
import { allocateSegment, type Parts, partsOf, readSizes, type Sizes } from './layout.ts'
import { changeTermCounts, type FieldLengths, type Postings, type Segment, subtractLengths } from './segment.ts'
import { StringTable } from './string-table.ts'
import { readTokens } from './token-bytes.ts'

/** What is removed from a frozen segment, as the snapshot keeps it. */
export interface Removals {
  readonly documents: Uint32Array
  readonly byTerm: Uint32Array
}

export class FrozenSegment implements Segment {
  readonly bytes: Uint8Array
  readonly sizes: Sizes
  readonly parts: Parts
  readonly documents: number
  readonly terms: number
  readonly codes: number
  readonly fieldLengths: FieldLengths
  readonly counts: Uint32Array
  readonly lengthSums: Float64Array
  readonly squareSums: Float64Array
  readonly removed: Bits
  readonly #ids: StringTable
  readonly #terms: StringTable
  #removedByTerm: Uint32Array | undefined

  constructor(bytes: Uint8Array, sizes: Sizes, parts: Parts) {
    this.bytes = bytes
    this.sizes = sizes
    this.parts = parts
    this.documents = sizes.documents
    this.terms = sizes.terms
    this.codes = sizes.codes
    this.fieldLengths = { values: parts.fieldLengths, stride: sizes.documents }
    this.counts = parts.counts
    this.removed = new Bits(new Uint32Array(Math.ceil(sizes.documents / 32)))
    this.#ids = new StringTable(parts.ids, parts.idOffsets, parts.idOrder)
    this.#terms = new StringTable(parts.terms, parts.termOffsets, parts.termOrder)
    // Copies: they are of all documents in the bytes, and here of those that are not removed.
    this.lengthSums = parts.lengthSums.slice()
    this.squareSums = parts.squareSums.slice()
  }

  /** Lays out a new one; the caller fills its parts and adds the lengths. */
  static allocate(sizes: Sizes): FrozenSegment {
    const { bytes, parts } = allocateSegment(sizes)
    return new FrozenSegment(bytes, sizes, parts)
  }

  /** Over bytes that begin at a multiple of 8; undefined where they hold no segment. */
  static over(bytes: Uint8Array): FrozenSegment | undefined {
    const sizes = readSizes(bytes)
    if (sizes === undefined) return undefined
    return new FrozenSegment(bytes, sizes, partsOf(bytes, sizes))
  }

  find(id: string): number {
    const document = this.#ids.find(id)
    return document >= 0 && !this.removed.has(document) ? document : -1
  }

  id(document: number): string {
    return this.#ids.text(document)
  }

  idBytes(document: number): Uint8Array {
    return this.#ids.bytes(document)
  }

  storedBytes(document: number): Uint8Array {
    const { stored, storedOffsets } = this.parts
    return stored.subarray(storedOffsets[document] ?? 0, storedOffsets[document + 1] ?? 0)
  }

  group(document: number): number {
    return this.parts.groups[document] ?? 0
  }

  position(document: number): number {
    return this.parts.positions[document] ?? 0
  }

  column(document: number, column: number): number {
    return this.parts.columns[document * this.sizes.columns + column] ?? 0
  }

  members(group: number): number[] {
    const { groupOrder, groups } = this.parts
    const members: number[] = []
    for (let at = this.#startOf(group); at < groupOrder.length; at++) {
      const document = groupOrder[at] ?? 0
      if (groups[document] !== group) break
      if (!this.removed.has(document)) members.push(document)
    }
    return members
  }

  /** Where the group begins in `groupOrder`, or would. */
  #startOf(group: number): number {
    const { groupOrder, groups } = this.parts
    let low = 0
    let high = groupOrder.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((groups[groupOrder[middle] ?? 0] ?? 0) < group) low = middle + 1
      else high = middle
    }
    return low
  }

  findTerm(term: string): number {
    return this.#terms.find(term)
  }

  termBytes(term: number): Uint8Array {
    return this.#terms.bytes(term)
  }

  termInOrder(rank: number): number {
    return this.parts.termOrder[rank] ?? 0
  }

  termsWithPrefix(prefix: string): number[] {
    return this.#terms.withPrefix(prefix)
  }

  documentsWith(term: number): number {
    const { postingOffsets } = this.parts
    const all = (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0)
    return all - (this.#removedByTerm?.[term] ?? 0)
  }

  postings(term: number): Postings {
    const { postingDocuments, postingCodes, postingOffsets } = this.parts
    return {
      documents: postingDocuments,
      codes: postingCodes,
      start: postingOffsets[term] ?? 0,
      end: postingOffsets[term + 1] ?? 0,
    }
  }

  tokens(document: number): Uint32Array {
    const { tokens, tokenOffsets } = this.parts
    return readTokens(tokens, tokenOffsets[document] ?? 0, tokenOffsets[document + 1] ?? 0)
  }

  remove(document: number): void {
    this.removed.add(document)
    subtractLengths(this, document)
    this.#removedByTerm ??= new Uint32Array(this.terms)
    changeTermCounts(this.tokens(document), this.#removedByTerm, 1)
  }

  removals(): Removals | undefined {
    return this.#removedByTerm && { documents: this.removed.words, byTerm: this.#removedByTerm }
  }

  /** Takes over what a snapshot says is removed. The arrays are kept and written to. */
  restoreRemovals(removals: Removals): void {
    this.removed.words = removals.documents
    this.#removedByTerm = removals.byTerm
    for (let document = 0; document < this.documents; document++) {
      // None of its 32: on to the last of them. Most are such.
      if (removals.documents[document >>> 5] === 0) document |= 31
      if (!this.removed.has(document)) continue
      this.removed.count++
      subtractLengths(this, document)
    }
  }
}
