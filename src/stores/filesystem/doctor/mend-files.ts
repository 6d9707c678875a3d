/** Mends in files that are ours alone: transcripts, mirrors, temporary files, leases. Only under the lock. */
import { closeSync, ftruncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textToAppend } from '../../../codec/log.ts'
import { lookAtLock } from '../../disk/doctor/lock-state.ts'
import { tryLock } from '../../disk/lock.ts'
import { decodeText, readFileAt } from '../../disk/reading.ts'
import { attempt, makeFolder, openForAppend, removeFile, writeAll } from '../../disk/system.ts'
import type { Evidence } from './evidence.ts'
import { mirrorStates } from './history-checks.ts'
import { temporaryFiles } from './litter-checks.ts'
import { leasePaths } from './lock-checks.ts'
import { tailOf } from './session-checks.ts'
import { entryFacts, sayAsWritten } from './texts.ts'

/**
 * Cuts what a crash left after the last whole line, and keeps it in `aside`; a line that lacks only its end gets one.
 */
export function mendSessions({ workspace, sessions }: Evidence, aside: string): void {
  for (const { path } of sessions) {
    const absolute = workspace.absolute(path)
    const bytes = readFileAt(absolute)?.bytes
    const tail = tailOf(bytes ?? new Uint8Array([10]))
    if (!bytes || tail.is === 'none' || tail.is === 'unknown' || tail.is === 'foreign') continue
    if (tail.is === 'torn') keepAside(join(aside, path), bytes.subarray(tail.end))
    if (tail.is === 'empty' || (tail.is === 'torn' && tail.end === 0)) {
      removeFile(absolute)
      continue
    }
    append(absolute, (fd) => {
      if (tail.is === 'torn') ftruncateSync(fd, tail.end)
      else writeAll(fd, Buffer.from('\n'))
    })
  }
}

/** Adds to each HISTORY.md what only the monthly files hold, as it stands there. */
export function mendMirrors(evidence: Evidence): void {
  const { workspace } = evidence
  for (const { path, months, missing } of mirrorStates(evidence)) {
    if (missing.length === 0) continue
    const wanted = new Set(missing.map(({ id }) => id))
    const blocks = months.flatMap(({ place }) => {
      const text = decodeText(readFileAt(workspace.absolute(place.path))?.bytes ?? new Uint8Array()) ?? ''
      const said = sayAsWritten(place, text, 0, evidence)
      const ids = entryFacts({ place, said }).map(({ id }) => id)
      return ids.flatMap((id, index) => (wanted.delete(id) ? (said.log?.blocks[index]?.raw ?? []) : []))
    })
    workspace.refuseLinks(path)
    const absolute = workspace.absolute(path)
    const there = decodeText(readFileAt(absolute)?.bytes ?? new Uint8Array()) ?? ''
    let text = there
    for (const block of blocks) text += textToAppend(text.slice(-2), undefined, `${block.trimEnd()}\n`)
    append(absolute, (fd) => writeAll(fd, Buffer.from(text.slice(there.length))))
  }
}

export function mendLitter(evidence: Evidence): void {
  for (const path of temporaryFiles(evidence)) removeFile(evidence.workspace.absolute(path))
}

/** Takes over what a dead process held, and lets go of it. The lock itself was taken over to come here. */
export function mendLeases({ root }: Evidence): void {
  for (const path of leasePaths(root)) {
    const folder = join(root, path)
    if (lookAtLock(folder).is === 'left') tryLock(folder).held?.release()
  }
}

/** What seems to be worth nothing may be worth something to someone. */
function keepAside(path: string, bytes: Uint8Array): void {
  makeFolder(dirname(path))
  append(path, (fd) => writeAll(fd, bytes))
}

function append(path: string, run: (fd: number) => void): void {
  const { fd } = openForAppend(path)
  attempt('mending', path, () => {
    try {
      run(fd)
    } finally {
      closeSync(fd)
    }
  })
}
