/**
 * Compare-and-swap on a transcript, for what is decided on what was read: read, decide, append with `expectEnd`. Where another
 * process has written meanwhile, the decision may no longer hold, and all of it is done again.
 */
import { isKeepsakeError } from '../errors.ts'

/** More often than that nobody loses by chance. */
const MOST_RACES = 50

export async function againAfterRaces<T>(readAndAppend: () => Promise<T>): Promise<T> {
  for (let races = 0; ; races++) {
    try {
      return await readAndAppend()
    } catch (error) {
      if (!isConflict(error) || races >= MOST_RACES) throw error
    }
  }
}

export function isConflict(error: unknown): boolean {
  return isKeepsakeError(error) && error.code === 'CONFLICT'
}
