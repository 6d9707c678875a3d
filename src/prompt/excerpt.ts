/** The part of a long text in which the words that were looked for stand closest together, in whole lines where it can be. */
import type { Range } from '../recall/found.ts'
import { partWithin, tokensOf } from './budget.ts'

/** What a token is about as long as. */
const CHARACTERS_A_TOKEN = 4

const CUT = '…'

export function excerpt(text: string, highlights: readonly Range[], roomTokens: number): string {
  const start = lineOf(text, densest(text, highlights, roomTokens * CHARACTERS_A_TOKEN), roomTokens)
  // Most of the room for what comes from there on, the rest for what leads to it.
  const after = partWithin(text.slice(start), Math.ceil(roomTokens * 0.75), 'beginning')
  const before = partWithin(text.slice(0, start), roomTokens - tokensOf(after), 'end')
  const parts = [
    ...(before.length < start ? [CUT] : []),
    before + after,
    ...(start + after.length < text.trimEnd().length ? [CUT] : []),
  ]
  return parts.join('\n')
}

/** Where the most of what was looked for begins within such a length: a word that stands here once says more than a common one. */
function densest(text: string, highlights: readonly Range[], length: number): number {
  const weights = weightsOf(text, highlights)
  let [best, most, last, weight] = [highlights[0]?.[0] ?? 0, 0, 0, 0]
  for (const [first, [start]] of highlights.entries()) {
    while (last < highlights.length && (highlights[last]?.[0] ?? 0) < start + length) weight += weights[last++] ?? 0
    // Sums of fractions differ in their last digits by the way they were come by.
    if (weight > most + 1e-9) [best, most] = [start, weight]
    weight -= weights[first] ?? 0
  }
  return best
}

/** Of each: one, shared by all that are the same word. */
function weightsOf(text: string, highlights: readonly Range[]): number[] {
  const words = highlights.map(([start, end]) => text.slice(start, end).toLowerCase())
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return words.map((word) => 1 / (counts.get(word) ?? 1))
}

/** The beginning of the line that holds this place; in an endless line, that of a word not far before it. */
function lineOf(text: string, place: number, roomTokens: number): number {
  const line = text.lastIndexOf('\n', place - 1) + 1
  const near = place - roomTokens
  if (place === 0 || line >= near) return place === 0 ? 0 : line
  const word = text.indexOf(' ', near) + 1
  return word > 0 && word <= place ? word : place
}
