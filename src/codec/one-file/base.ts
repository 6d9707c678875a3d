/**
 * `base`, some of the entries that were there when the kept past begins: a line of JSON with their heads, and behind it their
 * texts, raw. Several frames hold them all, so that none grows without bounds.
 */
import type { Entry, EntryHead } from '../../model/entry.ts'
import { type Crc, encodeLine, encodeText, type Measure, measure, type TextPlace } from './bytes.ts'
import { decodedText, decodeLine, type PayloadPlace } from './malformed.ts'
import { isBase } from './shapes.ts'

export interface DecodedBase {
  /** From when on the past is known. */
  readonly since: string
  readonly heads: readonly EntryHead[]
  /** Of the text of each. */
  readonly places: readonly TextPlace[]
  /** With their texts, read when asked for. */
  entries(): Entry[]
}

/** The parts of a payload. */
export function encodeBase(entries: readonly Entry[], since: string, crc: Crc): Uint8Array[] {
  const texts = entries.map(({ content }) => encodeText(content))
  const measured = entries.map((entry, n) => ({ ...entry, content: measure(texts[n] ?? new Uint8Array(), crc) }))
  return [encodeLine({ since, entries: measured }), ...texts]
}

/** `payload`: one whose checksum is right. */
export function decodeBase(payload: Uint8Array, place: PayloadPlace): DecodedBase {
  const { at } = place
  const { value, end } = decodeLine(payload, place, isBase)
  const { since, entries } = value
  let next = end
  const heads: EntryHead[] = []
  const places: TextPlace[] = []
  for (const { content, ...head } of entries) {
    const [length, crc] = content
    heads.push(head)
    places.push({ offset: at + next, length, crc })
    next += length
  }
  const textAt = (n: number): string => {
    const { offset, length } = places[n] ?? { offset: at, length: 0 }
    return decodedText(payload.subarray(offset - at, offset - at + length), place)
  }
  return { since, heads, places, entries: () => heads.map((head, n) => ({ ...head, content: textAt(n) })) }
}

export interface MeasuredBase {
  readonly since: string
  readonly entries: readonly (EntryHead & { readonly content: Measure })[]
}
