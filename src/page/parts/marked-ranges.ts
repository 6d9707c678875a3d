/** Cuts a text at ranges, so that what lies in one can be set apart. Pure. Ranges come from the server: they are checked, not trusted. */

/** Start and end, in UTF-16 units. */
export type Range = readonly [start: number, end: number]

export interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** `offset`: where in the ranges' text this one begins. */
export function piecesOf(text: string, ranges: readonly Range[], offset = 0): readonly Piece[] {
  const pieces: Piece[] = []
  let done = 0
  for (const [start, end] of ranges) {
    const [from, to] = [Math.max(done, start - offset), Math.min(text.length, end - offset)]
    if (from >= to) continue
    if (from > done) pieces.push({ text: text.slice(done, from), isMarked: false })
    pieces.push({ text: text.slice(from, to), isMarked: true })
    done = to
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isMarked: false })
  return pieces
}
