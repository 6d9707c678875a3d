/** What was said before the window: still in the transcript, but no model is given it as it stands. */
import type { VNode } from 'preact'
import { wholeText } from '../../parts/number-text.ts'
import { Pieces } from './pieces.tsx'
import type { Piece } from './transcript.ts'

export interface OutsideTurnsProps {
  readonly pieces: readonly Piece[]
  /** Turns before these, which were not read. */
  readonly earlier: number
}

export function OutsideTurns({ pieces, earlier }: OutsideTurnsProps): VNode | null {
  if (pieces.length === 0) return null
  return (
    <section class="turns is-outside" aria-labelledby="outside">
      <h2 id="outside">Not in the window</h2>
      <p class="hint">
        No model is given this as it stands. It stays in the transcript, and searches find it as conversation entries
        until those end.
      </p>
      {earlier > 0 && (
        <p class="turns-earlier">The first {earlier === 1 ? 'turn is' : `${wholeText(earlier)} turns are`} not shown</p>
      )}
      <Pieces pieces={pieces} />
    </section>
  )
}
