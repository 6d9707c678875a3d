/** What a decoder says of a payload whose checksum is right and which is not what an encoder makes. */
import type { DamagedError } from '../../errors.ts'
import { decodeText, NEWLINE } from './bytes.ts'
import { FRAME_BYTES } from './frame.ts'
import { damagedFile } from './header.ts'

/** Where a payload stands. */
export interface PayloadPlace {
  readonly path: string
  /** Where it begins in the file. */
  readonly at: number
}

export function malformed({ path, at }: PayloadPlace): DamagedError {
  return damagedFile(path, 'a record in it is not one that Keepsake writes', at - FRAME_BYTES)
}

/** The value of a payload's line, if it is what it must be, and where the bytes behind it begin. */
export function decodeLine<T>(
  payload: Uint8Array,
  place: PayloadPlace,
  isRight: (value: unknown) => value is T,
): { readonly value: T; readonly end: number } {
  const newline = payload.indexOf(NEWLINE)
  const value = newline === -1 ? undefined : parsed(payload.subarray(0, newline), place)
  if (!isRight(value)) throw malformed(place)
  return { value, end: newline + 1 }
}

export function parsed(json: Uint8Array, place: PayloadPlace): unknown {
  try {
    return JSON.parse(decodeText(json))
  } catch {
    throw malformed(place)
  }
}

/** A text behind the line. */
export function decodedText(bytes: Uint8Array, place: PayloadPlace): string {
  try {
    return decodeText(bytes)
  } catch {
    throw malformed(place)
  }
}
