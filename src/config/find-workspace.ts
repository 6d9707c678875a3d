/** Where the memory is when nobody says: the nearest `.keepsake` folder upward, else the one in the home folder. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const WORKSPACE_FOLDER = '.keepsake'

export function findWorkspace(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, WORKSPACE_FOLDER)
    if (isFolder(candidate)) return candidate
    if (folder === dirname(folder)) return join(homedir(), WORKSPACE_FOLDER)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // not there, or in a folder that we may not look into
  }
}
