/**
 * Where an archive may be put. Inside the workspace it must not take the place of anything that is the workspace's own:
 * `--force` is said to replace an older archive, never to lose a memory.
 */
import { isAbsolute, relative } from 'node:path'
import { KeepsakeError } from '../../../errors.ts'
import { statFile } from '../../disk/reading.ts'
import { STATE_FOLDER } from '../layout.ts'
import { SETTINGS_FILE } from '../workspace-settings.ts'
import { firstBytesOf } from './archive-gzip.ts'
import { MANIFEST_NAME } from './archive-manifest.ts'

const BACKUPS = `${STATE_FOLDER}/backups/`

/** Both without links on the way. */
export async function refuseOwnFiles(root: string, target: string): Promise<void> {
  const inside = pathWithin(root, target)
  if (inside === undefined) return
  const name = inside.toLowerCase()
  if (name.startsWith(`${STATE_FOLDER}/`) && !name.startsWith(BACKUPS)) {
    throw refused(target, `${STATE_FOLDER}/ is the workspace's own`)
  }
  if (/\.(md|jsonl)$/.test(name) || name === SETTINGS_FILE) {
    throw refused(target, 'in a workspace a file of this name is taken for a part of the memory')
  }
  if (statFile(target)?.isFile() && !(await isOurArchive(target))) {
    throw refused(target, 'it is a file of the workspace, and no archive that Keepsake made')
  }
}

/** Told by how it begins; whether it is whole is another question. */
export async function isOurArchive(path: string): Promise<boolean> {
  const name = Buffer.from(`${MANIFEST_NAME}\0`)
  return name.equals((await firstBytesOf(path)).subarray(0, name.length))
}

/** With forward slashes; `undefined` for what lies elsewhere. */
export function pathWithin(root: string, path: string): string | undefined {
  const way = relative(root, path).replaceAll('\\', '/')
  return way === '' || way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : way
}

function refused(path: string, problem: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${path} can't become a backup: ${problem}`, {
    hint: 'Choose a place outside of the workspace, or a name that ends in .tar.gz.',
    data: { path },
  })
}
