/** The view "recall"; not written yet. */
import type { VNode } from 'preact'

export function RecallView(): VNode {
  return <h1>Recall</h1>
}
