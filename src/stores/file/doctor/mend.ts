/**
 * `doctor --fix` of a memory in one file. Damaged, it is kept beside under a name that says so, and everything that can be read is in a
 * new one; what could not be read is told. Whole, only the small things are mended: a crash's rest, a slot, modes, leftovers.
 */
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import { mendable } from '../../disk/doctor/codes.ts'
import { goneSince, type Mending } from '../../disk/doctor/examination.ts'
import type { Finding } from '../../disk/doctor/finding.ts'
import { statFile } from '../../disk/reading.ts'
import { keepAside } from '../../disk/second-name.ts'
import { attempt, removeFile, syncFolder } from '../../disk/system.ts'
import { unfinishedPath } from '../../disk/unfinished.ts'
import { fileLeases } from '../leases.ts'
import { tidySidecar, underLock } from '../sidecar.ts'
import { fileStore } from '../store.ts'
import { leftOvers, lockFolder } from './checks.ts'
import { type FileEvidence, gatherEvidence, isHopeless } from './evidence.ts'
import { conclude, type ExamineFileOptions } from './examine.ts'
import type { Remains } from './remains.ts'
import { salvaged } from './salvage.ts'

export interface MendFileOptions extends ExamineFileOptions {
  readonly clock?: Clock
  readonly lockWaitMs?: number
}

const LOCK_WAIT_MS = 10_000
/** They are mended by making the file anew of what is in it, without loss. */
const FOLDED_AWAY: readonly Finding['code'][] = ['torn-tail', 'damaged-slot', 'damaged-derived']
/** What a new file does not have. */
const LOSSES: readonly Finding['code'][] = [
  'damaged-record',
  'cut-file',
  'lost-settings',
  'lost-text',
  'lost-change',
  'lost-session',
  'lost-file',
]
const PRIVATE = 0o700

export async function mendFile(path: string, options: MendFileOptions = {}): Promise<Mending> {
  const { clock = Date.now, lockWaitMs = LOCK_WAIT_MS, wish, onProgress } = options
  const evidence = gatherEvidence(path, onProgress)
  const before = conclude(evidence, wish)
  const wanted = mendable(before.findings)
  const warnings = notMended(evidence, before.findings)
  if (wanted.length === 0) return { mended: [], examination: before, warnings }
  let backup: string | undefined
  try {
    if (wanted.some(isDamage)) backup = await save(evidence, { nowMs: clock(), lockWaitMs, warnings })
    else if (wanted.some(({ code }) => FOLDED_AWAY.includes(code))) await fold(path, lockWaitMs)
    await tidy(path, lockWaitMs)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    warnings.push(error.message)
  }
  const after = conclude(gatherEvidence(path, onProgress), wish)
  return {
    mended: goneSince(before.findings, after.findings),
    examination: after,
    ...(backup === undefined ? {} : { backup }),
    warnings,
  }
}

/** Why something that one may expect is not done. */
function notMended(evidence: FileEvidence, findings: readonly Finding[]): string[] {
  if (isHopeless(evidence)) {
    return ['nothing was saved, for nothing in it can be read: take back a backup with keepsake restore']
  }
  const differs = findings.some(({ code }) => code === 'settings-differ')
  if (!differs || !findings.some(({ fixable }) => fixable)) return []
  return ['nothing was mended, for other settings are asked for than it was made with']
}

function isDamage({ severity }: Finding): boolean {
  return severity === 'damage'
}

interface Saving {
  readonly nowMs: number
  readonly lockWaitMs: number
  readonly warnings: string[]
}

/** Where the damaged file is kept. */
async function save(evidence: FileEvidence, { nowMs, lockWaitMs, warnings }: Saving): Promise<string | undefined> {
  const { path, remains } = evidence
  if (!remains) return undefined
  const now = instant(nowMs)
  const folder = dirname(path)
  const fresh = unfinishedPath('restore', folder)
  try {
    return await underLock(path, lockWaitMs, async () => {
      // Nobody can write to it by now, but somebody may have since it was looked at.
      const again = gatherEvidence(path)
      await adopt(fresh, again.remains ?? remains, now)
      const aside = keepAside(path, `${path}.damaged-${now.replace(/[-:]|\.\d+/g, '')}`, 'mending')
      attempt('writing', path, () => renameSync(fresh, path))
      await syncFolder(folder)
      const lost = conclude(again).findings.filter(({ code }) => LOSSES.includes(code))
      warnings.push(...lost.map(({ problem }) => `not saved: ${problem}`))
      return aside
    })
  } catch (error) {
    removeFile(fresh)
    throw error
  }
}

async function adopt(fresh: string, remains: Remains, now: string): Promise<void> {
  const store = fileStore({ path: fresh })
  try {
    await store.adopt(salvaged(remains, now))
  } finally {
    await store.close()
  }
}

async function fold(path: string, lockWaitMs: number): Promise<void> {
  const store = fileStore({ path, lockWaitMs })
  try {
    await store.fold()
  } finally {
    await store.close()
  }
}

/** Who may read it, and what stopped programs left in the folder of its lock. */
async function tidy(path: string, lockWaitMs: number): Promise<void> {
  const stats = statFile(path)
  if (stats?.isFile() && (stats.mode & ~PRIVATE & 0o777) !== 0) {
    attempt('changing the mode of', path, () => chmodSync(path, stats.mode & PRIVATE))
  }
  const folder = lockFolder(path)
  if (!statFile(folder)?.isDirectory()) return
  fileLeases(folder).tidy()
  if (leftOvers(folder).length > 0) {
    await underLock(path, lockWaitMs, async () => {
      for (const name of leftOvers(folder)) {
        attempt('removing', join(folder, name), () => rmSync(join(folder, name), { recursive: true, force: true }))
      }
    })
  }
  await tidySidecar(path)
}
