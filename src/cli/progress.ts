/**
 * How far long work is: one line on standard error that is drawn over, where a person looks on. A program, `--quiet` and
 * `--json` see nothing of it.
 */
import type { Arguments } from './arguments.ts'

const REDRAW_MS = 100

export interface Progress {
  /** What is being done, and how much of how much. */
  readonly show: (doing: string, done: number, total: number) => void
  /** Takes the line away; what comes next begins on a clean one. */
  readonly end: () => void
}

/** `things`: what is counted. */
export function progressLine(given: Arguments, things = 'files'): Progress {
  if (process.stderr.isTTY !== true || given.has('quiet') || given.has('json')) {
    return { show: () => undefined, end: () => undefined }
  }
  // What is quickly done needs no line.
  let drawnAt = performance.now()
  let isDrawn = false
  return {
    show(doing, done, total) {
      const now = performance.now()
      if (now - drawnAt < REDRAW_MS) return
      drawnAt = now
      isDrawn = true
      process.stderr.write(`\r\x1b[K${doing}: ${done} of ${total} ${things}`)
    },
    end() {
      if (isDrawn) process.stderr.write('\r\x1b[K')
      isDrawn = false
    },
  }
}
