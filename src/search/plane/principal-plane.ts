/**
 * Rows seen from the side where they spread most: their first two principal components, by power iteration over a sample. A flat view
 * keeps what is far apart, and loses most of what is near; it is where a better picture begins.
 */
import type { Steps } from '../steps.ts'
import type { DistinctRows } from './distinct-rows.ts'

const SAMPLE = 1000
/** More turn the axes by less than can be seen. */
const ROUNDS = 8

/** x and y of each row by turns. */
export function* principalPlane(rows: DistinctRows): Steps<Float32Array<ArrayBuffer>> {
  const first = yield* principalAxis(rows, [])
  const second = yield* principalAxis(rows, [first])
  const places = new Float32Array(rows.count * 2)
  for (let row = 0; row < rows.count; row++) {
    places[2 * row] = dot(rows, row, first.values) - first.middle
    places[2 * row + 1] = dot(rows, row, second.values) - second.middle
    yield rows.dimensions
  }
  return places
}

interface Axis {
  /** Of length 1; zeros where the rows spread no further. */
  readonly values: Float64Array<ArrayBuffer>
  /** Where the mean of the rows lies on it. */
  readonly middle: number
}

/** Across those before it. */
function* principalAxis(rows: DistinctRows, before: readonly Axis[]): Steps<Axis> {
  const sample = Math.min(rows.count, SAMPLE)
  const mean = meanOf(rows, sample)
  let values = Float64Array.from(mean, (_, i) => Math.sin(1 + i)) // anything that has a part in every direction
  for (let round = 0; round < ROUNDS; round++) {
    const middle = product(values, mean)
    const turned = new Float64Array(rows.dimensions)
    for (let row = 0; row < sample; row++) {
      const along = dot(rows, row, values) - middle
      const start = row * rows.dimensions
      for (let i = 0; i < turned.length; i++)
        turned[i] = (turned[i] as number) + along * (rows.values[start + i] as number)
      yield rows.dimensions
    }
    for (const other of before) {
      const shared = product(turned, other.values)
      for (let i = 0; i < turned.length; i++) turned[i] = (turned[i] as number) - shared * (other.values[i] as number)
    }
    values = ofLengthOne(turned)
  }
  return { values, middle: product(values, mean) }
}

function meanOf(rows: DistinctRows, count: number): Float64Array {
  const mean = new Float64Array(rows.dimensions)
  for (let row = 0; row < count; row++) {
    const start = row * rows.dimensions
    for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] as number) + (rows.values[start + i] as number) / count
  }
  return mean
}

/** Turned so that its largest number is positive: both directions of an axis are as good, and it must always be the same one. */
function ofLengthOne(vector: Float64Array): Float64Array<ArrayBuffer> {
  const length = Math.sqrt(product(vector, vector))
  const largest = vector.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0)
  const factor = length < NOTHING ? 0 : Math.sign(largest) / length
  return Float64Array.from(vector, (value) => value * factor)
}

/** What rounding leaves of a direction in which nothing spreads. */
const NOTHING = 1e-12

function dot({ values, dimensions }: DistinctRows, row: number, axis: Float64Array): number {
  const start = row * dimensions
  let sum = 0
  for (let i = 0; i < dimensions; i++) sum += (values[start + i] as number) * (axis[i] as number)
  return sum
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
