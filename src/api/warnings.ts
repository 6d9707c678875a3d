/** What could not be read, as sentences: the first few, and how many more there are. A sick memory has as many as it has files. */
import type { Problem } from '../ports/store.ts'

const MOST = 20

export function warningsOf(problems: readonly Problem[]): string[] {
  const told = problems.slice(0, MOST).map(({ path, problem }) => `${path}: ${problem}`)
  const more = problems.length - told.length
  return more > 0 ? [...told, `and ${more} more files; "keepsake doctor" names them all`] : told
}
