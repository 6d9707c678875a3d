/** What was said before the window: still in the transcript, but no model is given it as it stands. The last of it is shown first. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Pieces } from './pieces.tsx'
import type { Piece } from './transcript.ts'

export interface OutsideTurnsProps {
  readonly pieces: readonly Piece[]
  /** Turns before these, which were not read. */
  readonly earlier: number
}

/** Turns that are drawn at once: a long session would keep the page busy. */
const STEP = 40

export function OutsideTurns({ pieces, earlier }: OutsideTurnsProps): VNode | null {
  const [shown, setShown] = useState(STEP)
  if (pieces.length === 0) return null
  const hidden = Math.max(0, pieces.length - shown)
  return (
    <section class="turns is-outside" aria-labelledby="outside">
      <h2 id="outside">Not in the window</h2>
      <p class="hint">
        No model is given this as it stands. It stays in the transcript, and searches find it as conversation entries
        until those end.
      </p>
      {hidden > 0 ? (
        <div class="timeline-more">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, hidden)} earlier
          </button>
        </div>
      ) : (
        earlier > 0 && (
          <p class="turns-earlier">
            {earlier.toLocaleString('en')} {earlier === 1 ? 'turn' : 'turns'} before these{' '}
            {earlier === 1 ? 'is' : 'are'} not shown
          </p>
        )
      )}
      <Pieces pieces={pieces.slice(hidden)} offset={hidden} />
    </section>
  )
}
