/**
 * An edit of several lines as edits of single ones: each line goes with the one that it became, which says about the same. So lines that
 * were merely beside a changed one, or were added after it, are told apart from it. Pure.
 */
export interface Place {
  /** Lines from `start` up to `end`. */
  readonly start: number
  readonly end: number
}

/** What the lines of a place became; where it has none, lines that were inserted. */
export interface Edit extends Place {
  readonly lines: readonly string[]
}

/** Of the words of a line and of the one that it became, how many must be in both. */
const LEAST_SHARED = 0.5
/** Lines of the one times lines of the other: more are left as they are. */
const MOST_PAIRS = 40_000

export function finerEdits({ start, end, lines: after }: Edit, lines: readonly string[]): readonly Edit[] {
  const before = lines.slice(start, end)
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  const edit = (toI: number, toJ: number): void => {
    if (toI > i || toJ > j) edits.push({ start: start + i, end: start + toI, lines: after.slice(j, toJ) })
    ;[i, j] = [toI, toJ]
  }
  for (const [pairI, pairJ] of pairsOf(before, after)) {
    edit(pairI, pairJ)
    edit(pairI + 1, pairJ + 1)
  }
  edit(before.length, after.length)
  return edits
}

/** In order, so that all pairs together share the most. */
function pairsOf(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  if (before.length * after.length > MOST_PAIRS) return []
  const [olds, news] = [before.map(wordsOf), after.map(wordsOf)]
  const shared = olds.map((old) => news.map((now) => sharedPart(old, now)))
  const at = (table: readonly (readonly number[])[], i: number, j: number): number => table[i]?.[j] ?? 0
  // What the lines from `i` and `j` on can share at most, from the last ones on.
  const best: number[][] = before.map(() => [])
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const paired = at(shared, i, j) > 0 ? at(shared, i, j) + at(best, i + 1, j + 1) : 0
      ;(best[i] as number[])[j] = Math.max(paired, at(best, i + 1, j), at(best, i, j + 1)) // made above
    }
  }
  const pairs: [number, number][] = []
  for (let [i, j] = [0, 0]; i < before.length && j < after.length; ) {
    if (at(shared, i, j) > 0 && at(best, i, j) === at(shared, i, j) + at(best, i + 1, j + 1)) pairs.push([i++, j++])
    else if (at(best, i, j) === at(best, i + 1, j)) i++
    else j++
  }
  return pairs
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

/** 0 where it is too little. */
function sharedPart(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((word) => other.has(word)).length
  const part = (2 * both) / Math.max(one.size + other.size, 1)
  return part < LEAST_SHARED ? 0 : part
}
