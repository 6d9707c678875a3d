/**
 * Where a query's words, prefixes and phrases stand in a text, as ranges of UTF-16 units. It looks at the text alone, not
 * at the index, so it is asked only for the few texts that are shown.
 */
import type { Analyzer } from './analyzer.ts'
import type { Query, QueryPhrase, QueryPrefix, QueryWord } from './query.ts'

type Range = [start: number, end: number]

export type QueryPart = QueryWord | QueryPrefix | QueryPhrase

/** In order; those that overlap or touch are one. What of the query stands there goes into `met`. */
export function highlights(
  text: string,
  query: Query,
  analyzer: Analyzer,
  met: Set<QueryPart> = new Set<QueryPart>(),
): Range[] {
  const words = new Map(query.words.map((word) => [word.term, word]))
  const prefixOf = prefixMatcher(query.prefixes)
  const terms: string[] = []
  const places: Range[] = []
  const found: Range[] = []
  analyzer.tokens(text, (term, start, end) => {
    const part = words.get(term) ?? prefixOf(term)
    if (part !== undefined) {
      met.add(part)
      found.push([start, end])
    }
    if (query.phrases.length === 0) return
    terms.push(term)
    places.push([start, end])
  })
  for (const phrase of query.phrases) {
    for (const [first, last] of runsOf(phrase.terms, terms)) {
      const ends = places.slice(first, last + 1).map(([, end]) => end)
      met.add(phrase)
      found.push([places[first]?.[0] ?? 0, Math.max(...ends)])
    }
  }
  return merged(found)
}

/** By the few lengths that prefixes have, so that many prefixes cost no more than one. */
function prefixMatcher(prefixes: readonly QueryPrefix[]): (term: string) => QueryPrefix | undefined {
  const spellings = new Map(prefixes.map((prefix) => [prefix.prefix, prefix]))
  const stems = new Map(prefixes.map((prefix) => [prefix.term, prefix]))
  const lengths = [...new Set(prefixes.map(({ prefix }) => prefix.length))]
  return (term) => {
    const stem = stems.get(term)
    if (stem !== undefined) return stem
    const length = lengths.find((length) => spellings.has(term.slice(0, length)))
    return length === undefined ? undefined : spellings.get(term.slice(0, length))
  }
}

/** Where `phrase` stands in `terms`: the first and last place of each. */
function* runsOf(phrase: readonly string[], terms: readonly string[]): Generator<[first: number, last: number]> {
  const [head] = phrase
  if (head === undefined) return
  for (let first = terms.indexOf(head); first >= 0; first = terms.indexOf(head, first + 1)) {
    if (phrase.every((term, at) => terms[first + at] === term)) yield [first, first + phrase.length - 1]
  }
}

function merged(ranges: Range[]): Range[] {
  ranges.sort(([a], [b]) => a - b)
  const result: Range[] = []
  for (const [start, end] of ranges) {
    const last = result.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else result.push([start, end])
  }
  return result
}
