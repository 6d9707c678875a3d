/**
 * A part of an index: documents numbered from 0, terms numbered from 0. What is in it never changes; a document is only
 * ever marked as removed, and the sums follow exactly. Two kinds: a live segment takes new documents, a frozen one
 * is a buffer as it stands in the snapshot. Searching and merging see this interface only.
 */
import type { Bits } from './bits.ts'

export interface Segment {
  /** With the removed ones. */
  readonly documents: number
  readonly removed: Bits
  /** Of the documents that are not removed, by field: how many tokens, and the sum of the squares of that. */
  readonly lengthSums: Float64Array
  readonly squareSums: Float64Array
  readonly fieldLengths: FieldLengths
  /**
   * The distinct vectors of counts by field that a term has in a document: `counts[code * fields + field]`. A segment
   * has few of them, so a posting is a document and two bytes, however many fields there are.
   */
  readonly counts: Uint32Array
  readonly codes: number
  readonly terms: number

  /** -1 where it is not there or removed. */
  find(id: string): number
  id(document: number): string
  idBytes(document: number): Uint8Array
  storedBytes(document: number): Uint8Array
  group(document: number): number
  position(document: number): number
  column(document: number, column: number): number
  /** The documents of a group that are not removed, in their order: by position, then by id. */
  members(group: number): number[]

  /** -1 where no document ever had it. */
  findTerm(term: string): number
  termBytes(term: number): Uint8Array
  /** Every term by its bytes, where the segment keeps them so; else in any order. */
  termInOrder(rank: number): number
  termsWithPrefix(prefix: string): number[]
  /** How many documents have it that are not removed. */
  documentsWith(term: number): number
  /** With the removed documents. */
  postings(term: number): Postings
  /** The document's tokens in order, each a term + 1, with 0 between two fields. Valid until the next call. */
  tokens(document: number): Uint32Array

  remove(document: number): void
}

/**
 * How many tokens each field of each document has: `values[field * stride + document]`. Field by field and as narrow as
 * can be, because scoring reads one field of documents far apart: what fits into the cache is three times as fast.
 */
export interface FieldLengths {
  readonly values: Uint16Array | Uint32Array
  readonly stride: number
}

/** The documents that have a term, ascending, and the code of their counts, from `start` up to `end`. */
export interface Postings {
  readonly documents: Uint32Array
  readonly codes: Uint16Array | Uint32Array
  readonly start: number
  readonly end: number
}

export function liveDocuments(segment: Segment): number {
  return segment.documents - segment.removed.count
}

/** The order of documents in a group: by position, then by id. */
export function comparePlaces(position: number, id: string, otherPosition: number, otherId: () => string): number {
  if (position !== otherPosition) return position < otherPosition ? -1 : 1
  const other = otherId()
  return id === other ? 0 : id < other ? -1 : 1
}

/** Exact while a sum of squares stays below 2^53: a hundred thousand documents of three hundred thousand words. */
export function addLengths(segment: Segment, document: number): void {
  changeLengths(segment, document, 1)
}

export function subtractLengths(segment: Segment, document: number): void {
  changeLengths(segment, document, -1)
}

function changeLengths(segment: Segment, document: number, sign: 1 | -1): void {
  const { lengthSums, squareSums, fieldLengths } = segment
  const fields = lengthSums.length
  for (let field = 0; field < fields; field++) {
    const length = fieldLengths.values[field * fieldLengths.stride + document] ?? 0
    lengthSums[field] = (lengthSums[field] ?? 0) + sign * length
    squareSums[field] = (squareSums[field] ?? 0) + sign * length * length
  }
}

/** Adds `change` once for each distinct term of a document. */
export function changeTermCounts(tokens: Uint32Array, counts: Uint32Array, change: number): void {
  const seen = new Set<number>()
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? 0
    if (token === 0 || seen.has(token)) continue
    seen.add(token)
    counts[token - 1] = (counts[token - 1] ?? 0) + change
  }
}
