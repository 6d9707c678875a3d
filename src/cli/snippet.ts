/**
 * The lines of a long text that show best why it was found: those with the most of the searched words, then those that add
 * another, then what follows. Pure; offsets are UTF-16 units of the text, as highlights have them.
 */
import type { Range } from '../recall/found.ts'
import { fittingLength } from './display-width.ts'

export interface SnippetLine {
  readonly range: Range
  /** Text is left out before it, after it. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

export interface SnippetSize {
  /** In columns of a terminal. */
  readonly width: number
  readonly mostLines: number
}

const MAX_UNITS_A_COLUMN = 8

/** One line more than `mostLines` is shown where that is all there is: a cut would not be shorter. */
export function snippet(content: string, highlights: readonly Range[], size: SnippetSize): SnippetLine[] {
  const lines = linesOf(content, size.width)
  const whole = lines.length <= size.mostLines + 1
  const chosen = whole ? [...lines.keys()] : bestOf(wordsOf(content, lines, highlights), size.mostLines)
  return chosen.map((line, place) => ({
    range: lines[line] ?? [0, 0],
    cutBefore: place === 0 && line > 0,
    cutAfter: (chosen[place + 1] ?? lines.length) !== line + 1,
  }))
}

/** Lines that are not blank, long ones broken at blanks. */
function linesOf(content: string, width: number): Range[] {
  const lines: Range[] = []
  let at = 0
  for (const line of content.split('\n')) {
    lines.push(...brokenLine(line, width).map(([start, end]): Range => [at + start, at + end]))
    at += line.length + 1
  }
  return lines
}

function brokenLine(line: string, width: number): Range[] {
  const pieces: Range[] = []
  const kept = line.trimEnd()
  const last = kept.length
  let start = line.length - line.trimStart().length
  while (start < last) {
    const end = breakAfter(kept, start, width)
    pieces.push([start, start + line.slice(start, end).trimEnd().length])
    start = end
    while (start < last && line[start]?.trim() === '') start++
  }
  return pieces
}

function breakAfter(line: string, start: number, width: number): number {
  // A letter has few zero-width characters, so this slice is long enough.
  const near = line.slice(start, start + width * MAX_UNITS_A_COLUMN).replace(/[\ud800-\udbff]$/, '')
  const fits = fittingLength(width, near) || 1
  if (start + fits === line.length) return line.length
  const blank = near.slice(0, fits + 1).lastIndexOf(' ')
  return start + (blank > 0 ? blank : fits)
}

/** The highlighted words of each line. */
function wordsOf(content: string, lines: readonly Range[], highlights: readonly Range[]): Set<string>[] {
  const words = lines.map(() => new Set<string>())
  let line = 0
  for (const [start, end] of highlights) {
    while (line < lines.length && (lines[line]?.[1] ?? 0) <= start) line++
    words[line]?.add(content.slice(start, end).toLowerCase())
  }
  return words
}

/** Indices of lines, in order. */
function bestOf(words: readonly ReadonlySet<string>[], most: number): number[] {
  const chosen = new Set<number>()
  const shown = new Set<string>()
  while (chosen.size < most) {
    const gains = words.map((its) => [...its].filter((word) => !shown.has(word)).length)
    const best = gains.indexOf(gains.reduce((a, b) => Math.max(a, b), 0))
    if (best === -1 || gains[best] === 0) break
    chosen.add(best)
    for (const word of words[best] ?? []) shown.add(word)
  }
  const [first = 0] = chosen
  for (let line = first; line < words.length && chosen.size < most; line++) chosen.add(line)
  for (let line = first - 1; line >= 0 && chosen.size < most; line--) chosen.add(line)
  return [...chosen].sort((a, b) => a - b)
}
