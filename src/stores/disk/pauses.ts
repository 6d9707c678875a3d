/** Waiting for a lock that other processes hold: attempts with short pauses, so that none of them starves. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LockedError } from '../../errors.ts'

/** Waits a moment before the next attempt, and throws once `lockWaitMs` has passed. */
export type Pause = () => Promise<void>

const MAX_PAUSE_MS = 2

/** Short pauses instead of SQLite's own waiting, which starves processes. */
export function pauses(path: string, lockWaitMs: number, signal?: AbortSignal): Pause {
  const started = performance.now()
  return async () => {
    signal?.throwIfAborted()
    if (performance.now() - started > lockWaitMs) {
      throw new LockedError(path, 'another process', lockWaitMs, 'Try again when that process has finished its work.')
    }
    await sleep(Math.ceil(Math.random() * MAX_PAUSE_MS))
  }
}

export async function until(attempt: () => boolean, pause: Pause): Promise<void> {
  while (!attempt()) await pause()
}
