/**
 * The first line of a transcript on the server: its metadata, and where what was said begins. It may end in another piece than the
 * first one, where a transcript came with a move that was empty or had not one whole line.
 */
import type { CallOptions } from '../../../ports/store.ts'
import { bytesOfMark, metadataIn, type SessionMetadata } from '../../disk/session-metadata.ts'
import { NEWLINE } from '../../disk/session-tail.ts'
import { joinedBytes, type Piece, type SessionLog } from './session-log.ts'

export interface FirstLine extends SessionMetadata {
  /** Where the first record begins, in bytes from the beginning of the transcript. */
  readonly start: number
  /** The number of the piece that the line ends in. */
  readonly piece: number
  /** Nothing was said up to the end of that piece. */
  readonly isAlone: boolean
}

/** `undefined` when there is not one whole line. */
export async function readFirstLine(session: SessionLog, options: CallOptions): Promise<FirstLine | undefined> {
  for (let most = 1; ; most *= 4) {
    const pieces = await session.pieces(0, { ...options, most })
    const found = firstLineIn(pieces)
    if (found || pieces.length < most) return found
  }
}

/** `pieces`: from the very first on. */
export function firstLineIn(pieces: readonly Piece[]): FirstLine | undefined {
  const index = pieces.findIndex(({ bytes }) => bytes.includes(NEWLINE))
  if (index === -1) return undefined
  const bytes = joinedBytes(pieces.slice(0, index + 1))
  const end = bytes.indexOf(NEWLINE)
  const said = metadataIn(bytes.subarray(0, end))
  const start = said.isRecord ? bytesOfMark(bytes) : end + 1
  return { ...said, start, piece: index + 1, isAlone: start === bytes.length }
}
