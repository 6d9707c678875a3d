/**
 * Whether the parts of a frozen segment fit together: fields and columns are those of the schema, sums are numbers, and
 * offsets ascend to the end of what they point into. That bounds the work and the memory of every loop over all documents or
 * terms. It costs a look at each document and term, not at each posting: whoever keeps the bytes tells damage, and for a file that
 * somebody made to look whole the rest of the engine takes a number that points nowhere as nothing.
 */
import type { Schema } from './document.ts'
import type { FrozenSegment } from './frozen-segment.ts'

export function checkSegment({ parts, sizes }: FrozenSegment, schema: Schema): boolean {
  return (
    sizes.fields === schema.fields.length &&
    sizes.columns === schema.columns.length &&
    parts.lengthSums.every(isSum) &&
    parts.squareSums.every(isSum) &&
    ascend(parts.idOffsets, sizes.idBytes) &&
    ascend(parts.storedOffsets, sizes.storedBytes) &&
    ascend(parts.tokenOffsets, sizes.tokenBytes) &&
    ascend(parts.termOffsets, sizes.termBytes) &&
    ascend(parts.postingOffsets, sizes.postings)
  )
}

function isSum(value: number): boolean {
  return Number.isInteger(value) && value >= 0
}

function ascend(offsets: Uint32Array, end: number): boolean {
  let before = 0
  const { length } = offsets
  for (let i = 0; i < length; i++) {
    const offset = offsets[i] as number // below the length
    if (offset < before) return false
    before = offset
  }
  return offsets[0] === 0 && before === end
}
