/**
 * What of a captured text is new: the text without the pieces that were injected, as their prints tell. A piece is an echo only
 * as a whole: one word in it that is changed, put in or left out makes it new, and it comes back to the letter. Pure; its time
 * is proportional to the length of the text.
 */
import { isNews } from './connecting-words.ts'
import { Coverage, type Prints } from './coverage.ts'
import { isShort, type Span, spanIn } from './fingerprints.ts'
import { Part } from './part.ts'
import { listNumbersOf, piecesOf, type Range } from './pieces.ts'
import { readable } from './readable.ts'
import { type Word, wordsOf } from './words.ts'

/** The text itself where all of it is new; `undefined` where nothing is left but words that lead to what is repeated. */
export function newPart(text: string, prints: Prints): string | undefined {
  const read = readable(text)
  const pieces = piecesOf(read)
  const words = wordsOf(read)
  const cut = cutOf(read)
  const judged = judge(pieces, words, prints, cut)
  const numbers = listNumbersOf(read)
  if (numbers.size === 0) return textOf(text, judged)
  // A client may have made a list of it.
  const others = words.filter(({ at }) => !numbers.has(at))
  const unnumbered = judge(pieces, others, prints, cut)
  return textOf(text, unnumbered.newWords < judged.newWords ? unnumbered : judged)
}

/** `short`: known, but so short that somebody may just have said the same. */
type Verdict = 'new' | 'short' | 'echo'

interface Judged {
  readonly pieces: readonly (Range & { readonly verdict: Verdict })[]
  /** Without those that only lead to what is repeated. */
  readonly newWords: number
}

function judge(ranges: readonly Range[], words: readonly Word[], prints: Prints, cut: Cut): Judged {
  const spans = ranges.map(spanIn(words))
  const worded = spans.filter(({ from, to }) => from < to)
  const coverage = new Coverage(words, worded, prints)
  const saying = worded.filter(({ from, to }) => words.slice(from, to).some(isNews))
  const mayBeCut = cut !== 'no'
  const isAll = mayBeCut && saying.length === 1
  const first = { span: saying[0], next: saying[1], begins: true, ends: isAll, isTold: false }
  const last = { span: saying.at(-1), next: saying.at(-2), begins: isAll, ends: true, isTold: cut === 'told' }
  const verdicts = new Map<Span, Verdict>()
  for (const span of worded) {
    const part = new Part(coverage, words, span)
    const isEcho = part.isEcho({ begins: span === first.span, ends: mayBeCut && span === last.span })
    verdicts.set(span, !isEcho ? 'new' : isShort(words, span) && !coverage.isTelling(span) ? 'short' : 'echo')
  }
  // Beside an echo, what a cut has left of the sentence before or behind it is one, too.
  for (const { span, next, ...ends } of mayBeCut ? [first, last] : [first]) {
    if (!span || verdicts.get(span) !== 'new') continue
    const part = new Part(coverage, words, span)
    const isBeside = next !== undefined && verdicts.get(next) === 'echo'
    if ((isBeside || part.isLong()) && part.isRest(ends)) verdicts.set(span, 'echo')
  }
  const news = worded.filter((span) => verdicts.get(span) === 'new')
  const newWords = news.reduce((sum, { from, to }) => sum + words.slice(from, to).filter(isNews).length, 0)
  // What has no words goes with what stands before it.
  let verdict: Verdict = (worded[0] && verdicts.get(worded[0])) ?? 'new'
  const pieces = ranges.map((range, n) => {
    verdict = verdicts.get(spans[n] as Span) ?? verdict // one for each range
    return { ...range, verdict }
  })
  return { pieces: besideEchoes(besideEchoes(pieces).toReversed()).toReversed(), newWords }
}

/** What is short is taken for an echo only beside one. */
function besideEchoes(pieces: Judged['pieces']): Judged['pieces'] {
  let before: Verdict = 'new'
  return pieces.map((piece) => {
    before = piece.verdict === 'short' && before === 'echo' ? 'echo' : piece.verdict
    return { ...piece, verdict: before }
  })
}

/** Whether the end of a text was cut off: not where it ends with a sentence, and surely where it says so. */
type Cut = 'no' | 'maybe' | 'told'

function cutOf(text: string): Cut {
  const end = text.slice(-20).trimEnd()
  if (/(?:…|\.{3})$/.test(end)) return 'told'
  return /[.!?。！？\])}][^\p{L}\p{N}]*$/u.test(end) ? 'no' : 'maybe'
}

function textOf(text: string, { pieces, newWords }: Judged): string | undefined {
  if (pieces.every(({ verdict }) => verdict === 'new')) return text
  if (newWords === 0) return undefined
  if (pieces.every(({ verdict }) => verdict !== 'echo')) return text
  const parts: string[] = []
  for (const { start, end, verdict } of pieces) {
    const piece = text.slice(start, end)
    if (verdict !== 'echo') parts.push(piece)
    // Where the end of a line is taken out, the line still ends.
    else if (piece.endsWith('\n') && parts.at(-1)?.endsWith('\n') === false) parts.push('\n')
  }
  return parts
    .join('')
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .trimEnd()
}
