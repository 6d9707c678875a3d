/** What is in a folder; nothing when there is none. */
import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, wrapped } from './system.ts'

export function listFolder(path: string): Dirent[] {
  return listed(path, () => readdirSync(path, { withFileTypes: true }))
}

/** Only the names, which takes half the time. */
export function namesIn(path: string): string[] {
  return listed(path, () => readdirSync(path))
}

function listed<T>(path: string, list: () => T[]): T[] {
  try {
    return list()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw wrapped('reading', path, error)
  }
}

/** The root of the git repository that contains a folder. */
export function gitFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
