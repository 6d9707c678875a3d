/**
 * The cleanup of a program that runs for long: once soon after it began, then by interval. It keeps no process alive, fails
 * silently (who asks the memory for something is told what is wrong with it) and begins after a pause, off the way to the first
 * answer.
 */
import type { CleanedUp, CleanupOptions } from './cleanup.ts'

export interface StartCleanupOptions {
  /** Seconds; 0: never. */
  readonly interval: number
  /** Called after something was removed. */
  readonly told: (deleted: number) => void
  /** Default two seconds. */
  readonly firstAfterMs?: number
}

/** A memory. */
interface Cleanable {
  cleanup(options: CleanupOptions): Promise<CleanedUp>
}

export interface Cleaning {
  /** What is under way is given up. */
  stop(): void
}

export function startCleanup(memory: Cleanable, options: StartCleanupOptions): Cleaning {
  const { interval, told, firstAfterMs = 2000 } = options
  if (interval === 0) return { stop: () => undefined }
  const controller = new AbortController()
  let timer: NodeJS.Timeout
  const wait = (ms: number): void => {
    timer = setTimeout(clean, ms).unref()
  }
  const clean = async (): Promise<void> => {
    const { signal } = controller
    try {
      const { deleted } = await memory.cleanup({ signal, unreadable: false })
      if (deleted > 0) told(deleted)
    } catch {
      // Again at the next interval: what keeps it from being cleaned may be mended by then.
    }
    if (!signal.aborted) wait(interval * 1000)
  }
  wait(firstAfterMs)
  return {
    stop: () => {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
