/**
 * Cuts a text into pieces that a small embedding model can read whole: at paragraphs where it can, else at lines, sentences, words, and
 * inside a word only where there is nothing else. Pieces are of like size, so that none is left with a few words alone. Every character
 * but the white space between pieces is in exactly one of them. In linear time. Tokens are an estimate (text-cuts.ts): leave a fifth below
 * the model's limit.
 */
import { ANYWHERE, type Cuts, cutsOf } from './text-cuts.ts'

export interface Piece {
  readonly start: number
  readonly end: number
}

/** None for a blank text, one for a text of at most `mostTokens`. */
export function splitText(text: string, mostTokens: number): readonly Piece[] {
  const cuts = cutsOf(text)
  const total = cuts.costs.at(-1) ?? 0
  const pieces: Piece[] = []
  let start = text.length - text.trimStart().length
  let before = 0
  let first = 0
  while (first < cuts.ends.length) {
    const chosen = total - before <= mostTokens ? cuts.ends.length - 1 : bestCut(cuts, first, before, mostTokens)
    const end = cuts.ends[chosen] as number // each column has one for each cut
    const isInside = cuts.strengths[chosen] === ANYWHERE && end < text.length
    const whole = isInside ? wholeCharacters(text, start, end) : end
    pieces.push({ start, end: whole })
    start = whole < end ? whole : (cuts.nexts[chosen] as number)
    before = cuts.costs[chosen] as number
    first = chosen + 1
  }
  return pieces
}

/** The strongest cut that leaves a piece of fair size, and of equal ones that nearest to it. */
function bestCut({ costs, strengths }: Cuts, first: number, before: number, mostTokens: number): number {
  const left = (costs.at(-1) as number) - before // there is one from `first` on
  const fair = left / Math.ceil(left / mostTokens)
  let best = first
  let bestStrength = -1
  let bestDistance = Number.POSITIVE_INFINITY
  for (let i = first; i < costs.length; i++) {
    const size = (costs[i] as number) - before
    if (size > mostTokens) break
    const worth = size < fair / 2 ? -1 : (strengths[i] as number)
    const distance = Math.abs(fair - size)
    if (worth > bestStrength || (worth === bestStrength && distance <= bestDistance)) {
      best = i
      bestStrength = worth
      bestDistance = distance
    }
  }
  return best
}

/** Made once, when it is first needed: it is slow to make. */
let characters: Intl.Segmenter | undefined

/** The same place, or the start of the character that it would cut in two, such as an emoji of several parts. */
function wholeCharacters(text: string, start: number, end: number): number {
  const around = text.slice(start, end + 32)
  characters ??= new Intl.Segmenter()
  const character = characters.segment(around).containing(end - start)
  const whole = start + (character?.index ?? end - start)
  return whole > start ? whole : end
}
