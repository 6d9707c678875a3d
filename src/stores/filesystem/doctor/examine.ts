/**
 * `doctor` as a function: looks at a workspace that may be damaged in any way and says what is wrong. Reading only: it takes
 * no lock, changes nothing, and works in a read-only folder.
 */
import { CHECKS } from './checks.ts'
import { SEVERITIES } from './codes.ts'
import { type Evidence, type ExamineOptions, gatherEvidence } from './evidence.ts'
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

export function examine(options: ExamineOptions): Examination {
  return conclude(gatherEvidence(options))
}

export function conclude(evidence: Evidence): Examination {
  const findings = CHECKS.flatMap((check) => check(evidence)).sort(bySeverity)
  const { texts, sessions, journal, tree } = evidence
  return {
    findings,
    checked: {
      files: tree.items.filter(({ type }) => type === 'file').length,
      entries: texts.reduce((sum, { place, entries }) => sum + (place.mirror ? 0 : entries.length), 0),
      changes: journal.changes,
      sessions: sessions.length,
    },
  }
}

function bySeverity(a: Finding, b: Finding): number {
  const ranks = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return ranks !== 0 ? ranks : a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
