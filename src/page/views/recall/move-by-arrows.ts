/** The arrow keys lead from the search field to the hits, from one to the next, and back. Tab goes through everything, as everywhere. */

const STOPS = '.recall-field input, .hit-link'

export function moveByArrows(event: KeyboardEvent, within: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const stops: (EventTarget | null)[] = [...(within?.querySelectorAll(STOPS) ?? [])]
  const at = stops.indexOf(event.target)
  const next = at === -1 ? undefined : stops[at + step]
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}
