/** The view "overview"; not written yet. */
import type { VNode } from 'preact'

export function OverviewView(): VNode {
  return <h1>Overview</h1>
}
