/**
 * Every frame of a file that may be damaged anywhere. Where no head of a frame can be read, the next one is looked for: frames
 * begin at multiples of 8, and a head has a checksum of its own.
 */
import { crc32 } from 'node:zlib'
import { ALIGNMENT } from '../../../codec/one-file/bytes.ts'
import { decodeFrameHead, FRAME_BYTES, type FrameHead } from '../../../codec/one-file/frame.ts'
import { HEADER_BYTES } from '../../../codec/one-file/header.ts'
import type { OneFile } from '../one-file.ts'

export type Scanned =
  /** `isWhole`: its checksum is right. Else the payload is what stands there, perhaps less than there was. */
  | {
      readonly is: 'frame'
      readonly at: number
      readonly head: FrameHead
      readonly payload: Uint8Array
      readonly isWhole: boolean
    }
  /** So many bytes of which nobody can tell what they were. */
  | { readonly is: 'unknown'; readonly at: number; readonly bytes: number }

const WINDOW_BYTES = 1_048_576

/** `size`: how much of the file is looked at. */
export function* scanFrames(file: OneFile, size: number): Generator<Scanned> {
  let at = HEADER_BYTES
  while (at < size) {
    const head = decodeFrameHead(file.bytes(at, Math.min(FRAME_BYTES, size - at)), crc32)
    if (typeof head === 'string') {
      const next = nextFrame(file, at + ALIGNMENT, size)
      yield { is: 'unknown', at, bytes: next - at }
      at = next
      continue
    }
    const begin = at + FRAME_BYTES
    const payload = file.bytes(begin, Math.min(head.length, size - begin))
    const isWhole = payload.length === head.length && crc32(payload) === head.crc
    yield { is: 'frame', at, head, payload, isWhole }
    at += head.size
  }
}

/** Where the next head stands that can be read, or the end. */
function nextFrame(file: OneFile, from: number, size: number): number {
  for (let start = from; start < size; start += WINDOW_BYTES) {
    // A head may stand across the border of two windows.
    const window = file.bytes(start, Math.min(WINDOW_BYTES + FRAME_BYTES, size - start))
    const last = Math.min(WINDOW_BYTES, window.length - FRAME_BYTES + 1)
    for (let at = 0; at < last; at += ALIGNMENT) {
      if (typeof decodeFrameHead(window.subarray(at, at + FRAME_BYTES), crc32) !== 'string') return start + at
    }
  }
  return size
}
