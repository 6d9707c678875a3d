/** The view "context"; not written yet. */
import type { VNode } from 'preact'

export function ContextView(): VNode {
  return <h1>Context</h1>
}
