/** A score, part by part, as it is shown to who asks why. */
import type { Matches } from '../search/matches.ts'
import type { Query } from '../search/query.ts'
import { isDateWord } from './date-words.ts'
import { FIELDS } from './entry-document.ts'
import type { Exact } from './exact-entry.ts'
import type { Why, WordPart } from './found.ts'
import type { Weighed } from './weighed.ts'

export function whyOf(matches: Matches, query: Query, { doc, score, parts }: Weighed, exact: Exact | undefined): Why {
  const { points, ...rest } = parts
  const words = parts.byWords === 0 ? [] : wordParts(matches, query, doc, points)
  return { ...(exact?.id === matches.id(doc) ? { exact: exact.by } : {}), words, ...rest, score }
}

function wordParts(matches: Matches, query: Query, doc: number, points: readonly number[] | undefined): WordPart[] {
  const columns = [...query.words.map(({ term }) => term), ...query.prefixes.map(({ prefix }) => `${prefix}*`)]
  return matches.explain(doc).map(({ text, term, counts, documents, score: alone }) => ({
    text,
    term: isDateWord(term) ? 'date' : term,
    counts: Object.fromEntries(FIELDS.map((field, n) => [field, counts[n] ?? 0] as const).filter(([, n]) => n > 0)),
    documents,
    score: points ? (points[columns.indexOf(term)] ?? 0) : alone,
  }))
}
