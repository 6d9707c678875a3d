/** How long a field is: the mean and the deviation over all documents of some indexes, exact after any removal. */
import type { SearchIndex } from './search-index.ts'
import { liveDocuments, type Segment } from './segment.ts'

export interface Lengths {
  readonly mean: number
  readonly deviation: number
}

export function lengths(indexes: readonly SearchIndex[], field: number): Lengths {
  return lengthsOf(
    indexes.flatMap((index) => index.segments()),
    field,
  )
}

/** The sums are whole numbers, so they do not depend on the order in which the segments come. */
export function lengthsOf(segments: readonly Segment[], field: number): Lengths {
  let documents = 0
  let sum = 0
  let squares = 0
  for (const segment of segments) {
    documents += liveDocuments(segment)
    sum += segment.lengthSums[field] ?? 0
    squares += segment.squareSums[field] ?? 0
  }
  if (documents === 0) return { mean: 0, deviation: 0 }
  const mean = sum / documents
  return { mean, deviation: Math.sqrt(Math.max(0, documents * squares - sum * sum)) / documents }
}
