/** What a purge can't or may not touch: files that are not ours, other entries that say the same, and git's memory. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readFileAt } from '../../disk/reading.ts'
import { STATE_FOLDER } from '../layout.ts'

/** Paths below the root, other than git's own, whose bytes hold one of the texts. */
export function filesHolding(root: string, needles: readonly string[], folder = ''): string[] {
  if (needles.length === 0) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((item) => {
    const path = folder === '' ? item.name : `${folder}/${item.name}`
    if (item.isDirectory())
      return path === STATE_FOLDER || item.name === '.git' ? [] : filesHolding(root, needles, path)
    const bytes = item.isFile() ? Buffer.from(readFileAt(join(root, path))?.bytes ?? []) : undefined
    return bytes && needles.some((needle) => bytes.includes(needle)) ? [path] : []
  })
}

/** The folder of the git repository that the workspace lies in. */
export function gitFolderOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
