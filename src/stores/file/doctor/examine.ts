/**
 * `doctor` of a memory in one file: looks at one that may be damaged in any way and says what is wrong. Reading only: it takes
 * no lock and changes nothing.
 */
import { bySeverity, type Examination, type OnExamined } from '../../disk/doctor/examination.ts'
import type { Finding } from '../../disk/doctor/finding.ts'
import type { AskedSettings } from '../../disk/doctor/settings-differ.ts'
import { CHECKS } from './checks.ts'
import { type FileEvidence, gatherEvidence, isHopeless } from './evidence.ts'

export interface ExamineFileOptions {
  /** As the other commands would open it. */
  readonly wish?: AskedSettings
  readonly onProgress?: OnExamined
}

export function examineFile(path: string, { wish, onProgress }: ExamineFileOptions = {}): Examination {
  return conclude(gatherEvidence(path, onProgress), wish)
}

export function conclude(evidence: FileEvidence, wish: AskedSettings = {}): Examination {
  const { stats, remains } = evidence
  const found = CHECKS.flatMap((check) => check(evidence, wish)).sort(bySeverity)
  return {
    findings: isHopeless(evidence) ? found.map(notToBeSaved) : found,
    checked: {
      files: stats ? 1 : 0,
      entries: remains?.entries.size ?? 0,
      changes: remains?.changes ?? 0,
      sessions: remains?.sessions.size ?? 0,
    },
  }
}

function notToBeSaved(finding: Finding): Finding {
  if (finding.severity !== 'damage') return finding
  return { ...finding, fixable: false, hint: 'Nothing in it can be read. Take back a backup with: keepsake restore' }
}
