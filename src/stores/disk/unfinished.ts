/**
 * Paths of files and folders that are built beside their final place. Each contains the id of the process that builds it, so that the
 * next process recognizes and removes what a killed one left.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from './list-folder.ts'
import { formatOwner, isProvablyDead, parseOwner, thisProcess } from './owner.ts'
import { codeOf } from './system.ts'

export type Unfinished = 'backup' | 'export'

const PREFIX = /^\.keepsake\.(?:backup|export)-/

export function unfinishedPath(what: Unfinished, folder: string): string {
  // A colon is not allowed in every file system's names.
  const owner = formatOwner(thisProcess()).replaceAll(':', '_')
  return join(folder, `.keepsake.${what}-${owner}_${randomBytes(4).toString('hex')}`)
}

export function isUnfinished(name: string): boolean {
  return ownerOf(name) !== undefined
}

/** Removes what this process built. Returns a warning if it can't: the next process removes it then. */
export function removeUnfinished(path: string): readonly string[] {
  let reason = ''
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    reason = `: ${codeOf(error)}`
  }
  // Node's rmSync also ignores some errors of rmdir.
  return existsSync(path) ? [`${path} could not be removed${reason}. The next backup or export removes it.`] : []
}

/** Removes what dead processes left in a folder. */
export function sweepUnfinished(folder: string): void {
  for (const name of namesIn(folder)) {
    const owner = ownerOf(name)
    if (!owner || !isProvablyDead(owner)) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // not ours to remove
    }
  }
}

function ownerOf(name: string): ReturnType<typeof parseOwner> {
  const named = name.replace(PREFIX, '')
  return named === name ? undefined : parseOwner(named.split('_').slice(0, -1).join(':'))
}
