/**
 * Two rewrites of one text brought together, line by line. What only one of them changed is taken from that one; what both inserted at
 * one place stands there once where it is the same, else theirs and then ours. Lines that both changed, each in its own way, are
 * for a person to decide. Pure.
 */
import { lineDiff, linesOf } from '../history/line-diff.ts'

/** Lines of the base from `start` up to `end` that became `lines`; where both are equal, lines that were inserted. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** `undefined`: both changed the same lines. */
export function mergeLines(base: string, theirs: string, ours: string): string | undefined {
  if (theirs === base || theirs === ours) return ours
  if (ours === base) return theirs
  const edits = inOrder(editsOf(base, theirs), editsOf(base, ours))
  if (edits === undefined) return undefined
  const lines = linesOf(base)
  const merged: string[] = []
  let from = 0
  for (const edit of edits) {
    for (const line of lines.slice(from, edit.start)) merged.push(line)
    for (const line of edit.lines) merged.push(line)
    from = edit.end
  }
  return [...merged, ...lines.slice(from)].join('\n')
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
function inOrder(theirs: readonly Edit[], ours: readonly Edit[]): Edit[] | undefined {
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
      if (!both) return undefined
      out.push(both)
      t++
      o++
    }
  }
}

/** An insertion stands before what becomes of the line that follows it. */
function isBefore(one: Edit, other: Edit): boolean {
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

function isInsertion({ start, end }: Edit): boolean {
  return start === end
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

/** Whether the lines stand in the others, one after the other. */
function holds(all: readonly string[], lines: readonly string[]): boolean {
  return `\n${all.join('\n')}\n`.includes(`\n${lines.join('\n')}\n`)
}
