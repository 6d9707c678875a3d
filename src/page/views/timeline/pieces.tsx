/** Turns and markers in the order of the transcript; of many the last ones, until somebody wants those before. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { MarkerItem } from './marker-item.tsx'
import type { Piece } from './transcript.ts'
import { TurnItem } from './turn-item.tsx'

/** More at once would keep the page busy. */
const STEP = 20

export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): VNode | null {
  const [shown, setShown] = useState(STEP)
  if (pieces.length === 0) return null
  const hidden = Math.max(0, pieces.length - shown)
  return (
    <>
      {hidden > 0 && (
        <div class="timeline-more">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, hidden)} earlier
          </button>
        </div>
      )}
      <ol class="pieces">
        {pieces.slice(hidden).map((piece, index) => {
          // A hand may have copied a line, so ids alone are not enough to tell turns apart.
          const place = hidden + index
          return piece.type === 'turn' ? (
            <TurnItem key={`${place} ${piece.turn.id}`} turn={piece.turn} />
          ) : (
            <MarkerItem key={`${place} ${piece.marker.id}`} marker={piece.marker} />
          )
        })}
      </ol>
    </>
  )
}
