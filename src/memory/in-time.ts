/**
 * Work that somebody waits for, within a time. It is given a signal of its own, so that whoever listens to it leaves nothing
 * behind on the caller's, which may live as long as the program.
 */
import type { KeepsakeError } from '../errors.ts'
import { onAbort } from '../model/on-abort.ts'

export interface TimeLimit {
  readonly withinMs: number
  readonly tooSlow: () => KeepsakeError
  readonly signal: AbortSignal | undefined
}

/** For work that heeds the signal, and puts away what it has done before it ends. */
export async function endingInTime<T>(limit: TimeLimit, work: (within: AbortSignal) => Promise<T>): Promise<T> {
  const { withinMs, tooSlow, signal } = limit
  signal?.throwIfAborted()
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(tooSlow()), withinMs)
  const leave = signal && onAbort(signal, () => ending.abort(signal.reason))
  try {
    return await work(ending.signal)
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    clearTimeout(timer)
    leave?.()
  }
}

/** For work that may not heed it, and goes on behind. */
export function inTime<T>(limit: TimeLimit, work: (within: AbortSignal) => Promise<T>): Promise<T> {
  return endingInTime(limit, (within) => {
    const over = new Promise<never>((_, reject) => {
      within.addEventListener('abort', () => reject(within.reason), { once: true })
    })
    return Promise.race([work(within), over])
  })
}
