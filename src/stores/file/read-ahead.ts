/**
 * Reading that knows what comes next: whoever goes through a file in order gets ever larger pieces of it with one call each, and
 * whoever jumps about reads no more than what is asked for.
 */
import { crc32 } from 'node:zlib'
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import { decodeFrameHead, FRAME_BYTES } from '../../codec/one-file/frame.ts'
import { damagedFile } from '../../codec/one-file/header.ts'
import { type CheckedFrame, type OneFile, textIn } from './one-file.ts'

const LEAST_BYTES = 16 * 1024
const MOST_BYTES = 1024 * 1024
/** Further ahead than this is not "next". */
const NEAR_BYTES = 64 * 1024

export class ReadAhead {
  readonly #file: OneFile
  #start = 0
  #bytes: Uint8Array = new Uint8Array()
  #window = 0

  constructor(file: OneFile) {
    this.#file = file
  }

  /** As OneFile.bytes. What it gives is not to be written to. */
  bytes(offset: number, length: number): Uint8Array {
    const end = this.#start + this.#bytes.length
    if (offset < this.#start || offset + length > end) {
      const isNext = offset >= this.#start && offset <= end + NEAR_BYTES
      this.#window = isNext ? Math.min(Math.max(this.#window * 2, LEAST_BYTES), MOST_BYTES) : 0
      this.#bytes = this.#file.bytes(offset, Math.max(length, this.#window))
      this.#start = offset
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length)
  }

  frame(at: number): CheckedFrame {
    const head = decodeFrameHead(this.bytes(at, FRAME_BYTES), crc32)
    if (typeof head === 'string') throw damagedFile(this.#file.path, 'a record in it is damaged', at)
    const payload = this.bytes(at + FRAME_BYTES, head.length)
    if (payload.length < head.length || crc32(payload) !== head.crc) {
      throw damagedFile(this.#file.path, 'a record in it is damaged', at)
    }
    return { path: this.#file.path, head, at, payload }
  }

  text(place: TextPlace, whose: () => string): string {
    const bytes = this.bytes(place.offset, place.length)
    const isRight = bytes.length === place.length && crc32(bytes) === place.crc
    return textIn(isRight ? bytes : undefined, this.#file.path, place, whose)
  }
}
