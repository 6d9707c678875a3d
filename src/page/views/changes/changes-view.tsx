/** The view "changes"; not written yet. */
import type { VNode } from 'preact'

export function ChangesView(): VNode {
  return <h1>Changes</h1>
}
