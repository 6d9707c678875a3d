/**
 * Many texts in one run of bytes, numbered, and found by binary search over an order of their numbers. It is read where
 * it stands in the file: a Map of all ids would take longer to fill than the rest of opening, and more memory.
 */
import { compareBytes, decode, encodeKey } from './utf8.ts'

export class StringTable {
  readonly blob: Uint8Array
  /** One more than there are texts: each begins where the one before it ends. */
  readonly offsets: Uint32Array
  /** The numbers, in the order of their texts' bytes. */
  readonly order: Uint32Array

  constructor(blob: Uint8Array, offsets: Uint32Array, order: Uint32Array) {
    this.blob = blob
    this.offsets = offsets
    this.order = order
  }

  bytes(number: number): Uint8Array {
    return this.blob.subarray(this.offsets[number] ?? 0, this.offsets[number + 1] ?? 0)
  }

  text(number: number): string {
    return decode(this.bytes(number))
  }

  find(text: string): number {
    const key = encodeKey(text)
    const number = this.order[this.#lowerBound(key)] ?? -1
    return number < this.order.length && this.#compare(number, key) === 0 ? number : -1
  }

  withPrefix(prefix: string): number[] {
    const key = encodeKey(prefix)
    const found: number[] = []
    for (let rank = this.#lowerBound(key); rank < this.order.length; rank++) {
      const number = this.order[rank] ?? 0
      const start = this.offsets[number] ?? 0
      const end = Math.min(start + key.length, this.offsets[number + 1] ?? 0)
      if (compareBytes(this.blob, start, end, key, 0, key.length) !== 0) break
      found.push(number)
    }
    return found
  }

  /** The rank of the first text that is not before the key. */
  #lowerBound(key: Uint8Array): number {
    let low = 0
    let high = this.order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.order[middle] ?? 0, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(number: number, key: Uint8Array): number {
    return compareBytes(this.blob, this.offsets[number] ?? 0, this.offsets[number + 1] ?? 0, key, 0, key.length)
  }
}
