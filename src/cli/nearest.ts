/** The known word that a mistyped one was meant to be; none when nothing comes near. */
import { distance } from '../model/find.ts'

export function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate) }))
    .filter(({ candidate, distance: steps }) => steps <= far || (word.length > 2 && candidate.startsWith(word)))
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}
