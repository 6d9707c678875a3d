/**
 * Vectors in an order that is their own, each once: what is worked out of these rows is the same in whatever order the vectors came, and
 * equal vectors come to lie in one place. The order is by hash, so that the first so many rows are a fair sample of all.
 */
import type { Steps } from '../steps.ts'

export interface DistinctRows {
  readonly dimensions: number
  readonly count: number
  /** One after the other. */
  readonly values: Float32Array<ArrayBuffer>
  /** The row of each vector that was given. */
  readonly rowOf: Uint32Array
}

/** All of one dimension. */
export function* distinctRows(vectors: readonly Float32Array[]): Steps<DistinctRows> {
  const dimensions = vectors[0]?.length ?? 0
  const hashes = new Uint32Array(vectors.length)
  for (const [n, vector] of vectors.entries()) {
    hashes[n] = hashOf(vector)
    yield dimensions
  }
  const compare = (a: number, b: number): number =>
    (hashes[a] as number) - (hashes[b] as number) || compared(vectors[a] as Float32Array, vectors[b] as Float32Array)
  const order = Uint32Array.from(vectors, (_, n) => n).sort(compare)
  const rowOf = new Uint32Array(vectors.length)
  const values = new Float32Array(vectors.length * dimensions)
  let count = 0
  for (const [at, n] of order.entries()) {
    if (at === 0 || compare(order[at - 1] as number, n) !== 0) {
      values.set(vectors[n] as Float32Array, count++ * dimensions)
      yield dimensions
    }
    rowOf[n] = count - 1
  }
  return { dimensions, count, values: values.subarray(0, count * dimensions), rowOf }
}

/** FNV-1a over the bits, a number at a time. */
function hashOf(vector: Float32Array): number {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length)
  let hash = 0x811c9dc5
  for (let i = 0; i < bits.length; i++) {
    hash = Math.imul(hash ^ (bits[i] as number), 0x01000193)
    hash ^= hash >>> 15 // else the high bits of a number would never reach the low ones of the hash
  }
  return hash >>> 0
}

function compared(a: Float32Array, b: Float32Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
