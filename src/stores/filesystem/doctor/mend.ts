/**
 * `doctor --fix`: a backup of the folder as it is, then what can be mended without judging, then another look. Most of it the writer does by
 * itself when it takes the lock: a torn journal is cut, files that a crash kept from being written are written, and
 * where the journal can't be built on, a new one begins. Nothing here deletes a text that somebody wrote.
 */
import { join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import { mendable } from '../../disk/doctor/codes.ts'
import { goneSince, type Mending } from '../../disk/doctor/examination.ts'
import { makeFolder } from '../../disk/system.ts'
import { type BackupSource, backUpUntouched } from '../backup/backup.ts'
import { STATE_FOLDER } from '../layout.ts'
import { type Evidence, type ExamineOptions, gatherEvidence } from './evidence.ts'
import { examine } from './examine.ts'
import { mendLeases, mendLitter, mendMirrors, mendSessions } from './mend-files.ts'
import { mendIds, mendNormalForms } from './mend-texts.ts'
import { mendModes } from './mode-checks.ts'

/** `aside`: a folder for what is cut off. */
const MENDERS: readonly ((evidence: Evidence, aside: string) => void)[] = [
  mendSessions,
  mendIds,
  mendNormalForms,
  mendMirrors,
  mendLitter,
  mendLeases,
  mendModes,
]

const NO_SETTINGS =
  'nothing was mended, for keepsake.yaml is gone: restore it from a backup, or write it by hand, as the finding shows'

export async function mend(source: BackupSource, options: ExamineOptions): Promise<Mending> {
  const before = examine(options)
  if (mendable(before.findings).length === 0) {
    const warnings = before.findings.some(({ code }) => code === 'settings-missing') ? [NO_SETTINGS] : []
    return { mended: [], examination: before, warnings }
  }
  const { workspace, writer, clock } = source
  const stamp = instant(clock()).replaceAll(':', '')
  const folder = join(workspace.stateFolder, 'backups')
  workspace.refuseLinks(join(STATE_FOLDER, 'backups'))
  makeFolder(folder)
  const to = join(folder, `before-fix-${stamp}.tgz`)
  const { warnings } = await backUpUntouched(source, to)
  const aside = join(workspace.stateFolder, 'aside', stamp)
  const failures: string[] = []
  await writer.exclusively(async () => {
    const evidence = gatherEvidence(options)
    for (const run of MENDERS) failures.push(...tried(() => run(evidence, aside)))
  })
  const after = examine(options)
  return {
    mended: goneSince(before.findings, after.findings),
    examination: after,
    backup: to,
    warnings: [...warnings, ...failures],
  }
}

/** What fails in one place need not keep the rest from being mended. */
function tried(run: () => void): string[] {
  try {
    run()
    return []
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return [error.message]
  }
}
