/**
 * The documents of a segment in which terms stand side by side within one field. The postings say which documents have
 * all of the terms, starting with the rarest; only their token sequences are looked at. There are no positions in the
 * postings: they would double them, and phrases are rare.
 */
import type { Postings, Segment } from './segment.ts'

/** Ascending; removed ones too. */
export function documentsWithPhrase(segment: Segment, terms: readonly string[]): readonly number[] {
  const numbers = terms.map((term) => segment.findTerm(term))
  if (numbers.length === 0 || numbers.some((number) => number < 0)) return []
  const postings = [...new Set(numbers)]
    .map((number) => segment.postings(number))
    .sort((a, b) => a.end - a.start - (b.end - b.start))
  const [rarest, ...others] = postings
  let candidates = rarest === undefined ? [] : Array.from(rarest.documents.subarray(rarest.start, rarest.end))
  for (const other of others) candidates = shared(candidates, other)
  if (numbers.length === 1) return candidates
  const run = numbers.map((number) => number + 1)
  return candidates.filter((document) => hasRun(segment.tokens(document), run))
}

function shared(candidates: readonly number[], postings: Postings): number[] {
  const kept: number[] = []
  let at = postings.start
  for (const candidate of candidates) {
    at = firstNotBefore(postings, at, candidate)
    if (at < postings.end && postings.documents[at] === candidate) kept.push(candidate)
  }
  return kept
}

/** Doubles its stride and then halves it: few candidates skip long postings, many walk along them. */
function firstNotBefore({ documents, end }: Postings, from: number, wanted: number): number {
  let stride = 1
  while (from + stride < end && (documents[from + stride] ?? 0) < wanted) stride *= 2
  let low = from + (stride >>> 1)
  let high = Math.min(from + stride, end)
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((documents[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** A run never crosses a field: the mark between fields is no term. */
function hasRun(tokens: Uint32Array, run: readonly number[]): boolean {
  const last = tokens.length - run.length
  const first = run[0] ?? 0
  for (let start = 0; start <= last; start++) {
    if (tokens[start] !== first) continue
    let matched = 1
    while (matched < run.length && tokens[start + matched] === run[matched]) matched++
    if (matched === run.length) return true
  }
  return false
}
