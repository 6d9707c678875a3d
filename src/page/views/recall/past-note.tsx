/** That it is the memory of another moment that is searched, and the way back to now. */
import type { VNode } from 'preact'
import { Moment } from '../../parts/moment.tsx'

export function PastNote({ asOf, onNow }: { readonly asOf: string; readonly onNow: () => void }): VNode {
  return (
    <p class="recall-past">
      <span>
        The memory as it was <Moment at={asOf} />, which is searched by words alone.
      </span>
      <button type="button" onClick={onNow}>
        Search it as it is now
      </button>
    </p>
  )
}
