/**
 * Names for what is being made beside its final place. Each names the process that makes it, so that what a killed one left
 * can be told from what a living one is still at, and is removed by the next that comes along.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { listFolder } from './list-folder.ts'
import { formatOwner, isProvablyDead, parseOwner, thisProcess } from './owner.ts'

/** `archive`: a file that becomes a backup. `restore`: what becomes a workspace. `export`: a folder in which one is being made. */
export type Unfinished = 'archive' | 'restore' | 'export'

const PREFIXES: Readonly<Record<Unfinished, string>> = {
  archive: '.keepsake.backup-',
  restore: '.keepsake.restore-',
  export: '.keepsake.export-',
}

export function unfinishedPath(what: Unfinished, folder: string): string {
  // A colon is not allowed in every file system's names.
  const owner = formatOwner(thisProcess()).replaceAll(':', '_')
  return join(folder, `${PREFIXES[what]}${owner}_${randomBytes(4).toString('hex')}`)
}

export function isUnfinished(what: Unfinished, name: string): boolean {
  return ownerOf(what, name) !== undefined
}

/** By whom and of what kind soever. */
export function isNamedUnfinished(name: string): boolean {
  return Object.values(PREFIXES).some((prefix) => name.startsWith(prefix))
}

/** Removes what dead processes left. What can't be removed harms nobody. */
export function sweepUnfinished(what: Unfinished, folder: string): void {
  for (const { name } of listFolder(folder)) {
    const owner = ownerOf(what, name)
    if (!owner || !isProvablyDead(owner)) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // not ours to remove
    }
  }
}

function ownerOf(what: Unfinished, name: string): ReturnType<typeof parseOwner> {
  if (!name.startsWith(PREFIXES[what])) return undefined
  const parts = name.slice(PREFIXES[what].length).split('_')
  return parseOwner(parts.slice(0, -1).join(':'))
}
