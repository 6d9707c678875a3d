/**
 * Where the backups of this memory are, so that what is removed for good can be removed from them too. The list lies with the
 * derived bytes: it is of the file at this place, and no part of the memory that is moved. One that is not there any more is not
 * known any more.
 */
import type { Derived } from '../../ports/store.ts'
import { decodeText, statFile } from '../disk/reading.ts'

/** A purge keeps what lies under this key, and nothing else that was derived. */
export const BACKUPS_KEY = 'keepsake:backups'

/** Absolute paths. */
export async function knownBackups(derived: Derived): Promise<readonly string[]> {
  const bytes = await derived.read(BACKUPS_KEY)
  const paths = bytes ? (JSON.parse(decodeText(bytes) ?? '[]') as string[]) : [] // as noteBackups wrote it
  return paths.filter(isThere)
}

/** Adds to those that are there. A memory that can't be written to goes without. */
export async function noteBackups(derived: Derived, paths: readonly string[]): Promise<void> {
  const all = new Set([...(await knownBackups(derived)), ...paths])
  await derived.write(BACKUPS_KEY, Buffer.from(JSON.stringify([...all])))
}

/** One that we may not look at is not gone. */
function isThere(path: string): boolean {
  try {
    return statFile(path) !== undefined
  } catch {
    return true
  }
}
