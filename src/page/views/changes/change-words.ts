/** Who did a change, and what it did, in words. Pure. */
import type { ChangeView, TouchedView } from '../../../api/contract.ts'
import { originText } from '../../parts/origin-text.ts'

/** Where more are reverted, they are counted. */
const MOST_NAMED = 3

/** `by hand`, `user`, `agent scout`, `undo of 12`, `redo of 12`; the session is shown separately. */
export function whoText(change: ChangeView, byNumber: ReadonlyMap<number, ChangeView>): string {
  const { origin, reverts, found } = change
  if (found) return 'found when the record began'
  if (reverts !== undefined) return revertsText(reverts, byNumber)
  return origin.by === 'hand' ? 'by hand' : originText(origin)
}

/** Whether to take it back is to do again what was undone. */
export function isUndo({ reverts }: ChangeView, byNumber: ReadonlyMap<number, ChangeView>): boolean {
  return reverts !== undefined && !reverts.every((number) => isUndoNumber(number, byNumber))
}

export function touchedWord({ what }: TouchedView, { found }: ChangeView): string {
  return found && what === 'added' ? 'found' : what
}

/** `change 12`, `changes 12 and 14`, `17 changes` */
export function changesText(numbers: readonly number[]): string {
  const [first] = numbers
  if (numbers.length === 1 && first !== undefined) return `change ${first}`
  if (numbers.length > MOST_NAMED) return `${numbers.length} changes`
  return `changes ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
}

/** An undo of undos brings back what these took. */
function revertsText(reverts: readonly number[], byNumber: ReadonlyMap<number, ChangeView>): string {
  const again = reverts.flatMap((number) => byNumber.get(number)?.reverts ?? [])
  const isRedo = reverts.every((number) => isUndoNumber(number, byNumber))
  const meant = isRedo ? again : reverts
  const named = meant.length > MOST_NAMED ? `${meant.length} changes` : meant.join(', ')
  return `${isRedo ? 'redo' : 'undo'} of ${named}`
}

/** What lies further back than was read is taken for no undo. */
function isUndoNumber(number: number, byNumber: ReadonlyMap<number, ChangeView>): boolean {
  const change = byNumber.get(number)
  return change !== undefined && isUndo(change, byNumber)
}
