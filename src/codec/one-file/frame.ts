/**
 * Frames: what the one file is made of behind its header. 16 bytes that say what follows, with their own checksum so that a
 * length is never believed unproved; the payload; zeros up to a multiple of 8. The zeros say nothing and are not looked at.
 */
import { InvalidError } from '../../errors.ts'
import { aligned, type Crc, encodeText, joined } from './bytes.ts'

export const FRAME_BYTES = 16
/** So much can be read and written with one call, with the head and the zeros. */
export const MOST_PAYLOAD: number = 2 ** 31 - 24

export const FRAME_TYPES = ['sett', 'base', 'chng', 'sess', 'file', 'derv', 'cata'] as const
export type FrameType = (typeof FRAME_TYPES)[number]

export interface FrameHead {
  readonly type: FrameType
  /** Of the payload. */
  readonly length: number
  /** Of the payload. */
  readonly crc: number
  /** With head and zeros: so far behind this frame's beginning the next one begins. */
  readonly size: number
}

/** Head, payload and zeros as one run of bytes. */
export function encodeFrame(type: FrameType, parts: readonly Uint8Array[], crc: Crc): Uint8Array {
  return joined(frameParts(type, parts, crc))
}

/** The same as pieces to be written one after another, for payloads too large to be copied. */
export function frameParts(type: FrameType, parts: readonly Uint8Array[], crc: Crc): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length > MOST_PAYLOAD) {
    throw new InvalidError('batch', `it has ${length} bytes`, `up to ${MOST_PAYLOAD} bytes at once`)
  }
  const head = new Uint8Array(FRAME_BYTES)
  const view = new DataView(head.buffer)
  head.set(encodeText(type))
  view.setUint32(4, length, true)
  view.setUint32(8, crcOf(parts, crc), true)
  view.setUint32(12, crc(head.subarray(0, 12)), true)
  return [head, ...parts, new Uint8Array(aligned(length) - length)]
}

/** zlib takes nothing for a beginning and forgets what came before it, so that nothing is not given to it. */
function crcOf(parts: readonly Uint8Array[], crc: Crc): number {
  return parts.reduce((before, part) => (part.length === 0 ? before : crc(part, before)), 0)
}

/** `torn`: there are fewer than 16 bytes, or nothing but zeros, as where data never reached the disk. */
export function decodeFrameHead(bytes: Uint8Array, crc: Crc): FrameHead | 'torn' | 'damaged' {
  if (bytes.length < FRAME_BYTES) return 'torn'
  const head = bytes.subarray(0, FRAME_BYTES)
  if (head.every((byte) => byte === 0)) return 'torn'
  const view = new DataView(head.buffer, head.byteOffset, FRAME_BYTES)
  if (view.getUint32(12, true) !== crc(head.subarray(0, 12))) return 'damaged'
  const letters = String.fromCharCode(...head.subarray(0, 4))
  const type = FRAME_TYPES.find((known) => known === letters)
  // A type that version 1 does not have comes with another version.
  if (type === undefined) return 'damaged'
  const length = view.getUint32(4, true)
  if (length > MOST_PAYLOAD) return 'damaged'
  return { type, length, crc: view.getUint32(8, true), size: FRAME_BYTES + aligned(length) }
}

export interface Frame {
  readonly head: FrameHead
  readonly payload: Uint8Array
}

/** The frame at the beginning of some bytes, checked whole. `torn`: there are not all of its bytes. */
export function decodeFrame(bytes: Uint8Array, crc: Crc): Frame | 'torn' | 'damaged' {
  const head = decodeFrameHead(bytes, crc)
  if (typeof head === 'string') return head
  if (bytes.length < head.size) return 'torn'
  const payload = bytes.subarray(FRAME_BYTES, FRAME_BYTES + head.length)
  return crc(payload) === head.crc ? { head, payload } : 'damaged'
}
