/** How tokens of a query become its parts: words, phrases and prefixes. */
import { classAt, MARK, PAIRED, widthAt } from './char-class.ts'
import { fold } from './fold.ts'
import type { QueryPhrase, QueryPrefix, QueryWord } from './query.ts'
import type { Clause } from './query-clauses.ts'
import { scan } from './scan.ts'

export type QueryPart = QueryWord | QueryPhrase | QueryPrefix

export interface QueryToken {
  readonly term: string
  readonly start: number
  readonly end: number
  /** For the whole of a compound; these lie within it. */
  readonly parts: QueryToken[]
}

/** A longer phrase is text, and excludes nothing: it can hardly occur. */
const LONGEST_PHRASE = 64

/** A word or the whole of a compound; several words are excluded as a phrase. */
export function excludedBy(clause: Clause, tokens: readonly QueryToken[]): QueryPart | undefined {
  const [only] = tokens
  if (only === undefined) return undefined
  if (tokens.length === 1 && isLonePaired(clause.text, only)) return prefixOf(clause.text, only, '')
  if (clause.type === 'phrase' || tokens.length > 1) return requiredBy(clause.text, tokens)
  return clause.type === 'prefix' ? prefixOf(clause.text, only, '*') : wordOf(clause.text, only, 1)
}

/** Two parts that ask for the same have the same key. */
export function keyOf(part: QueryPart): string {
  if (part.type === 'phrase') return JSON.stringify(part.terms)
  return part.type === 'prefix' ? `${part.prefix}*` : part.term
}

export function wordOf(text: string, { term, start, end }: QueryToken, weight: number): QueryWord {
  return { type: 'word', text: text.slice(start, end), term, weight }
}

/** The phrase that must occur; none where it could not, or where the index has its one character only in pairs. */
export function requiredBy(text: string, tokens: readonly QueryToken[]): QueryPhrase | undefined {
  const [first] = tokens
  if (first === undefined || (tokens.length === 1 && isLonePaired(text, first))) return undefined
  const terms = tokens.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)])
  return terms.length > LONGEST_PHRASE ? undefined : { type: 'phrase', text: `"${text.trim()}"`, terms }
}

export function prefixOf(text: string, { term, start, end }: QueryToken, star: string): QueryPrefix {
  const surface = text.slice(start, end)
  return { type: 'prefix', text: surface + star, prefix: formOf(surface), term }
}

/** A word or compound as the index has it, but not stemmed. */
function formOf(surface: string): string {
  let form = ''
  const takeFirst = (found: string) => {
    form ||= fold(found)
  }
  scan(
    surface,
    { englishApostrophes: true },
    {
      word: (start, end) => takeFirst(surface.slice(start, end)),
      compound: takeFirst,
      gram: (start, end) => takeFirst(surface.slice(start, end)),
    },
  )
  return form
}

/** One character of a script that is indexed in pairs, with its marks. */
export function isLonePaired(text: string, { start, end }: QueryToken): boolean {
  if (classAt(text, start) !== PAIRED) return false
  let at = start + widthAt(text, start)
  while (at < end && classAt(text, at) === MARK) at += widthAt(text, at)
  return at === end
}
