/**
 * `.state/backups.json`: where the backups of this workspace are, so that what is removed for good can be removed from them
 * too. Written only under the workspace's lock. One that is not there any more is not known any more.
 */
import { join } from 'node:path'
import { decodeText, readFileAt, statFile } from '../../disk/reading.ts'
import { FILE_MODE, replaceFile } from '../../disk/system.ts'

export interface KnownBackup {
  /** Absolute. */
  readonly path: string
  readonly madeAt: string
}

const NAME = 'backups.json'

export function knownBackups(stateFolder: string): readonly KnownBackup[] {
  return listed(stateFolder).filter(({ path }) => isThere(path))
}

/** Adds backups to those that are there; the file that holds the list is replaced as a whole. */
export function noteBackups(stateFolder: string, backups: readonly KnownBackup[]): void {
  const byPath = new Map([...knownBackups(stateFolder), ...backups].map((backup) => [backup.path, backup]))
  const text = `${JSON.stringify([...byPath.values()], null, 2)}\n`
  replaceFile(join(stateFolder, NAME), Buffer.from(text), stateFolder, FILE_MODE)
}

/** One that we may not look at is not gone. */
function isThere(path: string): boolean {
  try {
    return statFile(path) !== undefined
  } catch {
    return true
  }
}

function listed(stateFolder: string): readonly KnownBackup[] {
  const file = readFileAt(join(stateFolder, NAME))
  const text = file && decodeText(file.bytes)
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.filter(isKnownBackup) : []
  } catch {
    return [] // mangled by someone: the next backup begins it anew
  }
}

function isKnownBackup(value: unknown): value is KnownBackup {
  const { path, madeAt } = (value ?? {}) as Partial<Record<keyof KnownBackup, unknown>> // anything may stand in a file
  return typeof path === 'string' && typeof madeAt === 'string'
}
