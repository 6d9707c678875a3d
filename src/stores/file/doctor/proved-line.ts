/**
 * The line of a damaged frame, where it can still be proved. It says the checksum of every text behind it, and so, together with its
 * own bytes, what the checksum of the whole frame must be. If that is what the frame's head says, the line is as it was written, and
 * the damage is in the texts, which have checksums of their own.
 */
import { crc32 } from 'node:zlib'
import type { Measure } from '../../../codec/one-file/bytes.ts'
import { decodeText } from '../../../codec/one-file/bytes.ts'
import type { FrameHead } from '../../../codec/one-file/frame.ts'

const NEWLINE = 10

export function isLineProved(head: FrameHead, payload: Uint8Array): boolean {
  const end = payload.indexOf(NEWLINE) + 1
  const measures = measuresIn(payload.subarray(0, end))
  if (!measures) return false
  let [length, crc] = [end, crc32(payload.subarray(0, end))]
  for (const [more, next] of measures) {
    crc = crcOfBoth(crc, next, more)
    length += more
  }
  return length === head.length && crc === head.crc
}

/** `length`: of what the second one is of. A checksum is linear: what differs from zeros adds up. */
export function crcOfBoth(first: number, second: number, length: number): number {
  if (length === 0) return first
  const zeros = new Uint8Array(length)
  return (crc32(zeros, first) ^ crc32(zeros) ^ second) >>> 0
}

/** Of all that stands behind the line, in order; `undefined` where it is none of ours. */
function measuresIn(line: Uint8Array): Measure[] | undefined {
  let value: Line
  try {
    value = JSON.parse(decodeText(line))
  } catch {
    return undefined
  }
  const told = [...listOf(value?.operations), ...listOf(value?.entries)].map(({ content }) => content)
  const measures = [...told, value?.bytes].filter((one) => one !== undefined)
  return measures.every(isMeasure) ? measures : undefined
}

interface Line {
  readonly operations?: unknown
  readonly entries?: unknown
  readonly bytes?: unknown
}

function listOf(value: unknown): readonly { readonly content?: unknown }[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
}

function isMeasure(value: unknown): value is Measure {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((one) => Number.isSafeInteger(one) && one >= 0 && one < 2 ** 32)
  )
}
