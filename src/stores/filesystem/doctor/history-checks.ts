/** HISTORY.md is a mirror of the monthly files, for grep: does it hold what they hold? */

import { type Scope, WORLD } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import { counted, type Finding, finding } from '../../disk/doctor/finding.ts'
import { mirrorPath } from '../layout.ts'
import type { Evidence } from './evidence.ts'
import { scopesOf } from './text-places.ts'
import type { EntryFacts, TextFacts } from './texts.ts'

export interface MirrorState {
  readonly scope: Scope
  readonly path: string
  readonly months: readonly TextFacts[]
  readonly missing: readonly EntryFacts[]
  readonly differing: readonly EntryFacts[]
}

export function checkMirrors(evidence: Evidence): Finding[] {
  return mirrorStates(evidence).flatMap(({ path, missing, differing }) => {
    const entries = (list: readonly unknown[]): string => counted(list.length, 'entry', 'entries')
    const findings: Finding[] = []
    if (missing.length > 0) {
      const problem = `${entries(missing)} of the monthly files ${missing.length === 1 ? 'is' : 'are'} not in it`
      findings.push(
        finding('mirror-behind', path, problem, '--fix adds what is missing. The monthly files are the truth.'),
      )
    }
    if (differing.length > 0) {
      const verb = differing.length === 1 ? 'differs' : 'differ'
      const problem = `${entries(differing)} in it ${verb} from the monthly files`
      findings.push(
        finding('mirror-differs', path, problem, 'The monthly files are the truth; the mirror is only for grep.'),
      )
    }
    return findings
  })
}

/** Of mirrors that can be read, or are not there. */
export function mirrorStates(evidence: Evidence): MirrorState[] {
  const { texts, workspace } = evidence
  const agents = [...scopesOf(evidence)].filter((scope) => scope !== WORLD)
  return agents.flatMap((scope) => {
    const path = mirrorPath(workspace.layout, { scope, kind: 'history' })
    const ofScope = texts.filter(({ place }) => place.scope === scope && 'mirror' in KINDS[place.kind].place)
    const mirror = ofScope.find(({ place }) => place.mirror)
    const months = ofScope.filter(({ place }) => !place.mirror)
    if (path === undefined || months.length === 0 || mirror?.understood === false) return []
    const mirrored = new Map(mirror?.entries.map((entry) => [entry.id, entry]))
    const entries = months.flatMap((month) => month.entries)
    // Text before the first heading would become part of another entry there.
    const missing = entries.filter(({ id, headed }) => headed && !mirrored.has(id))
    const differing = entries.filter(
      ({ id, contentHash }) => (mirrored.get(id)?.contentHash ?? contentHash) !== contentHash,
    )
    return { scope, path, months, missing, differing }
  })
}
