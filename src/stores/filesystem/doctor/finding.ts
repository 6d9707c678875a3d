/** One thing that is wrong, or may be: what, where, how bad, and what to do. Plain data, fit for JSON. */
import { CODES, type Code, type Severity } from './codes.ts'

export interface Finding {
  readonly code: Code
  readonly severity: Severity
  /** Relative to the workspace; absolute for what lies outside it. */
  readonly path: string
  readonly problem: string
  readonly hint: string
  readonly fixable: boolean
}

export function finding(code: Code, path: string, problem: string, hint: string): Finding {
  return { code, path, problem, hint, ...CODES[code] }
}

/** `1 file`, `3 files`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
