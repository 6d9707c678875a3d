/** What the texts of a memory on a server say that should be looked at: keys in plain sight, transcripts and files that can't be read. */
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import { type Entry, WORLD } from '../../../model/entry.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { toldSecrets } from '../../disk/doctor/secret-text.ts'
import { brokenLines, metadataFindings } from '../../disk/doctor/transcript-checks.ts'
import { decodeText } from '../../disk/reading.ts'
import { safeFileName } from '../../disk/safe-file-name.ts'
import { allFiles } from '../kept-files.ts'
import type { Shelf } from '../server/shelf.ts'
import { joinedBytes, SessionLog } from '../sessions/session-log.ts'
import { firstRecords, openFirst } from '../sessions/session-texts.ts'

const PUT_BACK = 'It is left as it is. Put the data of the server back from a backup to have it again.'
const SKIPPED = 'It is left as it is, and what can be read of the session is.'

export function checkEntries(entries: readonly Entry[]): readonly Finding[] {
  return entries.flatMap((entry) => {
    const { id, scope, kind, name, content } = entry
    const agent = scope === WORLD || scope === 'main' ? '' : ` --agent ${scope}`
    const hint = `Change it where it is used, then remove it here: keepsake forget ${id} --purge${agent}`
    return toldSecrets(content).map(({ problem }) =>
      finding('secret', id, `the ${kind} ${name ?? id}, ${problem}`, hint),
    )
  })
}

export interface CheckedSessions {
  readonly findings: readonly Finding[]
  readonly sessions: number
}

export async function checkSessions(log: Shelf, generation: string, options: CallOptions): Promise<CheckedSessions> {
  const firsts = await firstRecords(log, generation, {}, options)
  const findings: Finding[] = []
  for (const record of firsts) {
    try {
      const first = await openFirst(log, generation, record, options)
      if (!first) continue
      const pieces = await new SessionLog(log, generation, first.id).pieces(0, options)
      findings.push(...inTranscript(record.id, first.id, joinedBytes(pieces)))
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      findings.push(lost('lost-session', record.id, error))
    }
  }
  return { findings, sessions: firsts.length }
}

function inTranscript(
  path: string,
  { scope, key }: { readonly scope: string; readonly key: string },
  text: Uint8Array,
): readonly Finding[] {
  const hint = 'Change it where it is used. What was kept of this transcript: keepsake forget REF --purge'
  const secrets = toldSecrets(decodeText(text) ?? '').map(({ problem }) => finding('secret', path, problem, hint))
  const lines = [...metadataFindings(path, `${safeFileName(key, 'session')}.jsonl`, text), ...brokenLines(path, text)]
  return [...lines.map((one) => ({ ...one, hint: SKIPPED })), ...secrets].map((one) => ({
    ...one,
    problem: `the session "${key}" of ${scope}, ${one.problem}`,
  }))
}

/** The first one that can't be read. */
export async function checkFiles(log: Shelf, generation: string, options: CallOptions): Promise<readonly Finding[]> {
  try {
    for await (const _ of allFiles(log, generation, options));
    return []
  } catch (error) {
    if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
    return [lost('lost-file', generation, error)]
  }
}

/** One file is made anew of what is left; a server is not. */
function lost(code: Finding['code'], id: string, error: KeepsakeError): Finding {
  return { ...finding(code, id, saidOf(error), PUT_BACK), fixable: false }
}
