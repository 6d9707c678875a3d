/**
 * Whether the numbers of a frozen segment point to where there is something: offsets ascend, orders and postings name
 * what exists, tokens are terms. The checksum finds damage; this is for a file that somebody made to look whole. It is
 * one pass over the bytes, a fraction of what building anew takes, and after it no loop can run away.
 */
import type { Schema } from './document.ts'
import type { FrozenSegment } from './frozen-segment.ts'

export function checkSegment(segment: FrozenSegment, schema: Schema): boolean {
  const { parts, sizes } = segment
  const { documents, terms } = sizes
  return (
    sizes.fields === schema.fields.length &&
    sizes.columns === schema.columns.length &&
    ascend(parts.idOffsets, sizes.idBytes) &&
    ascend(parts.storedOffsets, sizes.storedBytes) &&
    ascend(parts.tokenOffsets, sizes.tokenBytes) &&
    ascend(parts.termOffsets, sizes.termBytes) &&
    ascend(parts.postingOffsets, sizes.postings) &&
    allBelow(parts.idOrder, documents) &&
    allBelow(parts.groupOrder, documents) &&
    allBelow(parts.termOrder, terms) &&
    postingsAscend(segment) &&
    tokensOf(segment) === occurrences(segment)
  )
}

function ascend(offsets: Uint32Array, end: number): boolean {
  let before = 0
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i] ?? 0
    if (offset < before) return false
    before = offset
  }
  return offsets[0] === 0 && before === end
}

function allBelow(numbers: Uint32Array, end: number): boolean {
  for (let i = 0; i < numbers.length; i++) if ((numbers[i] ?? 0) >= end) return false
  return true
}

function postingsAscend({ parts, sizes }: FrozenSegment): boolean {
  const { postingDocuments, postingOffsets } = parts
  for (let term = 0; term < sizes.terms; term++) {
    let before = -1
    const end = postingOffsets[term + 1] ?? 0
    for (let i = postingOffsets[term] ?? 0; i < end; i++) {
      const document = postingDocuments[i] ?? 0
      if (document <= before) return false
      before = document
    }
    if (before >= sizes.documents) return false
  }
  return true
}

/** How many tokens the postings speak of: what a merge takes room for. Undefined where a code is none. */
function occurrences({ parts, sizes }: FrozenSegment): number | undefined {
  const { counts, postingCodes } = parts
  const ofCode = new Float64Array(sizes.codes)
  for (let at = 0; at < counts.length; at++) {
    const code = Math.floor(at / sizes.fields)
    ofCode[code] = (ofCode[code] ?? 0) + (counts[at] ?? 0)
  }
  let sum = 0
  for (let i = 0; i < postingCodes.length; i++) {
    const code = postingCodes[i] ?? 0
    if (code >= sizes.codes) return undefined
    sum += ofCode[code] ?? 0
  }
  return sum
}

/** How many tokens there are. -1 where one is no term of the segment, or reaches over the end of its document. */
function tokensOf({ parts, sizes }: FrozenSegment): number {
  const { tokens, tokenOffsets } = parts
  for (let document = 0; document < sizes.documents; document++) {
    const end = tokenOffsets[document + 1] ?? 0
    if (end > (tokenOffsets[document] ?? 0) && (tokens[end - 1] ?? 0) > 127) return -1
  }
  let count = 0
  let value = 0
  let shift = 0
  for (let at = 0; at < tokens.length; at++) {
    const byte = tokens[at] ?? 0
    value |= (byte & 127) << shift
    shift += 7
    if (byte > 127 && shift < 35) continue
    if (value >>> 0 > sizes.terms || byte > 127) return -1
    if (value !== 0) count++
    value = 0
    shift = 0
  }
  return count
}
