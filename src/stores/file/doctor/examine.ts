/**
 * `doctor` of a memory in one file: looks at one that may be damaged in any way and says what is wrong. Reading only: it takes
 * no lock and changes nothing.
 */
import { bySeverity, type Examination, type OnExamined } from '../../disk/doctor/examination.ts'
import { CHECKS } from './checks.ts'
import { type FileEvidence, gatherEvidence } from './evidence.ts'

export function examineFile(path: string, onProgress?: OnExamined): Examination {
  return conclude(gatherEvidence(path, onProgress))
}

export function conclude(evidence: FileEvidence): Examination {
  const { stats, remains } = evidence
  return {
    findings: CHECKS.flatMap((check) => check(evidence)).sort(bySeverity),
    checked: {
      files: stats ? 1 : 0,
      entries: remains?.entries.size ?? 0,
      changes: remains?.changes ?? 0,
      sessions: remains?.sessions.size ?? 0,
    },
  }
}
