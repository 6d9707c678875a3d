/** What interrupted moves, exports and backups leave beside a workspace, and the copies that `doctor --fix` makes there. */
import { basename, dirname, join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { namesIn } from '../../disk/list-folder.ts'
import { isUnfinished } from '../../disk/unfinished.ts'

/** Where a workspace is built before it gets its place. */
export function movingPath(root: string): string {
  return join(dirname(root), `.${basename(root)}.moving`)
}

export function moveLeftovers(root: string): string[] {
  const moving = basename(movingPath(root))
  return siblings(root, (name) => name === moving || name === `${moving}.lock` || isUnfinished(name))
}

export function fixCopyPath(root: string, stamp: string): string {
  return `${root}.before-fix-${stamp}`
}

export function fixCopies(root: string): string[] {
  return siblings(root, (name) => name.startsWith(basename(fixCopyPath(root, ''))))
}

function siblings(root: string, isWanted: (name: string) => boolean): string[] {
  const folder = dirname(root)
  try {
    return namesIn(folder)
      .filter(isWanted)
      .map((name) => join(folder, name))
  } catch (error) {
    if (isKeepsakeError(error)) return [] // this user can't read the folder
    throw error
  }
}
