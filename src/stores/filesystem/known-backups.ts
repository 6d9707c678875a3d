/**
 * `.state/backups.json`: the paths of this workspace's backups, so that a purge can name them. Written only under the workspace's lock.
 * Backups that no longer exist are dropped from the list.
 */
import { join } from 'node:path'
import { decodeText, readFileAt, statFile } from '../disk/reading.ts'
import { FILE_MODE, replaceFile } from '../disk/system.ts'

const NAME = 'backups.json'

/** The absolute paths of existing backups. */
export function knownBackups(stateFolder: string): readonly string[] {
  return listed(stateFolder).filter(exists)
}

/** Adds paths to the list. The file is replaced as a whole. */
export function noteBackups(stateFolder: string, paths: readonly string[]): void {
  const all = [...new Set([...knownBackups(stateFolder), ...paths])]
  const text = `${JSON.stringify(
    all.map((path) => ({ path })),
    null,
    2,
  )}\n`
  replaceFile(join(stateFolder, NAME), Buffer.from(text), stateFolder, FILE_MODE)
}

/** A path that this user can't access counts as existing. */
function exists(path: string): boolean {
  try {
    return statFile(path) !== undefined
  } catch {
    return true
  }
}

function listed(stateFolder: string): readonly string[] {
  const file = readFileAt(join(stateFolder, NAME))
  const text = file && decodeText(file.bytes)
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.flatMap(pathIn) : []
  } catch {
    return [] // damaged: the next backup starts a new list
  }
}

function pathIn(value: unknown): readonly string[] {
  const { path } = (value ?? {}) as { path?: unknown } // a file may contain anything
  return typeof path === 'string' ? [path] : []
}
