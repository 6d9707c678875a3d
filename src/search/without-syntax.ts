/** A query as a person would say it: without quotes and stars, and without what it does not want. */
import { LONGEST_QUERY } from './query.ts'
import { clausesOf } from './query-clauses.ts'

export function withoutSyntax(text: string): string {
  const query = text.trim().slice(0, LONGEST_QUERY)
  const clauses = clausesOf(query)
  if (clauses.every(({ type, negated }) => type === 'text' && !negated)) return query
  const wanted = clauses.filter(({ negated }) => !negated)
  // A query of exclusions alone is searched for as text: see parseQuery.
  return (wanted.length === 0 ? clauses : wanted).map((clause) => clause.text).join(' ')
}
