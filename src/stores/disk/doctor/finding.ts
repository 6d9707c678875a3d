/** One thing that is wrong, or may be: what, where, how bad, and what to do. Plain data, fit for JSON. */
import type { KeepsakeError } from '../../../errors.ts'
import { CODES, type Code, FILE_CODES, type FileCode, SERVER_CODES, type ServerCode, type Severity } from './codes.ts'

export interface Finding {
  readonly code: Code | FileCode | ServerCode
  readonly severity: Severity
  /** Relative to the workspace, absolute for what lies outside it; of a server the id of a record. */
  readonly path: string
  readonly problem: string
  readonly hint: string
  readonly fixable: boolean
}

const RULES = { ...CODES, ...FILE_CODES, ...SERVER_CODES }

export function finding(code: Finding['code'], path: string, problem: string, hint: string): Finding {
  const { severity, fixable } = RULES[code]
  return { code, severity, path, problem, hint, fixable }
}

/** What an error says, without the path that is told beside it anyway. */
export function saidOf(error: KeepsakeError): string {
  const { path } = error.data
  return typeof path === 'string' ? error.message.replace(`${path}: `, '').replace(path, 'it') : error.message
}

/** `1 file`, `3 files`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
