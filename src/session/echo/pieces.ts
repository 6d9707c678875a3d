/**
 * A text in pieces, each of which is new or not as a whole: a sentence, a line of a list, a fenced block of code. The pieces
 * follow each other without a gap: put together they are the text. Pure; its time is proportional to the length of the text.
 */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Where a sentence or a line ends, with what closes it and the blanks behind it. A number with a dot at the beginning of a line
 * is no sentence.
 */
const END = /\n|(?<!^[ \t>]*\d{1,3}|[.!?…])[.!?…]+["'’”»)\]*_`]*(?:[ \t\r]+\n?|\n)|[。！？]["'’”»」』）]*[ \t\r]*\n?/gmu
const LINE_END = /\n/g

const FENCE = /^[ \t>]*(?:```|~~~)/
/** A line goes on in the next where that begins with a small letter. */
const GOES_ON = /^[ \t>]*\p{Ll}/u
const ENDS = /[.!?…。！？:]["'’”»」』）)\]*_`]*\s*$/u

export function linesOf(text: string): Range[] {
  return rangesUntil(text, LINE_END)
}

export function sentencesOf(text: string): Range[] {
  return rangesUntil(text, END)
}

export function piecesOf(text: string): Range[] {
  const pieces: Range[] = []
  let open: Range | undefined
  let isFenced = false
  for (const range of sentencesOf(text)) {
    const own = text.slice(range.start, range.end)
    const isFence = FENCE.test(own) && isLineStart(text, range.start)
    if (open && !isFenced && (isFence || !goesOn(text, open, own))) {
      pieces.push(open)
      open = undefined
    }
    open = { start: open?.start ?? range.start, end: range.end }
    if (!isFence) continue
    isFenced = !isFenced
    if (isFenced) continue
    pieces.push(open)
    open = undefined
  }
  if (open) pieces.push(open)
  return pieces
}

/** The numbers of a list that counts from one, by where they stand: a client may have put them there. */
export function listNumbersOf(text: string): Set<number> {
  const numbers = new Set<number>()
  let next = 1
  for (const { 0: mark, 1: number = '', index } of text.matchAll(/^[ \t>]*(\d{1,3})[.)](?=\s)/gm)) {
    if (Number(number) === 1) next = 1
    if (Number(number) !== next) continue
    numbers.add(index + mark.length - 1 - number.length)
    next++
  }
  return numbers
}

function rangesUntil(text: string, end: RegExp): Range[] {
  const ranges: Range[] = []
  let start = 0
  for (const { 0: mark, index } of text.matchAll(end)) {
    ranges.push({ start, end: index + mark.length })
    start = index + mark.length
  }
  if (start < text.length) ranges.push({ start, end: text.length })
  return ranges
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n'
}

function goesOn(text: string, open: Range, next: string): boolean {
  // Of what is open only the last line counts, and of that only its end.
  const tail = text.slice(Math.max(open.start, open.end - 20), open.end)
  return tail.endsWith('\n') && tail.trim() !== '' && !ENDS.test(tail) && GOES_ON.test(next)
}
