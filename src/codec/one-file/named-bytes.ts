/**
 * `sess`, `file` and `derv`: a line of JSON that says whose the bytes are, how many and their checksum; then the bytes as they
 * are. The bytes are found and proved by their place alone, without the frame around them.
 */
import { InvalidError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { isMapping, isText } from '../head-shape.ts'
import { type Crc, encodeAlignedLine, encodeLine, encodeText, type Measure, measure, type TextPlace } from './bytes.ts'
import { decodeLine, type PayloadPlace } from './malformed.ts'
import { isKeptFile, isMeasure, isSession } from './shapes.ts'

/** So much of a `derv` payload surely holds its line. */
export const DERIVED_LINE_BYTES = 1024

/** What one append brought to a transcript: whole lines. */
export interface SessionPart {
  readonly scope: Scope
  readonly key: string
}

/** A file of a folder that came with a move: see KeptFile in ports/store.ts. */
export interface KeptFileHead {
  readonly path: string
  readonly entries: readonly { readonly id: string; readonly revision: string }[]
}

export interface DerivedHead {
  readonly key: string
}

/** The parts of a `sess` payload. */
export function encodeSession({ scope, key }: SessionPart, lines: Uint8Array, crc: Crc): Uint8Array[] {
  return [encodeLine({ scope, key, bytes: measure(lines, crc) }), lines]
}

export function decodeSession(payload: Uint8Array, place: PayloadPlace): SessionPart & { readonly place: TextPlace } {
  return decodeNamed(payload, place, isSession)
}

/** The parts of a `file` payload. */
export function encodeKeptFile({ path, entries }: KeptFileHead, bytes: Uint8Array, crc: Crc): Uint8Array[] {
  const named = entries.map(({ id, revision }) => ({ id, revision }))
  return [encodeLine({ path, entries: named, bytes: measure(bytes, crc) }), bytes]
}

export function decodeKeptFile(payload: Uint8Array, place: PayloadPlace): KeptFileHead & { readonly place: TextPlace } {
  return decodeNamed(payload, place, isKeptFile)
}

/**
 * The parts of a `derv` payload. The bytes begin at a multiple of 8 of the file, so that numbers in them can be used in place.
 * The line has its own checksum: who opens the file reads no more of the frame than that.
 */
export function encodeDerived({ key }: DerivedHead, bytes: Uint8Array, crc: Crc): Uint8Array[] {
  const measured = measure(bytes, crc)
  const line = encodeAlignedLine({ key, bytes: measured, line: derivedCheck(key, measured, crc) })
  if (line.length > DERIVED_LINE_BYTES) throw new InvalidError('key', 'it is too long', 'a short name')
  return [line, bytes]
}

/** `payload`: its first DERIVED_LINE_BYTES are enough. `at`: where it begins. `undefined`: the line is damaged, so it is not known whose bytes these are. */
export function decodeDerived(
  payload: Uint8Array,
  at: number,
  crc: Crc,
): (DerivedHead & { readonly place: TextPlace }) | undefined {
  try {
    const { value, end } = decodeLine(payload, { path: '', at }, isDerived)
    const { key, bytes, line } = value
    if (line !== derivedCheck(key, bytes, crc)) return undefined
    return { key, place: { offset: at + end, length: bytes[0], crc: bytes[1] } }
  } catch {
    return undefined // it is not ours any more
  }
}

function isDerived(value: unknown): value is DerivedLine {
  return isMapping(value) && isText(value['key']) && isMeasure(value['bytes'])
}

interface DerivedLine {
  readonly key: string
  readonly bytes: Measure
  readonly line: number
}

function derivedCheck(key: string, bytes: Measure, crc: Crc): number {
  return crc(encodeText(JSON.stringify([key, ...bytes])))
}

function decodeNamed<Head>(
  payload: Uint8Array,
  place: PayloadPlace,
  isRight: (value: unknown) => value is Head,
): Head & { readonly place: TextPlace } {
  const isMeasured = (value: unknown): value is Head & { readonly bytes: Measure } =>
    isMapping(value) && isRight(value) && isMeasure((value as { readonly bytes?: unknown }).bytes)
  const { value, end } = decodeLine(payload, place, isMeasured)
  const { bytes, ...head } = value
  const [length, crc] = bytes
  return { ...(head as Head), place: { offset: place.at + end, length, crc } } // all but what tells of the bytes
}
