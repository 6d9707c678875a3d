/** A session's turns with its markers between them, parted where the model's window begins. Pure. */
import type { MarkerView, OneSession, TurnView } from '../../../api/contract.ts'

export type Piece =
  | { readonly type: 'turn'; readonly turn: TurnView }
  | { readonly type: 'marker'; readonly marker: MarkerView }

export interface Transcript {
  /** No model is given these as they stand. */
  readonly outside: readonly Piece[]
  /** From the first turn of the window on. */
  readonly window: readonly Piece[]
}

export function transcriptOf({ turns, markers }: OneSession): Transcript {
  const known = new Set(turns.map(({ id }) => id))
  const start = turns.findIndex(({ inWindow }) => inWindow)
  const windowStart = start === -1 ? turns.length : start
  // What a marker covers may be further back than what was read.
  const first = markers.filter(({ through }) => !known.has(through)).map(markerPiece)
  return {
    outside: [...first, ...turns.slice(0, windowStart).flatMap((turn) => withMarkers(turn, markers))],
    window: turns.slice(windowStart).flatMap((turn) => withMarkers(turn, markers)),
  }
}

function withMarkers(turn: TurnView, markers: readonly MarkerView[]): Piece[] {
  return [{ type: 'turn', turn }, ...markers.filter(({ through }) => through === turn.id).map(markerPiece)]
}

function markerPiece(marker: MarkerView): Piece {
  return { type: 'marker', marker }
}
