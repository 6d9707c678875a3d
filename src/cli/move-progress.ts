/** How far a move is. Stores count what they like, so it is shown as a share. */
import type { MoveStep } from '../move/move-memory.ts'
import type { Arguments } from './arguments.ts'
import { progressLine } from './progress.ts'

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
