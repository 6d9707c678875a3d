/** The part of a long text in which the words that were looked for stand closest together, in whole lines where it can be. */
import type { Range } from '../recall/found.ts'
import { partWithin, tokensOf } from './budget.ts'

/** What a token is about as long as. */
const CHARACTERS_A_TOKEN = 4

const CUT = '…'

export function excerpt(text: string, highlights: readonly Range[], roomTokens: number): string {
  const start = lineOf(text, densest(highlights, roomTokens * CHARACTERS_A_TOKEN), roomTokens)
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

/** Where the most highlights within such a length begin. */
function densest(highlights: readonly Range[], length: number): number {
  let [best, most, last] = [highlights[0]?.[0] ?? 0, 0, 0]
  for (const [first, [start]] of highlights.entries()) {
    while (last < highlights.length && (highlights[last]?.[0] ?? 0) < start + length) last++
    if (last - first > most) [best, most] = [start, last - first]
  }
  return best
}

/** The beginning of the line that holds this place; in an endless line, that of a word not far before it. */
function lineOf(text: string, place: number, roomTokens: number): number {
  const line = text.lastIndexOf('\n', place - 1) + 1
  const near = place - roomTokens
  if (place === 0 || line >= near) return place === 0 ? 0 : line
  const word = text.indexOf(' ', near) + 1
  return word > 0 && word <= place ? word : place
}
