/**
 * The parts of a text that show why it was found: where the most different of the searched words stand together, and then where those
 * stand that were not shown yet. Pure, and as cheap for a text of a megabyte as for a line: only what lies around highlights is looked at.
 */
import type { Range } from '../../../recall/found.ts'

const MOST_PIECES = 2
/** Of each piece, in UTF-16 units. */
const LENGTH = 180
/** Shown before the first highlight of a piece. */
const LEAD = 40

/** In order, apart from each other; without highlights, how the text begins. */
export function excerptOf(text: string, highlights: readonly Range[]): readonly Range[] {
  if (text.length <= MOST_PIECES * LENGTH) return [[0, text.length]]
  if (highlights.length === 0) return [pieceAt(text, 0, MOST_PIECES * LENGTH)]
  const shown = new Set<string>()
  const pieces: Range[] = []
  while (pieces.length < MOST_PIECES) {
    const first = densest(text, highlights, shown)
    if (first === undefined) break
    const piece = pieceAt(text, Math.max(0, first - LEAD), LENGTH)
    for (const word of wordsWithin(text, highlights, piece)) shown.add(word)
    pieces.push(piece)
  }
  return joined(pieces.sort(([a], [b]) => a - b))
}

/** Where a stretch begins that has the most words that are not shown yet; `undefined`: all are. */
function densest(text: string, highlights: readonly Range[], shown: ReadonlySet<string>): number | undefined {
  const open = highlights.filter((range) => !shown.has(wordAt(text, range)))
  const counts = new Map<string, number>()
  let [best, most, last] = [open[0]?.[0], 0, 0]
  for (const range of open) {
    for (let next = open[last]; next && next[0] < range[0] + LENGTH - LEAD; next = open[++last]) {
      const word = wordAt(text, next)
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    if (counts.size > most) [best, most] = [range[0], counts.size]
    const leaving = wordAt(text, range)
    const left = (counts.get(leaving) ?? 0) - 1
    if (left > 0) counts.set(leaving, left)
    else counts.delete(leaving)
  }
  return best
}

function wordsWithin(text: string, highlights: readonly Range[], [start, end]: Range): string[] {
  return highlights.filter(([from, to]) => from < end && to > start).map((range) => wordAt(text, range))
}

function wordAt(text: string, [start, end]: Range): string {
  return text.slice(start, end).toLowerCase()
}

/** From a word's beginning to a word's end, where there are blanks to tell. */
function pieceAt(text: string, from: number, length: number): Range {
  const blank = from === 0 ? -1 : text.slice(from, from + LEAD).search(/\s/)
  const start = from === 0 ? 0 : blank === -1 ? wholeAt(text, from) : from + blank + 1
  if (start + length >= text.length) return [start, text.length]
  const rest = text.slice(start + length - LEAD, start + length)
  const end = Math.max(rest.lastIndexOf(' '), rest.lastIndexOf('\n'))
  return [start, end === -1 ? wholeAt(text, start + length) : start + length - LEAD + end]
}

/** Not within a character of two units. */
function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}

/** Pieces that meet are one. */
function joined(pieces: readonly Range[]): readonly Range[] {
  const apart: Range[] = []
  for (const [start, end] of pieces) {
    const last = apart.at(-1)
    if (last && start <= last[1] + 1) apart[apart.length - 1] = [last[0], Math.max(end, last[1])]
    else apart.push([start, end])
  }
  return apart
}
