/** What a move shows: its progress, as a share because each store counts different things, and how much was copied. */
import type { MoveStep } from '../move/move-memory.ts'
import type { ImageCounts } from '../move/watched-image.ts'
import type { Arguments } from './arguments.ts'
import { rowsText } from './entry-text.ts'
import { progressLine } from './progress.ts'
import type { Screen } from './screen.ts'

export interface MoveProgress {
  readonly show: (step: MoveStep) => void
  readonly end: () => void
}

export function moveProgress(given: Arguments): MoveProgress {
  const line = progressLine(given, 'percent')
  return {
    show: ({ doing, done, total }) => line.show(doing, total === 0 ? 100 : Math.floor((100 * done) / total), 100),
    end: line.end,
  }
}

export function countRows(
  { entries, changes, sessions, files }: ImageCounts,
  screen: Screen,
  more: readonly (readonly [name: string, value: string])[] = [],
): string[] {
  return rowsText(
    [
      ['entries', String(entries)],
      ['changes', String(changes)],
      ['sessions', String(sessions)],
      ['kept files', files === 0 ? undefined : String(files)],
      ...more,
    ],
    screen,
  )
}
