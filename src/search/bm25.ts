/**
 * BM25F: what one term gives to the score of one document. Pure functions. Each result depends on the document and on
 * sums over all documents only, never on how these are cut into segments, so equal documents score equal to the bit.
 *
 *   a = Σ weight·count / (1 − b + b·length/mean)    score = weight of the word · idf · a / (k1 + a)
 */
export interface Scoring {
  /** How soon more of the same word adds nothing: 0 (at once) and up; 1.2 is usual. */
  readonly k1: number
  /** In the order of the schema's fields. */
  readonly fields: readonly FieldScoring[]
}

export interface FieldScoring {
  /** What a word in this field counts, 0 and up; a field of weight 0 brings nothing up. */
  readonly weight: number
  /** How much a long field is held against its words: 0 (not at all) to 1. */
  readonly b: number
}

/** How rare a term is: always above 0, also for one that stands everywhere. */
export function idf(documents: number, documentsWithTerm: number): number {
  return Math.log(1 + (documents - documentsWithTerm + 0.5) / (documentsWithTerm + 0.5))
}

/** The scoring with the mean lengths put in: a field's norm is `base + slope·length`. */
export interface Norms {
  readonly k1: number
  readonly weights: Float64Array
  readonly bases: Float64Array
  readonly slopes: Float64Array
  /** `k1·base` and `k1·slope`, for words that stand in one field only. */
  readonly dampingBases: Float64Array
  readonly dampingSlopes: Float64Array
}

export function normsOf(scoring: Scoring, means: readonly number[]): Norms {
  const { k1, fields } = scoring
  const bases = Float64Array.from(fields, ({ b }) => 1 - b)
  // A field that is empty everywhere has no mean, and no word that would be divided by it.
  const slopes = Float64Array.from(fields, ({ b }, field) => ((means[field] ?? 0) > 0 ? b / (means[field] ?? 1) : 0))
  return {
    k1,
    weights: Float64Array.from(fields, ({ weight }) => weight),
    bases,
    slopes,
    dampingBases: bases.map((base) => k1 * base),
    dampingSlopes: slopes.map((slope) => k1 * slope),
  }
}

/**
 * `importance` is the word's weight times its idf. `counts[countsAt + field]` and `lengths.values[field * stride + document]` are
 * the term's count and the document's length in each field. Most terms stand in one field of a document; multiplied out,
 * their score takes one division. Which of the two ways is taken depends on the counts alone, so it is the same in
 * every segment. 0, never NaN, where nothing counts.
 */
export function termScore(
  importance: number,
  counts: ArrayLike<number>,
  countsAt: number,
  lengths: { readonly values: ArrayLike<number>; readonly stride: number },
  document: number,
  norms: Norms,
): number {
  const single = singleField(counts, countsAt, norms.weights.length)
  if (single >= 0) {
    const weighted = (norms.weights[single] ?? 0) * (counts[countsAt + single] ?? 0)
    const length = lengths.values[single * lengths.stride + document] ?? 0
    const damping = (norms.dampingBases[single] ?? 0) + (norms.dampingSlopes[single] ?? 0) * length
    return saturated(importance, weighted, damping)
  }
  let weighted = 0
  for (let field = 0; field < norms.weights.length; field++) {
    const count = counts[countsAt + field] ?? 0
    if (count === 0) continue
    const length = lengths.values[field * lengths.stride + document] ?? 0
    const norm = (norms.bases[field] ?? 0) + (norms.slopes[field] ?? 0) * length
    weighted += ((norms.weights[field] ?? 0) * count) / norm
  }
  return saturated(importance, weighted, norms.k1)
}

/** Grows with the weighted count, towards `importance`. */
export function saturated(importance: number, weighted: number, damping: number): number {
  return weighted > 0 ? (importance * weighted) / (weighted + damping) : 0
}

/** The one field in which the counts are not 0, or -1 where there are several. */
export function singleField(counts: ArrayLike<number>, at: number, fields: number): number {
  let single = -1
  for (let field = 0; field < fields; field++) {
    if ((counts[at + field] ?? 0) === 0) continue
    if (single >= 0) return -1
    single = field
  }
  return single
}
