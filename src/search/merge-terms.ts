/**
 * The first half of a merge: one dictionary out of several. The terms of all inputs are sorted by their bytes, equal ones
 * become one, and numbers are given by falling document count, so that the tokens of common terms are short.
 */
import { CountCodes } from './count-codes.ts'
import { GrowingBytes } from './growing.ts'
import type { Segment } from './segment.ts'
import { STEP, type Steps, sortInSteps } from './steps.ts'
import { compareBytes } from './utf8.ts'

export interface MergedTerms {
  /** Where a term comes from, in the order of the inputs: entries, of which each has an input and its number there. */
  entries(number: number): Uint32Array
  readonly inputOf: Uint32Array
  readonly termOf: Uint32Array
  /** By number: how many documents have it, and its bytes. */
  readonly documents: Uint32Array
  bytes(number: number): Uint8Array
  readonly totalBytes: number
  /** The numbers by the bytes of their terms. */
  readonly order: Uint32Array
  /** By input: the new number of each of its terms. */
  readonly numberOf: readonly Uint32Array[]
  /** By input: the new code of each of its codes. */
  readonly codeOf: readonly Uint32Array[]
  readonly codes: CountCodes
  readonly postings: number
}

/** `places[input][document]` is the new number of a document, or -1 for one that is left out. */
export function* mergeTerms(
  inputs: readonly Segment[],
  places: readonly Int32Array[],
  fields: number,
): Steps<MergedTerms> {
  const codes = new CountCodes(fields)
  const codeOf = inputs.map((input) => new Uint32Array(input.codes).fill(UNSEEN))
  const found = yield* collect(inputs, places, codes, codeOf)
  const compare = (a: number, b: number): number =>
    compareBytes(found.blob, found.offset(a), found.offset(a + 1), found.blob, found.offset(b), found.offset(b + 1))
  const sorted = yield* sortInSteps(numbersBelow(found.size), compare)

  const distinct = new Uint32Array(found.size)
  /** By distinct term: its first place in `sorted`. */
  const firsts = new Uint32Array(found.size + 1)
  const documents = new Uint32Array(found.size)
  let size = 0
  for (let at = 0; at < sorted.length; at++) {
    const entry = sorted[at] ?? 0
    if (at === 0 || compare(sorted[at - 1] ?? 0, entry) !== 0) {
      firsts[size++] = at
    }
    const last = size - 1
    distinct[entry] = last
    documents[last] = (documents[last] ?? 0) + (found.documents[entry] ?? 0)
    if (at % STEP === 0) yield STEP
  }

  firsts[size] = sorted.length

  const byCount = yield* sortInSteps(numbersBelow(size), (a, b) => (documents[b] ?? 0) - (documents[a] ?? 0))
  const order = new Uint32Array(size)
  const documentsByNumber = new Uint32Array(size)
  let postings = 0
  let totalBytes = 0
  for (let number = 0; number < byCount.length; number++) {
    const term = byCount[number] ?? 0
    order[term] = number
    documentsByNumber[number] = documents[term] ?? 0
    postings += documents[term] ?? 0
    const head = sorted[firsts[term] ?? 0] ?? 0
    totalBytes += found.offset(head + 1) - found.offset(head)
    if (number % STEP === 0) yield STEP
  }

  const numberOf = inputs.map((input) => new Uint32Array(input.terms))
  for (let entry = 0; entry < found.size; entry++) {
    const ofInput = numberOf[found.input[entry] ?? 0]
    if (ofInput) ofInput[found.term[entry] ?? 0] = order[distinct[entry] ?? 0] ?? 0
    if (entry % STEP === 0) yield STEP
  }
  return {
    entries: (number) => {
      const term = byCount[number] ?? 0
      return sorted.subarray(firsts[term], firsts[term + 1])
    },
    inputOf: found.input,
    termOf: found.term,
    documents: documentsByNumber,
    bytes: (wanted) => {
      const head = sorted[firsts[byCount[wanted] ?? 0] ?? 0] ?? 0
      return found.blob.subarray(found.offset(head), found.offset(head + 1))
    },
    totalBytes,
    order,
    numberOf,
    codeOf,
    codes,
    postings,
  }
}

const UNSEEN = 0xffffffff

/** A loop, because `Uint32Array.from` takes fifty times as long, and this is one step. */
function numbersBelow(end: number): Uint32Array {
  const numbers = new Uint32Array(end)
  for (let i = 0; i < end; i++) numbers[i] = i
  return numbers
}

interface Collected {
  readonly size: number
  readonly blob: Uint8Array
  readonly input: Uint32Array
  readonly term: Uint32Array
  readonly documents: Uint32Array
  offset(entry: number): number
}

/** Every term that is left after the removals, input by input, in the order in which the input keeps them. */
function* collect(
  inputs: readonly Segment[],
  places: readonly Int32Array[],
  codes: CountCodes,
  codeOf: readonly Uint32Array[],
): Steps<Collected> {
  const most = inputs.reduce((sum, input) => sum + input.terms, 0)
  const input = new Uint32Array(most)
  const term = new Uint32Array(most)
  const documents = new Uint32Array(most)
  const offsets = new Uint32Array(most + 1)
  const blob = new GrowingBytes()
  let size = 0
  for (const [which, segment] of inputs.entries()) {
    const left = yield* countLeft(segment, places[which] ?? new Int32Array(), codes, codeOf[which] ?? new Uint32Array())
    for (let rank = 0; rank < segment.terms; rank++) {
      if (rank % STEP === 0) yield STEP
      const number = segment.termInOrder(rank)
      const documentsLeft = left[number] ?? 0
      if (documentsLeft === 0) continue
      // Each once: a file could name one term many times, and the work for it would have no bound.
      left[number] = 0
      input[size] = which
      term[size] = number
      documents[size] = documentsLeft
      blob.append(segment.termBytes(number))
      offsets[++size] = blob.length
    }
  }
  return {
    size,
    blob: blob.bytes,
    input,
    term,
    documents,
    offset: (entry) => offsets[entry] ?? 0,
  }
}

/** By term: how many documents are left that have it. Term by term, because so the postings lie one after the other. */
function* countLeft(segment: Segment, places: Int32Array, codes: CountCodes, codeOf: Uint32Array): Steps<Uint32Array> {
  const { counts } = segment
  const fields = segment.lengthSums.length
  const left = new Uint32Array(segment.terms)
  let spent = 0
  for (let term = 0; term < segment.terms; term++) {
    const postings = segment.postings(term)
    let documents = 0
    spent += 4
    for (let from = postings.start; from < postings.end; from += STEP) {
      const end = Math.min(from + STEP, postings.end)
      for (let i = from; i < end; i++) {
        if ((places[postings.documents[i] ?? 0] ?? -1) < 0) continue
        const code = postings.codes[i] ?? 0
        if (codeOf[code] === UNSEEN) codeOf[code] = codes.codeOf(counts, code * fields)
        documents++
      }
      spent += end - from
      if (spent >= STEP) {
        yield spent
        spent = 0
      }
    }
    left[term] = documents
  }
  return left
}
