/**
 * Finds rows by a text without holding the texts: hashes in order, and beside each its row. Different texts may share a hash,
 * so whoever asks compares what he finds. Two typed arrays in one, because it is read from a file as it is.
 */

/** The hashes in order, then the row of each. */
export type HashIndex = Uint32Array

const DIGIT_BITS = 11
const DIGITS = 1 << DIGIT_BITS

/** `rows`: of each text, in order; without them, a text's row is its own place. */
export function buildHashIndex(texts: readonly string[], rows?: readonly number[]): HashIndex {
  const hashes = new Uint32Array(texts.length)
  for (let n = 0; n < texts.length; n++) hashes[n] = hashOf(texts[n] ?? '')
  const index = new Uint32Array(texts.length * 2)
  orderOf(hashes).forEach((place, n) => {
    index[n] = hashes[place] ?? 0
    index[texts.length + n] = rows ? (rows[place] ?? 0) : place
  })
  return index
}

/** Rows that may be the ones, in the order in which they were given. */
export function* rowsAt(index: HashIndex, text: string): Generator<number> {
  const count = index.length / 2
  const hash = hashOf(text)
  let low = 0
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1
    if ((index[middle] ?? 0) < hash) low = middle + 1
    else high = middle
  }
  for (; low < count && index[low] === hash; low++) yield index[count + low] ?? 0
}

/** The places of the hashes in their order, equal ones as they came. By digits: comparing took most of a checkpoint's time. */
function orderOf(hashes: Uint32Array): Uint32Array {
  let order = hashes.map((_, place) => place)
  for (const shift of [0, DIGIT_BITS, 2 * DIGIT_BITS]) {
    const digitOf = (place: number): number => ((hashes[place] ?? 0) >>> shift) & (DIGITS - 1)
    const starts = new Uint32Array(DIGITS + 1)
    for (const place of order) starts[digitOf(place) + 1] = (starts[digitOf(place) + 1] ?? 0) + 1
    for (let digit = 1; digit < DIGITS; digit++) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0)
    const next = new Uint32Array(order.length)
    for (const place of order) {
      const start = starts[digitOf(place)] ?? 0
      next[start] = place
      starts[digitOf(place)] = start + 1
    }
    order = next
  }
  return order
}

/** FNV-1a over code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193)
  return hash >>> 0
}
