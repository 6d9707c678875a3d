/** The view "browse"; not written yet. */
import type { VNode } from 'preact'

export function BrowseView(): VNode {
  return <h1>Browse</h1>
}
