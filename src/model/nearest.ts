/** The known word that a mistyped one was probably meant to be; undefined if none is close. */
import { distance } from './find.ts'

/** A longer word is no typo, and is slow to compare. */
const MAX_LENGTH = 100

export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = bare(word.slice(0, MAX_LENGTH))
  const far = Math.max(1, Math.floor(wanted.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(wanted, bare(candidate)) }))
    .filter(({ candidate, steps }) => steps <= far || (wanted.length > 2 && bare(candidate).startsWith(wanted)))
    .sort((a, b) => a.steps - b.steps)
  return best?.candidate
}

/** Ignores case and separators, since other programs write maxMemorySize or max-memory-size. */
function bare(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, '')
}
