/**
 * What became of a text, line by line: Myers' greedy O(ND), so the fewest lines that can be removed and added. Pure.
 * Invariant: what is not removed gives `after`, what is not added gives `before`. Texts that have next to nothing in common
 * would cost the square of their length; past a limit all of it counts as replaced, which is what a person sees there too.
 */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Lines that changed, with what stands around them. */
export interface Hunk {
  /** The first line of it in the old text, from 1; of an empty text, 0. */
  readonly before: number
  /** As `before`, in the new text. */
  readonly after: number
  readonly lines: readonly DiffLine[]
}

/** At this many, the trace takes 16 MB. */
const MOST_EDITS = 2000

const CONTEXT_LINES = 3

/** Between two lines that stayed, what was removed stands before what was added. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  return [
    ...ofKind('same', now.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...ofKind('same', now.slice(now.length - tail)),
  ]
}

/** An empty text has no line, not an empty one. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

/** Changes that are close to each other share a hunk. */
export function hunksOf(lines: readonly DiffLine[], context: number = CONTEXT_LINES): readonly Hunk[] {
  const hunks: Hunk[] = []
  const changed = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]))
  let [first, last] = [changed[0], changed[0]]
  for (const index of [...changed.slice(1), undefined]) {
    if (first === undefined || last === undefined) break
    if (index !== undefined && index - last <= 2 * context + 1) {
      last = index
      continue
    }
    hunks.push(hunkAt(lines, Math.max(0, first - context), last + context + 1))
    first = last = index
  }
  return hunks
}

function hunkAt(all: readonly DiffLine[], from: number, to: number): Hunk {
  const [preceding, lines] = [all.slice(0, from), all.slice(from, to)]
  const startOf = (other: DiffLine['kind']): number => {
    const count = preceding.filter(({ kind }) => kind !== other).length
    return lines.some(({ kind }) => kind !== other) ? count + 1 : count
  }
  return { before: startOf('added'), after: startOf('removed'), lines }
}

function ofKind(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }))
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const trace = old.length === 0 || now.length === 0 ? undefined : shortestEdit(old, now)
  return trace ? replay(old, now, trace) : [...ofKind('removed', old), ...ofKind('added', now)]
}

/**
 * How far into the old text each diagonal (old index minus new index) gets with 0, 1, 2 … edits, until both ends are
 * reached: one row an edit, diagonal `k` at `k + edits`. None when that takes too many.
 */
function shortestEdit(old: readonly string[], now: readonly string[]): readonly Int32Array[] | undefined {
  const trace: Int32Array[] = []
  let last = new Int32Array(0)
  for (let edits = 0; edits <= Math.min(MOST_EDITS, old.length + now.length); edits++) {
    const row = new Int32Array(2 * edits + 1)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = edits === 0 ? 0 : furthest(last, diagonal, edits - 1)
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
      row[diagonal + edits] = x
      if (x >= old.length && x - diagonal >= now.length) return [...trace, row]
    }
    trace.push(row)
    last = row
  }
  return undefined
}

/** Where one more edit leads on this diagonal: down (a line added) from the one above, or right (removed) from below. */
function furthest(last: Int32Array, diagonal: number, edits: number): number {
  return comesFromAbove(last, diagonal, edits) ? at(last, diagonal + 1, edits) : at(last, diagonal - 1, edits) + 1
}

function comesFromAbove(last: Int32Array, diagonal: number, edits: number): boolean {
  return at(last, diagonal - 1, edits) < at(last, diagonal + 1, edits)
}

function at(row: Int32Array, diagonal: number, edits: number): number {
  return row[diagonal + edits] ?? -1
}

/** Walks the trace backwards. */
function replay(old: readonly string[], now: readonly string[], trace: readonly Int32Array[]): DiffLine[] {
  const out: DiffLine[] = []
  const block: { removed: DiffLine[]; added: DiffLine[] } = { removed: [], added: [] }
  const endBlock = (): void => {
    out.push(...block.added.splice(0), ...block.removed.splice(0))
  }
  let [x, y] = [old.length, now.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const last = trace[edits - 1]
    const diagonal = x - y
    const added = last !== undefined && comesFromAbove(last, diagonal, edits - 1)
    const start = last === undefined ? 0 : furthest(last, diagonal, edits - 1)
    if (x > start) endBlock()
    while (x > start) {
      x--
      y--
      out.push({ kind: 'same', text: old[x] ?? '' })
    }
    if (last === undefined) break
    if (added) block.added.push({ kind: 'added', text: now[--y] ?? '' })
    else block.removed.push({ kind: 'removed', text: old[--x] ?? '' })
  }
  endBlock()
  return out.reverse()
}
