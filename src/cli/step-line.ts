/**
 * What is being done while a model is waited for: one line on standard error that is drawn over, at once, where a person looks
 * on. A program, `--quiet` and `--json` see nothing of it.
 */
import type { Arguments } from './arguments.ts'
import type { Screen } from './screen.ts'

export interface StepLine {
  readonly show: (doing: string) => void
  /** Takes the line away; what comes next begins on a clean one. */
  readonly end: () => void
}

export function stepLine(given: Arguments, screen: Screen): StepLine {
  if (process.stderr.isTTY !== true || given.has('quiet') || given.has('json')) {
    return { show: () => undefined, end: () => undefined }
  }
  return {
    show: (doing) => void process.stderr.write(`\r\x1b[K${screen.line(doing)}`),
    end: () => void process.stderr.write('\r\x1b[K'),
  }
}
