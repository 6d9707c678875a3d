/** What `doctor` answers, of a folder as of a file. Plain data, fit for JSON. */
import { SEVERITIES } from './codes.ts'
import type { Finding } from './finding.ts'

/** How much was looked at. */
export interface Checked {
  readonly files: number
  readonly entries: number
  readonly changes: number
  readonly sessions: number
}

export interface Examination {
  /** The worst first, each sort by path. */
  readonly findings: readonly Finding[]
  readonly checked: Checked
}

export interface Mending {
  /** What was wrong and is not any more. */
  readonly mended: readonly Finding[]
  /** What is left. */
  readonly examination: Examination
  /** How it was before, absolute; missing when nothing was replaced. */
  readonly backup?: string
  /** What could not be done, or not be saved, as sentences. */
  readonly warnings: readonly string[]
}

export type OnExamined = (done: number, total: number) => void

export function bySeverity(a: Finding, b: Finding): number {
  const ranks = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return ranks !== 0 ? ranks : a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

/** Of the findings before, those that a second look does not make any more. */
export function goneSince(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const left = new Set(after.map(keyOf))
  return before.filter((finding) => !left.has(keyOf(finding)))
}

function keyOf({ code, path }: Finding): string {
  return `${code}\0${path}`
}
