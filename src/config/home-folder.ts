/** The home folder, always absolute: a relative or empty HOME would name a place in whatever folder one happens to be. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { KeepsakeError } from '../errors.ts'

export function homeFolder(): string {
  const home = [homedir, () => userInfo().homedir].map(attempted).find((folder) => isAbsolute(folder))
  if (home !== undefined) return home
  throw new KeepsakeError('IO', 'the home folder is not known', { hint: 'Set HOME, or say --workspace.' })
}

/** A user without a line in the system's list has none. */
function attempted(ask: () => string): string {
  try {
    return ask()
  } catch {
    return ''
  }
}
