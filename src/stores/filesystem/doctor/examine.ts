/**
 * `doctor` as a function: looks at a workspace that may be damaged in any way and says what is wrong. Reading only: it
 * takes no lock, changes nothing, and works in a read-only folder.
 */
import { join } from 'node:path'
import { bySeverity, type Examination } from '../../disk/doctor/examination.ts'
import { statFile } from '../../disk/reading.ts'
import { CHECKS } from './checks.ts'
import { type Evidence, type ExamineOptions, gatherEvidence } from './evidence.ts'

/** Others may write meanwhile: what was seen half before and half after a change proves nothing. */
const MOST_LOOKS = 4

export function examine(options: ExamineOptions): Examination {
  let evidence = gatherEvidence(options)
  for (let looks = 1; looks < MOST_LOOKS && hasGoneOn(evidence); looks++) evidence = gatherEvidence(options)
  return conclude(evidence)
}

function hasGoneOn({ root, journal }: Evidence): boolean {
  const last = journal.segments.at(-1)
  return last !== undefined && !last.error && statFile(join(root, last.path))?.size !== last.size
}

function conclude(evidence: Evidence): Examination {
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
