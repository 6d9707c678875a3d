/** Adds what the words and prefixes of a query give to the documents of one segment. The inner loop of the engine. */
import type { Accumulator } from './accumulator.ts'
import { type Norms, singleField, termScore } from './bm25.ts'
import type { Postings, Segment } from './segment.ts'
import type { TermUnion } from './term-union.ts'

/** The field that holds most of a segment's words, and by code the count there times its weight: 0 where others count too. */
export interface CodeTable {
  readonly weights: Float64Array
  readonly field: number
  readonly weighted: Float64Array
}

/** Searches come with the same weights mostly, and a segment of many fields has thousands of codes. */
const lastTables = new WeakMap<Segment, CodeTable>()

export function codeTable(segment: Segment, { weights }: Norms): CodeTable {
  const last = lastTables.get(segment)
  if (last !== undefined && last.weighted.length === segment.codes && sameNumbers(last.weights, weights)) return last
  const fields = weights.length
  const field = segment.lengthSums.indexOf(Math.max(...segment.lengthSums))
  const weighted = new Float64Array(segment.codes)
  for (let code = 0; code < weighted.length; code++) {
    if (singleField(segment.counts, code * fields, fields) !== field) continue
    weighted[code] = (weights[field] ?? 0) * (segment.counts[code * fields + field] ?? 0)
  }
  const table = { weights, field, weighted }
  lastTables.set(segment, table)
  return table
}

function sameNumbers(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false
  return a.length === b.length
}

/**
 * `base` is the handle of the segment's first document. The result of each posting is that of `termScore`, to the bit. Two
 * loops, because the first is twice as fast when there is nothing in it but the common case: a word in the main field.
 */
export function scoreWord(
  segment: Segment,
  postings: Postings,
  importance: number,
  norms: Norms,
  table: CodeTable,
  accumulator: Accumulator,
  base: number,
): void {
  const { documents, codes, start, end } = postings
  const { scores, touched } = accumulator
  const { field, weighted } = table
  const lengths = lengthsOfField(segment, field)
  const dampingBase = norms.dampingBases[field] ?? 0
  const dampingSlope = norms.dampingSlopes[field] ?? 0
  let count = accumulator.count
  let left = 0
  for (let i = start; i < end; i++) {
    // `| 0` keeps the sums below in whole numbers of the machine: unsigned ones would be added as floats.
    const document = (documents[i] as number) | 0
    const weight = weighted[codes[i] as number] as number
    const length = lengths[document] as number
    // Nothing that is read is checked: where a number of the file points to nothing the part is NaN, which is not above 0.
    const part = (importance * weight) / (weight + (dampingBase + dampingSlope * length))
    if (part > 0) {
      const handle = (base + document) | 0
      const before = scores[handle] as number
      // Not a branch: whether an earlier word was there too can't be foretold, and a wrong guess costs more than all else.
      touched[count] = handle
      count += Number(before === 0)
      scores[handle] = before + part
    } else {
      left++
    }
  }
  accumulator.count = count
  if (left > 0) scoreOtherFields(segment, postings, importance, norms, table, accumulator, base)
}

function lengthsOfField({ fieldLengths, documents }: Segment, field: number): Uint16Array | Uint32Array {
  const start = field * fieldLengths.stride
  return fieldLengths.values.subarray(start, start + documents)
}

function scoreOtherFields(
  segment: Segment,
  { documents, codes, start, end }: Postings,
  importance: number,
  norms: Norms,
  { weighted }: CodeTable,
  accumulator: Accumulator,
  base: number,
): void {
  const { fieldLengths, counts } = segment
  const fields = norms.weights.length
  for (let i = start; i < end; i++) {
    const code = codes[i] as number
    if ((weighted[code] as number) > 0) continue
    const document = documents[i] as number
    const part = termScore(importance, counts, code * fields, fieldLengths, document, norms)
    if (part > 0 && document < segment.documents) add(accumulator, base + document, part)
  }
}

function add(accumulator: Accumulator, handle: number, part: number): void {
  const { scores, touched } = accumulator
  const before = scores[handle] as number
  if (before === 0) touched[accumulator.count++] = handle
  scores[handle] = before + part
}

export function scoreUnion(
  segment: Segment,
  union: TermUnion,
  importance: number,
  norms: Norms,
  accumulator: Accumulator,
  base: number,
): void {
  const fields = norms.weights.length
  for (let i = 0; i < union.documents.length; i++) {
    const document = union.documents[i] as number // within the union
    const part = termScore(importance, union.counts, i * fields, segment.fieldLengths, document, norms)
    if (part > 0) add(accumulator, base + document, part)
  }
}
