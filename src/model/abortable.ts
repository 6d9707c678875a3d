/**
 * Waits until the signal says otherwise, whether what is waited for knows of the signal or not: it goes on for others who wait for it,
 * and an answer that comes late is dropped.
 */
export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let stop: () => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work(), stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
