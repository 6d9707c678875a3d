/** The vectors in the answer of a server: as many as texts, in their order, all of one dimension, of length 1. Nothing is believed. */
import { isRecord, type JsonRecord, listOf, recordOf } from '../complete/json-parts.ts'

/** What is wrong with an answer, in words that follow "an answer that can't be read:". */
export interface Unreadable {
  readonly problem: string
}

/** `dimensions`: as many as there must be; left out: as many as the first one has. */
export function vectorsIn(
  answer: unknown,
  texts: number,
  dimensions: number | undefined,
): readonly Float32Array[] | Unreadable {
  const data = recordOf(answer)['data']
  if (!Array.isArray(data)) return { problem: 'it holds no list "data"' }
  if (data.length !== texts) return { problem: `it holds ${data.length} vectors for ${texts} texts` }
  const rows = inOrder(data)
  if (!rows) return { problem: 'it does not say which vector is of which text' }
  const length = dimensions ?? listOf(rows[0]?.['embedding']).length
  const vectors: Float32Array[] = []
  for (const { embedding } of rows) {
    const numbers = listOf(embedding)
    if (numbers.length === 0) return { problem: 'a vector in it is no list of numbers' }
    if (numbers.length !== length) return { problem: `a vector has ${numbers.length} dimensions, not ${length}` }
    const vector = normalised(numbers)
    if (!vector) return { problem: 'a vector in it is nothing but zeros, or holds what is no number' }
    vectors.push(vector)
  }
  return vectors
}

/** By `index`, which may be left out by all of them; `undefined`: two say the same, or one says something else. */
function inOrder(data: readonly unknown[]): readonly JsonRecord[] | undefined {
  const rows = data.filter(isRecord)
  if (rows.length !== data.length) return undefined
  if (rows.every((row) => row['index'] === undefined || row['index'] === null)) return rows
  const places = new Map(rows.map((row) => [row['index'], row]))
  const ordered = rows.map((_, place) => places.get(place))
  return ordered.every((row) => row !== undefined) ? ordered : undefined
}

/** Cosines are then plain products. `undefined`: it has no direction. */
function normalised(numbers: readonly unknown[]): Float32Array | undefined {
  let sum = 0
  for (const number of numbers) {
    if (typeof number !== 'number') return undefined
    sum += number * number
  }
  const norm = Math.sqrt(sum)
  if (!Number.isFinite(norm) || norm === 0) return undefined
  return Float32Array.from(numbers as readonly number[], (number) => number / norm) // each was looked at
}
