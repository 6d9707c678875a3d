/**
 * A message of protocol buffers, written field by field: the four kinds of field that an ONNX model is made of. Large byte fields are
 * kept as they are until the end, so that a model of 67 MB is copied once.
 */
const VARINT = 0
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

const encoder = new TextEncoder()

export class ProtobufMessage {
  #parts: Uint8Array[] = []
  #byteLength = 0

  int(field: number, value: number): this {
    this.#tag(field, VARINT)
    // Negative numbers are written as 64 bits in two's complement.
    return this.#varint(BigInt.asUintN(64, BigInt(value)))
  }

  float(field: number, value: number): this {
    this.#tag(field, FIXED_32)
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setFloat32(0, value, true)
    return this.#append(bytes)
  }

  bytes(field: number, bytes: Uint8Array): this {
    this.#tag(field, LENGTH_DELIMITED)
    return this.#varint(BigInt(bytes.length)).#append(bytes)
  }

  text(field: number, text: string): this {
    return this.bytes(field, encoder.encode(text))
  }

  message(field: number, message: ProtobufMessage): this {
    this.#tag(field, LENGTH_DELIMITED)
    this.#varint(BigInt(message.#byteLength))
    for (const part of message.#parts) this.#append(part)
    return this
  }

  encode(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#byteLength)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }

  #tag(field: number, wireType: number): void {
    this.#varint(BigInt((field << 3) | wireType))
  }

  #varint(value: bigint): this {
    const bytes: number[] = []
    let rest = value
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    return this.#append(Uint8Array.from(bytes))
  }

  #append(part: Uint8Array): this {
    this.#parts.push(part)
    this.#byteLength += part.length
    return this
  }
}
