/**
 * The postings of a live segment, in the order in which they come: each knows the one before it of its term. A list for
 * each term would be a hundred thousand small objects for the garbage collector; this is a few arrays. A segment that
 * is sealed has them laid out term by term, because the merge that follows asks for all of them.
 */
import { GrowingNumbers } from './growing.ts'
import type { Postings } from './segment.ts'

export class PostingChains {
  /** By term: its last posting + 1, how many it has, and in how many documents that are not removed. */
  readonly #last = new GrowingNumbers()
  readonly #count = new GrowingNumbers()
  readonly #documentsWith = new GrowingNumbers()
  /** By posting: the document, the code of its counts, and the posting before it of the same term + 1. */
  readonly #document = new GrowingNumbers()
  readonly #code = new GrowingNumbers()
  readonly #before = new GrowingNumbers()
  readonly #term = new GrowingNumbers()
  #laidOut: { readonly all: Omit<Postings, 'start' | 'end'>; readonly ends: Uint32Array } | undefined

  addTerm(): void {
    this.#last.push(0)
    this.#count.push(0)
    this.#documentsWith.push(0)
  }

  /** Documents must come in ascending order. */
  add(term: number, document: number, code: number): void {
    this.#document.push(document)
    this.#code.push(code)
    this.#term.push(term)
    this.#before.push(this.#last.values[term] ?? 0)
    this.#last.values[term] = this.#document.length
    this.#count.values[term] = (this.#count.values[term] ?? 0) + 1
    this.#documentsWith.values[term] = (this.#documentsWith.values[term] ?? 0) + 1
  }

  /** By term, for those that are not removed: written to when one is. */
  get documentsWith(): Uint32Array {
    return this.#documentsWith.values
  }

  /** Nothing may be added after this. */
  layOut(codes: number): void {
    const size = this.#document.length
    const all = { documents: new Uint32Array(size), codes: codesArray(codes, size) }
    const next = new Uint32Array(this.#count.length)
    for (let term = 1; term < next.length; term++)
      next[term] = (next[term - 1] ?? 0) + (this.#count.values[term - 1] ?? 0)
    for (let posting = 0; posting < size; posting++) {
      const term = this.#term.values[posting] ?? 0
      const at = next[term] ?? 0
      next[term] = at + 1
      all.documents[at] = this.#document.values[posting] ?? 0
      all.codes[at] = this.#code.values[posting] ?? 0
    }
    this.#laidOut = { all, ends: next }
  }

  /** A copy in arrays of the kind that a frozen segment has, so that the loop that scores sees one kind. */
  postings(term: number, codes: number): Postings {
    const end = this.#count.values[term] ?? 0
    if (this.#laidOut) {
      const { all, ends } = this.#laidOut
      return { documents: all.documents, codes: all.codes, start: (ends[term] ?? 0) - end, end: ends[term] ?? 0 }
    }
    const copy = { documents: new Uint32Array(end), codes: codesArray(codes, end) }
    let posting = this.#last.values[term] ?? 0
    for (let i = end - 1; i >= 0; i--) {
      copy.documents[i] = this.#document.values[posting - 1] ?? 0
      copy.codes[i] = this.#code.values[posting - 1] ?? 0
      posting = this.#before.values[posting - 1] ?? 0
    }
    return { ...copy, start: 0, end }
  }
}

function codesArray(codes: number, length: number): Uint16Array | Uint32Array {
  return codes <= 65_536 ? new Uint16Array(length) : new Uint32Array(length)
}
