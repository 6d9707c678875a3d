/** The view "timeline"; not written yet. */
import type { VNode } from 'preact'

export function TimelineView(): VNode {
  return <h1>Timeline</h1>
}
