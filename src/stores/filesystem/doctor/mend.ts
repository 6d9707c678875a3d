/**
 * `doctor --fix`: makes a plain copy of the folder as it is, fixes what is safe to fix automatically, and checks again. The writer does most of it by
 * itself when it takes the lock: a torn journal is cut, files that a crash kept from being written are written, and
 * where the journal can't be built on, a new one begins. Nothing here deletes a text that somebody wrote.
 */
import { accessSync, chmodSync, constants, copyFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import { mendable } from '../../disk/doctor/codes.ts'
import { goneSince, type Mending } from '../../disk/doctor/examination.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { acquireLock } from '../../disk/lock.ts'
import { attempt, FILE_MODE, makeFolder } from '../../disk/system.ts'
import { fixCopyPath } from '../move/leftovers.ts'
import type { Workspace } from '../workspace.ts'
import type { Writer } from '../writer.ts'
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

const LOCK_WAIT_MS = 10_000

export interface RepairSource {
  readonly workspace: Workspace
  readonly writer: Writer
  readonly clock: Clock
}

export async function mend(source: RepairSource, options: ExamineOptions): Promise<Mending> {
  const before = examine(options)
  if (mendable(before.findings).length === 0) {
    const warnings = before.findings.some(({ code }) => code === 'settings-missing') ? [NO_SETTINGS] : []
    return { mended: [], examination: before, warnings }
  }
  const { workspace, writer, clock } = source
  const stamp = instant(clock()).replaceAll(':', '')
  const copy = fixCopyPath(realpathSync(workspace.root), stamp)
  const warnings = await copyUntouched(workspace, copy)
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
    backup: copy,
    warnings: [...warnings, ...failures],
  }
}

/** Copies the folder before anything recovers from a crash, while nobody else writes. Returns warnings. */
async function copyUntouched({ root, stateFolder }: Workspace, to: string): Promise<string[]> {
  const held = await acquireLock(join(stateFolder, 'lock'), LOCK_WAIT_MS)
  const warnings: string[] = []
  try {
    copyFolder(root, to, '', warnings)
  } catch (error) {
    rmSync(to, { recursive: true, force: true })
    throw error
  } finally {
    // If a crash left work, the next holder of the lock does it.
    held.release(held.inherited ? 'undone' : 'done')
  }
  return warnings
}

/** Copies only plain files and folders. Links are neither followed nor copied. */
function copyFolder(root: string, to: string, folder: string, warnings: string[]): void {
  makeFolder(join(to, folder))
  for (const item of listedFolder(root, folder, warnings)) {
    const path = join(folder, item.name)
    if (item.isDirectory()) copyFolder(root, to, path, warnings)
    else if (item.isFile()) copyFile(join(root, path), join(to, path), path, warnings)
  }
}

function listedFolder(root: string, folder: string, warnings: string[]): ReturnType<typeof listFolder> {
  try {
    return listFolder(join(root, folder))
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    warnings.push(`${folder} can't be read and is not in the copy`)
    return []
  }
}

function copyFile(from: string, to: string, path: string, warnings: string[]): void {
  try {
    accessSync(from, constants.R_OK)
  } catch {
    warnings.push(`${path} can't be read and is not in the copy`)
    return
  }
  attempt('writing', to, () => {
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    chmodSync(to, FILE_MODE)
  })
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
