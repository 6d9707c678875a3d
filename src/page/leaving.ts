/**
 * What stands between here and another place: text that nobody has saved. Whoever has such text says which places would lose it; whoever wants
 * to go there is asked first (shell/leave-dialog.tsx).
 */
import { type Signal, signal } from '@preact/signals'
import type { Route } from './route.ts'

/** Goes there after all. */
export type Leave = () => void

/** There while somebody is being asked. */
export const leave: Signal<Leave | undefined> = signal(undefined)

export type IsLost = (to: Route) => boolean

const unsaved: Set<IsLost> = new Set()

export function hasUnsaved(): boolean {
  return unsaved.size > 0
}

/** Until the answer is called. */
export function keepUnsaved(isLost: IsLost): () => void {
  unsaved.add(isLost)
  return () => unsaved.delete(isLost)
}

/** At once where nothing would be lost. */
export function afterAsking(go: () => void): void {
  if (!hasUnsaved()) go()
  else askFirst(go)
}

/** Whether `go` has to wait for an answer. */
export function isHeldBack(to: Route, go: () => void): boolean {
  if (![...unsaved].some((isLost) => isLost(to))) return false
  askFirst(go)
  return true
}

function askFirst(go: () => void): void {
  leave.value = () => {
    unsaved.clear()
    leave.value = undefined
    go()
  }
}

// Closing the tab or loading the page anew: there the browser asks, in its own words.
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault()
})
