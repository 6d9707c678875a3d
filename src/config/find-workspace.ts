/** Where the memory is when nobody says: the nearest `.keepsake` folder upward, else the one in the home folder. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const WORKSPACE_FOLDER = '.keepsake'

export function findWorkspace(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, WORKSPACE_FOLDER)
    if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory()) return candidate
    if (folder === dirname(folder)) return join(homedir(), WORKSPACE_FOLDER)
  }
}
