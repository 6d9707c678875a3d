/**
 * A query as whole numbers of two bytes, and what the first pass may conclude from them. In f64, with room for what that rounds off; the
 * proof is in docs/decisions/0020-vectors.md.
 */
export interface EncodedQuery {
  /** A number of the query ≈ `unit` × its code. */
  readonly unit: number
  /** By how much a score may differ from the estimate, for each unit of a row's radius. */
  readonly reach: number
  /** By how much besides, for each unit of a row's length. */
  readonly slack: number
}

/** So that 127 times the sum of all codes fits into 31 bits. */
const MOST_SUM_OF_CODES = Math.floor((2 ** 31 - 1) / 127)
const ROUNDING_UP = 1 + 1e-9

export function encodeQuery(query: Float32Array, codes: Int16Array): EncodedQuery {
  let largest = 0
  let sum = 0
  let squares = 0
  for (const number of query) {
    largest = Math.max(largest, Math.abs(number))
    sum += Math.abs(number)
    squares += number * number
  }
  const unit = Math.max(largest / 32767, sum / (MOST_SUM_OF_CODES - query.length))
  let squaresCoded = 0
  let squaresLost = 0
  for (let i = 0; i < query.length; i++) {
    const number = query[i] as number
    const code = unit === 0 ? 0 : Math.round(number / unit)
    codes[i] = code
    squaresCoded += (unit * code) ** 2
    squaresLost += (number - unit * code) ** 2
  }
  return {
    unit,
    reach: Math.sqrt(squaresCoded) * ROUNDING_UP,
    slack: (Math.sqrt(squaresLost) + roundingOfDots(query.length) * Math.sqrt(squares)) * ROUNDING_UP,
  }
}

/** Each product and each sum that it goes into rounds by at most 2⁻²⁴: one product, a sum every 16 numbers, four in the end; and room. */
function roundingOfDots(dimensions: number): number {
  return (dimensions / 16 + 8) * 2 ** -23
}
