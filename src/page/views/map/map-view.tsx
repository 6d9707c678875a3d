/** The view "map"; not written yet. */
import type { VNode } from 'preact'

export function MapView(): VNode {
  return <h1>Map</h1>
}
