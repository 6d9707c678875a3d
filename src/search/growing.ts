/** Typed arrays that grow by doubling: a fraction of the memory of plain arrays, and one kind of element for the loops. */
import { encodeInto } from './utf8.ts'

export class GrowingNumbers {
  values: Uint32Array<ArrayBuffer> = new Uint32Array(64)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Uint32Array(this.values.length * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.length++] = value
  }
}

export class GrowingBytes {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1024)
  length = 0

  appendText(text: string): void {
    this.#reserve(text.length * 3)
    this.length += encodeInto(text, this.bytes, this.length)
  }

  append(added: Uint8Array): void {
    this.#reserve(added.length)
    this.bytes.set(added, this.length)
    this.length += added.length
  }

  #reserve(added: number): void {
    const length = this.length + added
    if (length <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(length, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }
}
