/** Small things that every part of the one file's codec needs: its checksum's type, JSON lines, a text's place, runs of bytes. */

/** CRC-32 as zlib has it, handed in because this layer knows no Node. `before`: of the bytes that come before these. */
export type Crc = (bytes: Uint8Array, before?: number) => number

/** Where a text's bytes lie in the file, and what proves that they are its. */
export interface TextPlace {
  readonly offset: number
  readonly length: number
  readonly crc: number
}

/** What stands in JSON in place of bytes that follow its line. */
export type Measure = readonly [length: number, crc: number]

/** Frames begin at a multiple of this, and so do numbers in them, so that they can be used where they lie. */
export const ALIGNMENT = 8

export const NEWLINE = 10
const BLANK = 32
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function measure(bytes: Uint8Array, crc: Crc): Measure {
  return [bytes.length, crc(bytes)]
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** JSON never holds a raw newline, so the first one ends it. */
export function encodeLine(value: unknown): Uint8Array {
  return encodeText(`${JSON.stringify(value)}\n`)
}

/** The same with blanks before the newline, so that what follows begins at a multiple of ALIGNMENT. */
export function encodeAlignedLine(value: unknown): Uint8Array {
  const json = encodeText(JSON.stringify(value))
  const line = new Uint8Array(aligned(json.length + 1)).fill(BLANK)
  line.set(json)
  line[line.length - 1] = NEWLINE
  return line
}

export function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
