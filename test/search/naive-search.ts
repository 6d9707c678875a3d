/** The oracle: BM25F over all documents, from the texts, in the most obvious way. No index, no segments, no cleverness. */
import type { Scoring } from '../../src/search/bm25.ts'
import type { Document } from '../../src/search/document.ts'
import type { Query } from '../../src/search/query.ts'
import { plainAnalyzer } from './plain-analyzer.ts'

export interface NaivePart {
  readonly term: string
  readonly counts: readonly number[]
  readonly documents: number
  readonly score: number
}

export interface NaiveAnswer {
  readonly scores: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, readonly NaivePart[]>
  readonly best: number
}

export function tokensOf(text: string): string[] {
  const terms: string[] = []
  plainAnalyzer.tokens(text, (term) => terms.push(term.toWellFormed()))
  return terms
}

export function naiveLengths(documents: readonly Document[], field: number): { mean: number; deviation: number } {
  if (documents.length === 0) return { mean: 0, deviation: 0 }
  const lengths = documents.map(({ texts }) => tokensOf(texts[field] ?? '').length)
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const variance = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length
  return { mean, deviation: Math.sqrt(variance) }
}

export function naiveSearch(documents: readonly Document[], query: Query, scoring: Scoring): NaiveAnswer {
  const tokenized = documents.map((document) => ({ document, fields: document.texts.map(tokensOf) }))
  const means = scoring.fields.map((_, field) => naiveLengths(documents, field).mean)
  const isPrefixed = (term: string, { prefix, term: exact }: { prefix: string; term: string }): boolean =>
    term.startsWith(prefix.toWellFormed()) || term === exact.toWellFormed()
  const sought = [
    ...query.words.map((word) => ({
      name: word.term,
      weight: word.weight,
      fits: (term: string): boolean => term === word.term.toWellFormed(),
    })),
    ...query.prefixes.map((prefix) => ({
      name: `${prefix.prefix}*`,
      weight: 1,
      fits: (term: string): boolean => isPrefixed(term, prefix),
    })),
  ].map((one) => {
    const documentsWith = tokenized.filter(({ fields }) => fields.some((terms) => terms.some(one.fits))).length
    const idf = Math.log(1 + (documents.length - documentsWith + 0.5) / (documentsWith + 0.5))
    return { ...one, documents: documentsWith, idf }
  })
  const hasPhrase = (fields: readonly string[][], terms: readonly string[]): boolean =>
    fields.some((field) =>
      field.some((_, start) => terms.every((term, index) => field[start + index] === term.toWellFormed())),
    )

  const scores = new Map<string, number>()
  const parts = new Map<string, readonly NaivePart[]>()
  for (const { document, fields } of tokenized) {
    const found = sought.map((one): NaivePart => {
      const counts = fields.map((terms) => terms.filter(one.fits).length)
      let a = 0
      for (const [field, { weight, b }] of scoring.fields.entries()) {
        const count = counts[field] ?? 0
        if (count > 0) a += (weight * count) / (1 - b + (b * (fields[field]?.length ?? 0)) / (means[field] ?? 1))
      }
      const score = a > 0 ? (one.weight * one.idf * a) / (scoring.k1 + a) : 0
      return { term: one.name, counts, documents: one.documents, score }
    })
    parts.set(
      document.id,
      found.filter(({ counts }) => counts.some((count) => count > 0)),
    )
    const wanted = query.phrases.every(({ terms }) => terms.length === 0 || hasPhrase(fields, terms))
    const unwanted = query.not.some((one) => {
      if (one.type === 'prefix') return fields.some((terms) => terms.some((term) => isPrefixed(term, one)))
      if (one.type === 'word') return hasPhrase(fields, [one.term])
      return one.terms.length > 0 && hasPhrase(fields, one.terms)
    })
    const score = found.reduce((sum, part) => sum + part.score, 0)
    if (wanted && !unwanted && score > 0) scores.set(document.id, score)
  }
  return { scores, parts, best: sought.reduce((sum, one) => sum + one.weight * one.idf, 0) }
}

/** The ids of a group in their order: by position, then by id. */
export function naiveGroup(documents: readonly Document[], group: string): string[] {
  return documents
    .filter((document) => document.group === group)
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}
