/**
 * Runs as a file keeps them, with the numbers of every query, so that two of them can be compared query by query. Parse and
 * write are a pair; the text is for programs, and not a data set.
 */
import { KeepsakeError } from '../errors.ts'
import { METRICS } from './metrics.ts'
import type { QueryRun, Run } from './run.ts'

const FORMAT = 1

export function writeRuns(runs: readonly Run[]): string {
  return `${JSON.stringify({ keepsakeEval: FORMAT, runs })}\n`
}

/** `file` is for messages. */
export function parseRuns(text: string, file: string): readonly Run[] {
  let saved: { readonly keepsakeEval?: unknown; readonly runs?: unknown } | null
  try {
    saved = JSON.parse(text)
  } catch {
    throw notRuns(file)
  }
  const runs = saved?.keepsakeEval === FORMAT ? saved.runs : undefined
  if (!Array.isArray(runs) || !runs.every(isRun)) throw notRuns(file)
  return runs
}

function isRun(value: Partial<Run> | null): value is Run {
  return typeof value?.name === 'string' && typeof value.level === 'string' && value.queries?.every(isQueryRun) === true
}

function isQueryRun(value: Partial<QueryRun> | null): value is QueryRun {
  if (typeof value?.scope !== 'string' || typeof value.id !== 'string') return false
  return METRICS.every((metric) => Number.isFinite(value.scores?.[metric]))
}

function notRuns(file: string): KeepsakeError {
  return new KeepsakeError('INVALID', `${file} holds no runs that keepsake saved`, {
    hint: 'Make such a file with: keepsake eval FILE --save RUNS.json',
    data: { file },
  })
}
