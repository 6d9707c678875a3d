/**
 * The terms that are spelled most like one that stands nowhere, for "did you mean". Only terms with the same first letter
 * and about the same length are compared, and each comparison is given up as soon as it is over two edits.
 */
import type { SearchIndex } from './search-index.ts'
import { decode } from './utf8.ts'

const MOST_EDITS = 2
/** Longer ones are no words that anybody mistypes. */
const LONGEST = 64

/** By edits (a swap of two letters is one), then by how many documents have them, then by themselves. */
export function nearestTerms(indexes: readonly SearchIndex[], term: string, limit: number): string[] {
  const wanted = [...term.toWellFormed()]
  const first = wanted[0]
  // Of a word of two letters, two edits leave nothing.
  const edits = Math.min(MOST_EDITS, Math.floor(wanted.length / 2))
  if (first === undefined || edits === 0 || wanted.length > LONGEST) return []
  const found = new Map<string, { readonly distance: number; documents: number }>()
  for (const segment of indexes.flatMap((index) => index.segments())) {
    for (const number of segment.termsWithPrefix(first)) {
      const documents = segment.documentsWith(number)
      const bytes = segment.termBytes(number)
      if (documents <= 0 || bytes.length > 4 * (wanted.length + edits)) continue
      const text = decode(bytes)
      const known = found.get(text)
      if (known) known.documents += documents
      const distance = known ? 0 : editDistance(wanted, [...text], edits)
      if (distance > 0 && distance <= edits) found.set(text, { distance, documents })
    }
  }
  return [...found]
    .sort(([a, x], [b, y]) => x.distance - y.distance || y.documents - x.documents || (a < b ? -1 : 1))
    .slice(0, Math.max(0, limit))
    .map(([text]) => text)
}

/** How many letters to add, drop, change or swap; `most` + 1 for anything above `most`. */
export function editDistance(a: readonly string[], b: readonly string[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = new Array<number>(b.length + 1).fill(most + 1)
    current[0] = row
    let least = row
    for (let column = Math.max(1, row - most); column <= Math.min(b.length, row + most); column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
      }
      current[column] = cost
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    beforeLast = last
    last = current
  }
  return Math.min(last[b.length] ?? 0, most + 1)
}
