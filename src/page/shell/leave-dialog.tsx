/** Asks before text that is not saved is left behind. */
import type { VNode } from 'preact'
import { leave } from '../leaving.ts'
import { Dialog } from '../parts/dialog.tsx'

export function LeaveDialog(): VNode | null {
  const goOn = leave.value
  if (goOn === undefined) return null
  const stay = (): void => {
    leave.value = undefined
  }
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>What you have written here is not saved yet. It will be gone.</p>
      <div class="buttons">
        <button type="button" class="is-primary" onClick={stay}>
          Stay
        </button>
        <button type="button" onClick={goOn}>
          Leave without saving
        </button>
      </div>
    </Dialog>
  )
}
