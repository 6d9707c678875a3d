/** What was searched and how the query was understood, so that an answer explains itself, above all an empty one. */
import { LONGEST_QUERY, type Query, type QueryPhrase, type QueryPrefix, type QueryWord } from '../search/query.ts'
import type { Searched, Understood } from './found.ts'
import type { Ranking } from './rank.ts'
import type { SearchRequest } from './request.ts'

export function searchedOf(request: SearchRequest, query: Query, ranking: Ranking, omitted: number): Searched {
  const { mode, text, scopes, kinds, since, until, where } = request
  return {
    mode,
    ...(ranking.vectors ? { vectors: ranking.vectors } : {}),
    query: text,
    understood: { ...understoodOf(query), ...(text.length > LONGEST_QUERY ? { cut: LONGEST_QUERY } : {}) },
    scopes,
    kinds,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(where.length === 0 ? {} : { where }),
    entries: ranking.entries,
    ...(ranking.eligible === undefined ? {} : { eligible: ranking.eligible }),
    matched: ranking.matched,
    omitted,
    nearest: ranking.nearest,
  }
}

function understoodOf({ words, phrases, prefixes, not, ignored }: Query): Understood {
  return {
    words: words.map(textOf),
    phrases: phrases.map(textOf),
    prefixes: prefixes.map(textOf),
    not: not.map(textOf),
    ignored,
  }
}

function textOf({ text }: QueryWord | QueryPhrase | QueryPrefix): string {
  return text
}
