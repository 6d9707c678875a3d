/**
 * Arrays of numbers as they lie in the file: little-endian, whatever the machine. Where the machine has the same order and they
 * begin at a multiple of their size, they are used in place; opening a large file is reading it, not copying it.
 */

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

export function integersOf(bytes: Uint8Array): Uint32Array {
  const own = inPlace(bytes, Uint32Array.BYTES_PER_ELEMENT)
  return new Uint32Array(own.buffer, own.byteOffset, own.length / Uint32Array.BYTES_PER_ELEMENT)
}

export function floatsOf(bytes: Uint8Array): Float64Array {
  const own = inPlace(bytes, Float64Array.BYTES_PER_ELEMENT)
  return new Float64Array(own.buffer, own.byteOffset, own.length / Float64Array.BYTES_PER_ELEMENT)
}

/** The inverse of both; bytes stay as they are. */
export function bytesOf(numbers: Uint8Array | Uint32Array | Float64Array): Uint8Array {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return IS_LITTLE_ENDIAN ? bytes : turned(bytes, numbers.BYTES_PER_ELEMENT)
}

function inPlace(bytes: Uint8Array, width: number): Uint8Array {
  if (!IS_LITTLE_ENDIAN) return turned(bytes, width)
  return bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes)
}

/** A copy in which the bytes of each number stand the other way round. */
export function turned(bytes: Uint8Array, width: number): Uint8Array {
  const copy = new Uint8Array(bytes)
  for (let at = 0; at < copy.length; at += width) copy.subarray(at, at + width).reverse()
  return copy
}
