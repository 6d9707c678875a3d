/**
 * For a command that serves or works for long: the signals that ask for its end, as one that it can listen to. Other commands end at
 * once when they are interrupted; this one closes first, and ends at once when it is asked again.
 */

export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit()
    controller.abort()
  }
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
