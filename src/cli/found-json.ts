/** What a search answers, as JSON: the library's own shape, its entries as every command prints them. */
import type { Found, WhyNot } from '../recall/found.ts'
import { entryJson, warningsJson } from './entry-json.ts'

export function foundJson({ hits, searched, warnings }: Found): object {
  return {
    hits: hits.map(({ entry, score, highlights, alike, why }) => ({
      entry: entryJson(entry),
      score,
      highlights,
      alike,
      ...(why === undefined ? {} : { why }),
    })),
    searched,
    ...warningsJson(warnings),
  }
}

export function whyNotJson({ entry, warnings, ...rest }: WhyNot): object {
  return {
    whyNot: { ...(entry === undefined ? {} : { entry: entryJson(entry) }), ...rest },
    ...warningsJson(warnings),
  }
}
