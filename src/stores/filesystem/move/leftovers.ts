/** What moves to a place and exports left beside it when they were stopped: parts of a memory that nobody opens. */
import { basename, dirname, join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { isUnfinished, sweepUnfinished, unfinishedPath } from '../../disk/unfinished.ts'

/** Where a workspace is built before it takes its place. */
export function movingPath(root: string): string {
  return join(dirname(root), `.${basename(root)}.moving`)
}

/** For a folder of this process, in which an export is made before it takes its place. */
export function pathForExport(folder: string): string {
  return unfinishedPath('export', folder)
}

/** Removes what dead processes left. */
export function sweepExports(folder: string): void {
  sweepUnfinished('export', folder)
}

export function leftByMoves(root: string): string[] {
  const moving = basename(movingPath(root))
  const left = namesIn(dirname(root)).filter(
    (name) => name === moving || name === `${moving}.lock` || isUnfinished('export', name),
  )
  return left.map((name) => join(dirname(root), name))
}

function namesIn(folder: string): string[] {
  try {
    return listFolder(folder).map(({ name }) => name)
  } catch (error) {
    if (isKeepsakeError(error)) return [] // not ours to look into
    throw error
  }
}
