/**
 * Splits a query into what stands in it: plain text, `"phrases"`, `prefix*`, and each of them with `-` in front. People
 * paste commands, prose and code here, so whatever is not clearly meant as syntax is text, and nothing is an error.
 */
import { CAPITAL, classAt, DIGIT, LETTER, OTHER, PAIRED, PICTOGRAPH } from './char-class.ts'

export interface Clause {
  readonly type: 'text' | 'phrase' | 'prefix'
  /** Without quotes, star and minus. */
  readonly text: string
  readonly negated: boolean
}

/** Phrases, prefixes and exclusions that a query may have; further ones are text. Each costs work on every document. */
const MOST_SPECIAL_CLAUSES = 32

const SPACE = /\s/
const QUOTES = '"\u201c\u201d\u201e\uff02'
const OPENING = '([{'
const CLOSING = ',;:.!?)]}'

export function clausesOf(query: string): Clause[] {
  const clauses: Clause[] = []
  let special = 0
  let at = 0
  while (at < query.length) {
    if (SPACE.test(query[at] ?? '') || OPENING.includes(query[at] ?? '')) {
      at++
      continue
    }
    if (isQuote(query, at) && endOfPhrase(query, at) === undefined) {
      at++
      continue
    }
    const { clause, end } = readPhrase(query, at) ?? readItem(query, at)
    at = end
    if (clause.type !== 'text' || clause.negated) special++
    clauses.push(special > MOST_SPECIAL_CLAUSES ? asText(clause) : clause)
  }
  return clauses
}

export function asText(clause: Clause): Clause {
  return { type: 'text', text: clause.text, negated: false }
}

interface Read {
  readonly clause: Clause
  readonly end: number
}

function readPhrase(query: string, start: number): Read | undefined {
  const negated = query[start] === '-' && standsFree(query, start)
  const open = negated ? start + 1 : start
  const close = isQuote(query, open) ? endOfPhrase(query, open) : undefined
  if (close === undefined) return undefined
  return { clause: { type: 'phrase', text: query.slice(open + 1, close), negated }, end: close + 1 }
}

/** Where the quote closes that opens at `open`. One that never does is the last of the query, so this is looked for once. */
function endOfPhrase(query: string, open: number): number | undefined {
  for (let close = open + 1; close < query.length; close++) if (isQuote(query, close)) return close
  return undefined
}

/** Up to the next white space. */
function readItem(query: string, start: number): Read {
  let end = start
  while (end < query.length && !SPACE.test(query[end] ?? '')) end++
  const negated = isNegation(query, start, end)
  const text = query.slice(negated ? start + 1 : start, end)
  const prefix = prefixIn(text)
  if (prefix !== undefined) return { clause: { type: 'prefix', text: prefix, negated }, end }
  return { clause: { type: 'text', text, negated }, end }
}

/** `-word`, but neither `--force` nor `-5` nor `-O2`. */
function isNegation(query: string, start: number, end: number): boolean {
  if (query[start] !== '-' || !standsFree(query, start)) return false
  const first = classAt(query, start + 1)
  if (first !== LETTER && first !== CAPITAL && first !== PAIRED) return false
  for (let at = start + 1; at < end; at++) if (classAt(query, at) === DIGIT) return false
  return true
}

function standsFree(query: string, at: number): boolean {
  return at === 0 || SPACE.test(query[at - 1] ?? '')
}

/** What stands before the star of `deploy*`, when it is the only one, right after a letter or digit, and at the end. */
function prefixIn(item: string): string | undefined {
  const star = item.indexOf('*')
  if (star < 1) return undefined
  for (let at = star + 1; at < item.length; at++) if (!CLOSING.includes(item[at] ?? '')) return undefined
  return endsInWord(item, star) ? item.slice(0, star) : undefined
}

function endsInWord(item: string, end: number): boolean {
  // A low surrogate alone has no class: look at the pair.
  const kind = classAt(item, isLowSurrogate(item.charCodeAt(end - 1)) ? end - 2 : end - 1)
  return kind !== OTHER && kind !== PICTOGRAPH
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function isQuote(query: string, at: number): boolean {
  return at < query.length && QUOTES.includes(query[at] ?? '')
}
