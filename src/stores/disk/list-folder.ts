/** What is in a folder; nothing when there is none. */
import { type Dirent, readdirSync } from 'node:fs'
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
