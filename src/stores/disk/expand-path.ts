/** A path as a person writes it: `~` is the home folder. Absolute. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export function expandPath(path: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1))
  return resolve(path)
}
