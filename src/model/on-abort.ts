/**
 * Listening to a signal that many calls share, such as one that lives as long as the program: one listener for all of them, because Node
 * warns of a leak at the eleventh, and none once they are over.
 */
const listening = new WeakMap<AbortSignal, Set<() => void>>()

/** What it gives must be called when the work is over. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const stops = listening.get(signal) ?? new Set()
  if (stops.size === 0) {
    listening.set(signal, stops)
    signal.addEventListener('abort', stopAll, { once: true })
  }
  stops.add(stop)
  return () => {
    stops.delete(stop)
    if (stops.size === 0) signal.removeEventListener('abort', stopAll)
  }
}

function stopAll(this: AbortSignal): void {
  for (const stop of listening.get(this) ?? []) stop()
}
