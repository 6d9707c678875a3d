/** A score on the scale from 0 to 1, in its parts. What a factor takes away lies beneath what comes after it. For eyes alone. */
import type { VNode } from 'preact'
import type { Reason } from './reasons.ts'

export interface ReasonsBarProps {
  readonly reasons: readonly Reason[]
  /** The others only mark where this one lies. */
  readonly only?: Reason
}

export function ReasonsBar({ reasons, only }: ReasonsBarProps): VNode {
  return (
    <span class="reasons-bar" aria-hidden="true">
      {reasons.map((reason, index) => (
        <Part key={index} reason={reason} isFaint={only !== undefined && reason !== only} />
      ))}
    </span>
  )
}

function Part({
  reason: { group, from, to },
  isFaint,
}: {
  readonly reason: Reason
  readonly isFaint: boolean
}): VNode | null {
  const [start, end] = [Math.min(from, to), Math.max(from, to)]
  if (end === start) return null
  const classes = [`is-${group}`, to < from ? 'is-less' : '', isFaint ? 'is-faint' : ''].filter((one) => one !== '')
  return <span class={classes.join(' ')} style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }} />
}
