/**
 * Waits until the signal says otherwise, whether what is waited for knows of the signal or not: it goes on for others who wait for it,
 * and an answer that comes late is dropped.
 */
import { onAbort } from './on-abort.ts'

export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let leave: () => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    leave = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work(), stopped])
  } finally {
    leave()
  }
}
