/** The beginning of a diff. Pure. */
import type { Hunk } from '../../../history/line-diff.ts'

export function lineCount(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

export function firstLines(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  const shown: Hunk[] = []
  let room = most
  for (const hunk of hunks) {
    if (room <= 0) break
    shown.push({ ...hunk, lines: hunk.lines.slice(0, room) })
    room -= hunk.lines.length
  }
  return shown
}
