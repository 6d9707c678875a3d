/** Names beside a file that is about to be replaced: what was there is kept under another one, and its place is never empty. */
import { linkSync, renameSync } from 'node:fs'
import { statFile } from './reading.ts'
import { attempt, codeOf, removeFile } from './system.ts'

const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Whether an error says that this disk knows no links, or no more of this file. */
export function isWithoutLinks(error: unknown): boolean {
  return NO_LINKS.includes(codeOf(error))
}

/** Gives what is there a second name, `wanted` or the next free one; where links are not known, it is renamed. */
export function keepAside(path: string, wanted: string, action: string): string {
  const aside = freeName(wanted)
  attempt(action, path, () => {
    try {
      linkSync(path, aside)
    } catch (error) {
      if (!isWithoutLinks(error)) throw error
      renameSync(path, aside)
    }
  })
  return aside
}

export function freeName(wanted: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if (!statFile(name)) return name
  }
}

/** The error that led here is the one to tell, and the next who comes sweeps what is left. */
export function removeQuietly(path: string): void {
  try {
    removeFile(path)
  } catch {
    // still there, under a name that says what it is
  }
}
