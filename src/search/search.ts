/**
 * Every document that a query brings up, with its score. The words of the query are added up in one order for every
 * document, and all statistics are sums over the live documents of just the indexes asked: the same documents give the
 * same scores to the bit in every process, however they are spread over segments.
 */
import { InvalidError } from '../errors.ts'
import { normsOf, type Scoring } from './bm25.ts'
import { lengthsOf } from './lengths.ts'
import { Matches } from './matches.ts'
import type { Query } from './query.ts'
import type { SearchIndex } from './search-index.ts'
import { liveDocuments, type Segment } from './segment.ts'
import { seekPrefix, seekWord } from './sought.ts'

export type { SoughtPrefix, SoughtWord } from './sought.ts'

export interface SearchRequest {
  /** Statistics are summed over just these. */
  readonly indexes: readonly SearchIndex[]
  readonly query: Query
  readonly scoring: Scoring
}

export function search({ indexes, query, scoring }: SearchRequest): Matches {
  requireFields(indexes, scoring)
  const segments = indexes.flatMap((index) => index.segments())
  const total = segments.reduce((sum, segment) => sum + liveDocuments(segment), 0)
  const means = scoring.fields.map((_, field) => lengthsOf(segments, field).mean)
  return new Matches({
    query,
    segments,
    bases: basesOf(segments),
    total,
    words: query.words.map((word) => seekWord(word, segments, total)),
    prefixes: query.prefixes.map((prefix) => seekPrefix(prefix, segments, total)),
    norms: normsOf(scoring, means),
  })
}

function requireFields(indexes: readonly SearchIndex[], scoring: Scoring): void {
  for (const { schema } of indexes) {
    if (schema.fields.length === scoring.fields.length) continue
    const allowed = `one for each of ${schema.fields.join(', ')}`
    throw new InvalidError('scoring.fields', `${scoring.fields.length} given`, allowed)
  }
}

function basesOf(segments: readonly Segment[]): Uint32Array {
  const bases = new Uint32Array(segments.length + 1)
  for (const [which, segment] of segments.entries()) bases[which + 1] = (bases[which] ?? 0) + segment.documents
  return bases
}
