/** What is in a folder; nothing when there is none. */
import { type Dirent, readdirSync } from 'node:fs'
import { codeOf, wrapped } from './system.ts'

export function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw wrapped('reading', path, error)
  }
}
