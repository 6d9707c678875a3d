/** Turns and markers in the order of the transcript. */
import type { VNode } from 'preact'
import { MarkerItem } from './marker-item.tsx'
import type { Piece } from './transcript.ts'
import { TurnItem } from './turn-item.tsx'

/** `offset`: how many stand before these; a hand may have copied a line, so ids alone are not enough to tell turns apart. */
export function Pieces({
  pieces,
  offset,
}: {
  readonly pieces: readonly Piece[]
  readonly offset: number
}): VNode | null {
  if (pieces.length === 0) return null
  return (
    <ol class="pieces">
      {pieces.map((piece, index) =>
        piece.type === 'turn' ? (
          <TurnItem key={`${offset + index} ${piece.turn.id}`} turn={piece.turn} />
        ) : (
          <MarkerItem key={`${offset + index} ${piece.marker.id}`} marker={piece.marker} />
        ),
      )}
    </ol>
  )
}
