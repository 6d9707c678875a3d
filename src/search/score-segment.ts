/** Adds what the words and prefixes of a query give to the documents of one segment. The inner loop of the engine. */
import type { Accumulator } from './accumulator.ts'
import { type Norms, saturated, singleField, termScore } from './bm25.ts'
import type { Postings, Segment } from './segment.ts'
import type { TermUnion } from './term-union.ts'

/** By code: the one field in which the term stands (-1: several), and its count there times the field's weight. */
export interface CodeTable {
  readonly fields: Int16Array
  readonly weighted: Float64Array
}

export function codeTable(segment: Segment, norms: Norms): CodeTable {
  const fields = norms.weights.length
  const table = { fields: new Int16Array(segment.codes), weighted: new Float64Array(segment.codes) }
  for (let code = 0; code < segment.codes; code++) {
    const single = singleField(segment.counts, code * fields, fields)
    table.fields[code] = single
    table.weighted[code] = (norms.weights[single] ?? 0) * (segment.counts[code * fields + single] ?? 0)
  }
  return table
}

/** `base` is the handle of the segment's first document. The result of each posting is that of `termScore`, to the bit. */
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
  const { fieldLengths, counts } = segment
  const { values: lengths, stride } = fieldLengths
  const { dampingBases, dampingSlopes } = norms
  const { fields: singleFields, weighted } = table
  const fields = norms.weights.length
  let count = accumulator.count
  for (let i = start; i < end; i++) {
    const document = documents[i] as number // within the postings
    const code = codes[i] as number
    const field = singleFields[code] as number
    let part: number
    if (field >= 0) {
      const length = lengths[field * stride + document] as number
      const damping = (dampingBases[field] as number) + (dampingSlopes[field] as number) * length
      part = saturated(importance, weighted[code] as number, damping)
    } else {
      part = termScore(importance, counts, code * fields, fieldLengths, document, norms)
    }
    if (part > 0) {
      const handle = base + document
      const before = scores[handle] as number
      if (before === 0) touched[count++] = handle
      scores[handle] = before + part
    }
  }
  accumulator.count = count
}

export function scoreUnion(
  segment: Segment,
  union: TermUnion,
  importance: number,
  norms: Norms,
  accumulator: Accumulator,
  base: number,
): void {
  const { scores, touched } = accumulator
  const fields = norms.weights.length
  for (let i = 0; i < union.documents.length; i++) {
    const document = union.documents[i] ?? 0
    const part = termScore(importance, union.counts, i * fields, segment.fieldLengths, document, norms)
    if (part > 0) {
      const handle = base + document
      const before = scores[handle] ?? 0
      if (before === 0) touched[accumulator.count++] = handle
      scores[handle] = before + part
    }
  }
}
