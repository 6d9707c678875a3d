/**
 * A transcript that lies in pieces, as a source of lines. A piece is read whole and proved before any of its bytes counts, so
 * pieces are short: what one append brought, or what a fold has cut at line ends.
 */
import { type Extent, MOST_EXTENT_BYTES } from '../../codec/one-file/catalogue.ts'
import type { LineSource } from '../disk/session-file.ts'
import { NEWLINE } from '../disk/session-tail.ts'

/** `read`: the bytes of one piece, proved, or it throws. */
export function extentSource(extents: readonly Extent[], read: (extent: Extent) => Uint8Array): LineSource {
  return {
    size: extents.reduce((sum, [, length]) => sum + length, 0),
    bytes(from, to) {
      const parts: Uint8Array[] = []
      let start = 0
      for (const extent of extents) {
        const end = start + extent[1]
        if (start >= to) break
        if (end > from) parts.push(read(extent).subarray(Math.max(from - start, 0), to - start))
        start = end
      }
      return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    },
  }
}

/** A transcript as the pieces that a fold makes of it; a longer one only where a line is longer. Together they are its very bytes. */
export function piecesOf(text: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    pieces.push(text.subarray(start, end))
    start = end
  }
  return pieces
}

function endOfPiece(text: Uint8Array, start: number): number {
  if (text.length - start <= MOST_EXTENT_BYTES) return text.length
  const last = text.lastIndexOf(NEWLINE, start + MOST_EXTENT_BYTES - 1)
  if (last >= start) return last + 1
  const next = text.indexOf(NEWLINE, start)
  return next === -1 ? text.length : next + 1
}
