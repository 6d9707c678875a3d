/** How much of a whole is there, as a bar: a meter for what may be too much, a progress for what goes on until it is done. */
import type { VNode } from 'preact'

export interface BarProps {
  readonly role: 'meter' | 'progressbar'
  readonly label: string
  readonly value: number
  readonly most: number
  /** The same as a person says it. */
  readonly text: string
  readonly isFull?: boolean
}

export function Bar({ role, label, value, most, text, isFull = false }: BarProps): VNode {
  const share = most === 0 ? 0 : Math.min(1, value / most)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take all of these.
    <div
      class={isFull ? 'bar is-full' : 'bar'}
      role={role}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={Math.min(value, most)}
      aria-valuetext={text}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  )
}
