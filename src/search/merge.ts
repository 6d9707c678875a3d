/**
 * Several segments into one frozen segment without their removed documents, in small steps. Freezing is merging one. The
 * inputs stay as they are and are searched until the result takes their place; what is removed from them meanwhile is in
 * the result still, and is removed from it by whoever puts it in place, with `places`.
 */
import { FrozenSegment } from './frozen-segment.ts'
import { type MergedTerms, mergeTerms } from './merge-terms.ts'
import { addLengths, comparePlaces, type Segment } from './segment.ts'
import { STEP, type Steps, sortInSteps } from './steps.ts'
import { tokenLength, writeToken } from './token-bytes.ts'
import { compareBytes } from './utf8.ts'

export interface Merged {
  readonly segment: FrozenSegment
  /** By input: the new number of each document, -1 for one that was removed before the merge came to it. */
  readonly places: readonly Int32Array[]
}

export function* mergeSegments(inputs: readonly Segment[], fields: number, columns: number): Steps<Merged> {
  const { places, documents, longest, grouped, idBytes, storedBytes } = yield* placeDocuments(inputs)
  const terms = yield* mergeTerms(inputs, places, fields)
  const segment = FrozenSegment.allocate({
    documents,
    fields,
    columns,
    longest,
    grouped,
    terms: terms.documents.length,
    codes: terms.codes.size,
    postings: terms.postings,
    idBytes,
    termBytes: terms.totalBytes,
    storedBytes,
    tokenBytes: yield* measureTokens(terms, inputs, places),
  })
  yield* writeTerms(segment, terms)
  yield* writePostings(segment, terms, inputs, places)
  yield* writeDocuments(segment, terms, inputs, places)
  yield* writeOrders(segment, inputs, places)
  return { segment, places }
}

function* placeDocuments(inputs: readonly Segment[]): Steps<{
  readonly places: Int32Array[]
  readonly documents: number
  readonly longest: number
  readonly grouped: number
  readonly idBytes: number
  readonly storedBytes: number
}> {
  const places: Int32Array[] = []
  let documents = 0
  let longest = 0
  let grouped = 0
  let idBytes = 0
  let storedBytes = 0
  for (const input of inputs) {
    const place = new Int32Array(input.documents).fill(-1)
    places.push(place)
    const { values, stride } = input.fieldLengths
    for (let document = 0; document < input.documents; document++) {
      if (document % STEP === 0) yield STEP
      if (input.removed.has(document)) continue
      place[document] = documents++
      if (input.group(document) !== 0) grouped++
      for (let at = document; at < values.length; at += stride) longest = Math.max(longest, values[at] ?? 0)
      idBytes += input.idBytes(document).length
      storedBytes += input.storedBytes(document).length
    }
  }
  return { places, documents, longest, grouped, idBytes, storedBytes }
}

/** Counted and not worked out from the postings: what is made room for is what will be written, whatever a file may say. */
function* measureTokens(terms: MergedTerms, inputs: readonly Segment[], places: readonly Int32Array[]): Steps<number> {
  let length = 0
  let spent = 0
  for (const [which, input] of inputs.entries()) {
    const numberOf = terms.numberOf[which] as Uint32Array // one for each input
    for (let document = 0; document < input.documents; document++) {
      if ((places[which]?.[document] ?? -1) < 0) continue
      const tokens = input.tokens(document)
      for (let i = 0; i < tokens.length; i++) length += tokenLength(newToken(tokens[i] as number, numberOf))
      spent += tokens.length + 8
      if (spent < STEP) continue
      yield spent
      spent = 0
    }
  }
  return length
}

/** The mark between fields stays what it is. */
function newToken(token: number, numberOf: Uint32Array): number {
  return token === 0 ? 0 : (numberOf[token - 1] ?? 0) + 1
}

function* writeTerms(segment: FrozenSegment, terms: MergedTerms): Steps<void> {
  const { parts } = segment
  let at = 0
  let posting = 0
  for (let number = 0; number < terms.documents.length; number++) {
    const bytes = terms.bytes(number)
    parts.terms.set(bytes, at)
    at += bytes.length
    posting += terms.documents[number] ?? 0
    parts.termOffsets[number + 1] = at
    parts.postingOffsets[number + 1] = posting
    if (number % STEP === 0) yield STEP
  }
  parts.termOrder.set(terms.order)
  parts.counts.set(terms.codes.counts.values.subarray(0, parts.counts.length))
}

/** Input by input, and documents are numbered so too: they ascend. */
function* writePostings(
  segment: FrozenSegment,
  terms: MergedTerms,
  inputs: readonly Segment[],
  places: readonly Int32Array[],
): Steps<void> {
  const { postingDocuments, postingCodes } = segment.parts
  let at = 0
  let spent = 0
  for (let number = 0; number < terms.documents.length; number++) {
    const entries = terms.entries(number)
    for (let n = 0; n < entries.length; n++) {
      const entry = entries[n] ?? 0
      const input = terms.inputOf[entry] ?? 0
      const place = places[input] ?? new Int32Array()
      const newCodes = terms.codeOf[input] ?? new Uint32Array()
      const postings = inputs[input]?.postings(terms.termOf[entry] ?? 0)
      if (postings === undefined) continue
      spent += 8
      for (let from = postings.start; from < postings.end; from += STEP) {
        const end = Math.min(from + STEP, postings.end)
        for (let i = from; i < end; i++) {
          const document = place[postings.documents[i] ?? 0] ?? -1
          if (document < 0) continue
          postingDocuments[at] = document
          postingCodes[at++] = newCodes[postings.codes[i] ?? 0] ?? 0
        }
        spent += end - from
        if (spent >= STEP) {
          yield spent
          spent = 0
        }
      }
    }
  }
}

function* writeDocuments(
  segment: FrozenSegment,
  terms: MergedTerms,
  inputs: readonly Segment[],
  places: readonly Int32Array[],
): Steps<void> {
  const { parts, sizes } = segment
  let tokenAt = 0
  let idAt = 0
  let storedAt = 0
  let spent = 0
  for (const [which, input] of inputs.entries()) {
    const numberOf = terms.numberOf[which] ?? new Uint32Array()
    const { values, stride } = input.fieldLengths
    for (let document = 0; document < input.documents; document++) {
      const place = places[which]?.[document] ?? -1
      if (place < 0) continue
      parts.groups[place] = input.group(document)
      parts.positions[place] = input.position(document)
      for (let column = 0; column < sizes.columns; column++) {
        parts.columns[place * sizes.columns + column] = input.column(document, column)
      }
      for (let field = 0; field < sizes.fields; field++) {
        parts.fieldLengths[field * sizes.documents + place] = values[field * stride + document] ?? 0
      }
      addLengths(segment, place)
      const id = input.idBytes(document)
      parts.ids.set(id, idAt)
      idAt += id.length
      parts.idOffsets[place + 1] = idAt
      const stored = input.storedBytes(document)
      parts.stored.set(stored, storedAt)
      storedAt += stored.length
      parts.storedOffsets[place + 1] = storedAt
      const tokens = input.tokens(document)
      for (let i = 0; i < tokens.length; i++) {
        tokenAt = writeToken(parts.tokens, tokenAt, newToken(tokens[i] as number, numberOf))
      }
      parts.tokenOffsets[place + 1] = tokenAt
      spent += tokens.length + 20 + ((id.length + stored.length) >>> 4)
      if (spent >= STEP) {
        yield spent
        spent = 0
      }
    }
  }
  parts.lengthSums.set(segment.lengthSums)
  parts.squareSums.set(segment.squareSums)
}

/** The order by id and the order by group: each input's own orders, mapped and merged. */
function* writeOrders(segment: FrozenSegment, inputs: readonly Segment[], places: readonly Int32Array[]): Steps<void> {
  const { ids, idOffsets, idOrder, groups, positions, groupOrder } = segment.parts
  const byId = yield* gather(inputs, places, idOrder.length, (input) => input.parts.idOrder)
  const sortedIds = yield* sortInSteps(byId, (a, b) =>
    compareBytes(ids, idOffsets[a] ?? 0, idOffsets[a + 1] ?? 0, ids, idOffsets[b] ?? 0, idOffsets[b + 1] ?? 0),
  )
  idOrder.set(sortedIds)
  const inGroups = yield* gather(inputs, places, groupOrder.length, (input) => input.parts.groupOrder, groups)
  const sortedGroups = yield* sortInSteps(inGroups, (a, b) => {
    const difference = (groups[a] ?? 0) - (groups[b] ?? 0)
    if (difference !== 0) return difference
    return comparePlaces(positions[a] ?? 0, '', positions[b] ?? 0, () => '') || (segment.id(a) < segment.id(b) ? -1 : 1)
  })
  groupOrder.set(sortedGroups)
}

/** The new numbers of documents (but those with a 0 in `wanted`), input by input, in an order that it has if it has one. */
function* gather(
  inputs: readonly Segment[],
  places: readonly Int32Array[],
  most: number,
  orderOf: (input: FrozenSegment) => Uint32Array,
  wanted?: Float64Array,
): Steps<Uint32Array> {
  const gathered = new Uint32Array(most)
  let size = 0
  for (const [which, input] of inputs.entries()) {
    const order = input instanceof FrozenSegment ? orderOf(input) : undefined
    const length = order?.length ?? input.documents
    for (let rank = 0; rank < length; rank++) {
      const place = places[which]?.[order?.[rank] ?? rank] ?? -1
      if (place >= 0 && wanted?.[place] !== 0) gathered[size++] = place
      if (rank % STEP === 0) yield STEP
    }
  }
  return gathered.subarray(0, size)
}
