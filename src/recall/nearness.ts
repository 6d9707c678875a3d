/** How close the words of the query stand to each other: what stands together is more likely said about the same thing. */
import type { WordPlace } from '../search/word-places.ts'
import { NEAR_TOKENS, NEARNESS_K1 } from './settings.ts'

/**
 * From 0 towards the number of words. Each pair of different words within reach speaks for both of them, the more the nearer
 * they are and the rarer the other one is. `relativeLength`: a long text has more pairs by chance.
 */
export function nearness(places: readonly WordPlace[], importances: readonly number[], relativeLength: number): number {
  const spoken = new Map<number, number>()
  const speak = (word: number, weight: number): void => {
    spoken.set(word, (spoken.get(word) ?? 0) + weight)
  }
  for (const [n, { word, at }] of places.entries()) {
    for (let m = n - 1; m >= 0; m--) {
      const other = places[m]
      if (!other || at - other.at > NEAR_TOKENS) break
      if (other.word === word || at === other.at) continue
      speak(word, (importances[other.word] ?? 0) / (at - other.at))
      speak(other.word, (importances[word] ?? 0) / (at - other.at))
    }
  }
  let sum = 0
  for (const weight of spoken.values()) sum += (weight * relativeLength) / (NEARNESS_K1 + weight * relativeLength)
  return sum
}
