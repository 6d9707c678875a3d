/**
 * All that lies in a workspace, apart from `.state`: its plain files with the state they are in, and by name what is none. Two
 * looks that are the same prove that nobody wrote between them.
 */
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../disk/list-folder.ts'
import { sameSignature, statFile } from '../../disk/reading.ts'
import { STATE_FOLDER } from '../layout.ts'

export interface FolderTree {
  /** By path, relative to the workspace. */
  readonly files: ReadonlyMap<string, Stats>
  /** Links, hidden folders and the like, which nobody here looks into. */
  readonly others: readonly string[]
}

export function treeOf(root: string): FolderTree {
  const files = new Map<string, Stats>()
  const others: string[] = []
  const walk = (folder: string): void => {
    for (const name of namesIn(join(root, folder)).sort()) {
      const path = folder + name
      if (path === STATE_FOLDER) continue
      const stats = statFile(join(root, path))
      if (stats?.isFile()) files.set(path, stats)
      else if (!stats?.isDirectory()) others.push(path)
      else if (name.startsWith('.')) others.push(`${path}/`)
      else walk(`${path}/`)
    }
  }
  walk('')
  return { files, others }
}

/** Whether nobody wrote between two looks. Transcripts are passed over: they may grow at any time. */
export function isSameTree(before: FolderTree, after: FolderTree): boolean {
  if (before.files.size !== after.files.size) return false
  for (const [path, { ino, size, mtimeMs, ctimeMs }] of before.files) {
    const stats = after.files.get(path)
    if (!stats) return false
    if (!path.endsWith('.jsonl') && !sameSignature([ino, size, mtimeMs, ctimeMs], stats)) return false
  }
  return true
}
