/**
 * Two rewrites of one text brought together, line by line. What only one of them changed is taken from that one; what both inserted at
 * one place stands there once where it is the same, else theirs and then ours. Lines that both changed, each in its own way, are
 * for a person to decide. Pure.
 */
import { lineDiff, linesOf } from '../history/line-diff.ts'
import { type Edit, finerEdits, type Place } from './finer-edits.ts'

/** What becomes of the lines at a place that both changed; `undefined`: that can't be said. */
type Decide = (place: Place, ours: readonly Edit[]) => Edit | undefined

/** `undefined`: both changed the same lines. */
export function mergeLines(base: string, theirs: string, ours: string): string | undefined {
  if (theirs === base || theirs === ours) return ours
  if (ours === base) return theirs
  return merged(linesOf(base), editsOf(base, theirs), editsOf(base, ours), () => undefined)
}

/** The same, but lines that both changed are as we have them: what is left to decide, with all else brought together. */
export function mergeLinesAsOurs(base: string, theirs: string, ours: string): string {
  const whole = mergeLines(base, theirs, ours)
  if (whole !== undefined) return whole
  const lines = linesOf(base)
  const finer = (text: string): Edit[] => editsOf(base, text).flatMap((edit) => finerEdits(edit, lines))
  const asOurs: Decide = (place, edits) => ({ ...place, lines: edited(lines, edits, place) })
  return merged(lines, finer(theirs), finer(ours), asOurs) ?? ours
}

function merged(
  lines: readonly string[],
  theirs: readonly Edit[],
  ours: readonly Edit[],
  decide: Decide,
): string | undefined {
  const edits = inOrder(theirs, ours, decide)
  return edits && edited(lines, edits, { start: 0, end: lines.length }).join('\n')
}

/** The lines of a place, after edits that are all within it. */
function edited(lines: readonly string[], edits: readonly Edit[], { start, end }: Place): string[] {
  const out: string[] = []
  let from = start
  for (const edit of edits) {
    for (const line of lines.slice(from, edit.start)) out.push(line)
    for (const line of edit.lines) out.push(line)
    from = edit.end
  }
  return [...out, ...lines.slice(from, end)]
}

function editsOf(base: string, after: string): Edit[] {
  const edits: Edit[] = []
  let [at, start] = [0, 0]
  let lines: string[] | undefined
  const end = (): void => {
    if (lines) edits.push({ start, end: at, lines })
    lines = undefined
  }
  for (const { kind, text } of lineDiff(base, after)) {
    if (kind === 'same') {
      end()
      at++
      continue
    }
    if (!lines) [start, lines] = [at, []]
    if (kind === 'added') lines.push(text)
    else at++
  }
  end()
  return edits
}

/** All edits of both, none over another; `undefined` where that can't be. */
function inOrder(theirs: readonly Edit[], ours: readonly Edit[], decide: Decide): Edit[] | undefined {
  const out: Edit[] = []
  let [t, o] = [0, 0]
  for (;;) {
    const [their, our] = [theirs[t], ours[o]]
    if (!their || !our) return [...out, ...theirs.slice(t), ...ours.slice(o)]
    if (isBefore(their, our)) {
      out.push(their)
      t++
    } else if (isBefore(our, their)) {
      out.push(our)
      o++
    } else {
      const both = together(their, our)
      const place = both ?? contestedPlace(theirs, ours, spanOf(their, our))
      const [endT, endO] = both ? [t + 1, o + 1] : [countUpTo(place, theirs), countUpTo(place, ours)]
      const edit = both ?? decide(place, ours.slice(o, endO))
      if (!edit) return undefined
      out.push(edit)
      t = endT
      o = endO
    }
  }
}

function spanOf(one: Place, other: Place): Place {
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }
}

/** All lines that edits take up which lie over each other, from a place on that two of them share. */
function contestedPlace(theirs: readonly Edit[], ours: readonly Edit[], place: Place): Place {
  const last = [theirs, ours].map((edits) => edits[countUpTo(place, edits) - 1]?.end ?? 0)
  const end = Math.max(place.end, ...last)
  return end > place.end ? contestedPlace(theirs, ours, { ...place, end }) : place
}

/** How many of the edits do not stand after it. */
function countUpTo(place: Place, edits: readonly Edit[]): number {
  const next = edits.findIndex((edit) => isBefore(place, edit))
  return next < 0 ? edits.length : next
}

/** An insertion stands before what becomes of the line that follows it. */
function isBefore(one: Place, other: Place): boolean {
  if (isInsertion(one) && isInsertion(other)) return one.start < other.start
  return one.end <= other.start
}

/** Of two edits at one place. */
function together(their: Edit, our: Edit): Edit | undefined {
  const { start, end } = their
  if (start === our.start && end === our.end && isSame(their.lines, our.lines)) return their
  if (!isInsertion(their) || !isInsertion(our)) return undefined
  if (holds(their.lines, our.lines)) return their
  return { start, end, lines: holds(our.lines, their.lines) ? our.lines : [...their.lines, ...our.lines] }
}

function isInsertion({ start, end }: Place): boolean {
  return start === end
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

/** Whether the lines stand in the others, one after the other. */
function holds(all: readonly string[], lines: readonly string[]): boolean {
  return `\n${all.join('\n')}\n`.includes(`\n${lines.join('\n')}\n`)
}
