/**
 * Cuts a text into pieces that a small embedding model can read whole: at paragraphs where it can, else at lines, sentences, words, and
 * inside a word only where there is nothing else. Pieces are of like size, so that none is left with a few words alone. Every character
 * but the white space between pieces is in exactly one of them. In linear time.
 *
 * Tokens are estimated, for the model's own words are megabytes: the costs below are means of the WordPiece vocabulary of BERT (English,
 * lower case) over prose and code. A mean is right over hundreds of words: leave a fifth below the model's limit.
 */

export interface Piece {
  readonly start: number
  readonly end: number
}

/** A place to cut: the piece before ends at `end`, the next one starts at `next`, and the text up to here costs `cost` tokens. */
interface Cut {
  readonly end: number
  readonly next: number
  readonly cost: number
  readonly strength: number
}

const ANYWHERE = 0
const WORD = 1
const SENTENCE = 2
const LINE = 3
const PARAGRAPH = 4

/** White space, a word in Latin letters (a long one in parts), digits, or one other character with the marks on it. */
const RUNS =
  /(?<space>\s+)|(?<word>[A-Za-z\u00c0-\u024f\u1e00-\u1eff]{1,24})|(?<digits>[0-9]{1,12})|(?<other>[^\s][\p{M}\u200d]*)/gu

const HANGUL = /^[\uac00-\ud7a3]/
const CLOSED_SENTENCE = /[.!?\u2026]["')\]\u00bb\u2019\u201d]*$/
const WIDE_STOP = /^[\u3002\uff01\uff1f\uff61]/
const WIDE_COMMA = /^[\u3001\uff0c\uff1b]/

/** None for a blank text, one for a text of at most `mostTokens`. */
export function splitText(text: string, mostTokens: number): readonly Piece[] {
  const cuts = cutsOf(text)
  const total = cuts.at(-1)?.cost ?? 0
  const pieces: Piece[] = []
  let start = text.length - text.trimStart().length
  let before = 0
  let first = 0
  while (first < cuts.length) {
    const chosen = total - before <= mostTokens ? cuts.length - 1 : bestCut(cuts, first, before, mostTokens)
    const { end, next, cost, strength } = cuts[chosen] as Cut
    const whole = strength === ANYWHERE && end < text.length ? wholeCharacters(text, start, end) : end
    pieces.push({ start, end: whole })
    start = whole < end ? whole : next
    before = cost
    first = chosen + 1
  }
  return pieces
}

/** The strongest cut that leaves a piece of fair size, and of equal ones that nearest to it. */
function bestCut(cuts: readonly Cut[], first: number, before: number, mostTokens: number): number {
  const left = (cuts.at(-1) as Cut).cost - before
  const fair = left / Math.ceil(left / mostTokens)
  let best = first
  let bestStrength = -1
  let bestDistance = Number.POSITIVE_INFINITY
  for (let i = first; i < cuts.length; i++) {
    const { cost, strength } = cuts[i] as Cut
    const size = cost - before
    if (size > mostTokens) break
    const worth = size < fair / 2 ? -1 : strength
    const distance = Math.abs(fair - size)
    if (worth > bestStrength || (worth === bestStrength && distance <= bestDistance)) {
      best = i
      bestStrength = worth
      bestDistance = distance
    }
  }
  return best
}

function cutsOf(text: string): readonly Cut[] {
  const cuts: Cut[] = []
  let cost = 0
  for (const match of text.matchAll(RUNS)) {
    const [run] = match
    const { index } = match
    const { space, word, digits } = match.groups as Readonly<Record<string, string | undefined>>
    if (space !== undefined) {
      const last = cuts.pop()
      if (last !== undefined) cuts.push({ ...last, next: index + run.length, strength: strengthOf(text, space, index) })
      continue
    }
    if (word !== undefined) cost += costOfWord(word.length)
    else if (digits !== undefined) cost += costOfDigits(digits.length)
    else cost += HANGUL.test(run) ? 2.5 : 1
    const end = index + run.length
    const strength = WIDE_STOP.test(run) ? SENTENCE : WIDE_COMMA.test(run) ? WORD : ANYWHERE
    cuts.push({ end, next: end, cost, strength })
  }
  return cuts
}

function strengthOf(text: string, space: string, index: number): number {
  const lines = space.split('\n').length - 1
  if (lines > 1) return PARAGRAPH
  if (lines === 1) return LINE
  // So many characters see through quotes and brackets that close after a full stop.
  return CLOSED_SENTENCE.test(text.slice(Math.max(0, index - 4), index)) ? SENTENCE : WORD
}

/** Short words are in the vocabulary; longer ones come in parts of about four letters. */
function costOfWord(length: number): number {
  return length <= 7 ? 1.15 : 0.25 * (length - 2)
}

function costOfDigits(length: number): number {
  return length <= 3 ? 1.1 : 0.65 * length - 0.7
}

/** The same place, or the start of the character that it would cut in two, such as an emoji of several parts. */
function wholeCharacters(text: string, start: number, end: number): number {
  const around = text.slice(start, end + 32)
  const character = new Intl.Segmenter().segment(around).containing(end - start)
  const whole = start + (character?.index ?? end - start)
  return whole > start ? whole : end
}
