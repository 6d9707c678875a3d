/** One thing that the overview tells, under a heading of its own. */
import type { ComponentChildren, VNode } from 'preact'
import { useId } from 'preact/hooks'

export interface PanelProps {
  readonly title: string
  /** Over the whole width. */
  readonly isWide?: boolean
  /** What belongs beside the heading, such as a choice. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export function Panel({ title, isWide = false, beside, children }: PanelProps): VNode {
  const titleId = useId()
  return (
    <section class={isWide ? 'panel is-wide' : 'panel'} aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  )
}
