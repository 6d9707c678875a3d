/**
 * What was searched, in words: for an empty answer all there is to say, so it says how the query was understood, what comes
 * near, and what to loosen. The same for a model and a person but for how an option is called.
 */
import { conditionText } from '../model/condition.ts'
import { KIND_NAMES } from '../model/kinds.ts'
import { localTime } from '../model/time.ts'
import type { Searched, SearchMode, Understood } from '../recall/found.ts'

/** How an option is called where the text is read: `--since` on a command line, `since` by a model. */
export type Called = (option: string) => string

/** A query may be of any length; a sentence may not. */
const MOST_CHARACTERS = 80
const MOST_WORDS = 20

/** `7 of 42 entries (kind note, since 2026-11-09 00:00)`. */
export function searchedText(searched: Searched, zone: string): string {
  const { entries, eligible = entries } = searched
  const count = `${eligible === entries ? '' : `${eligible} of `}${entries} ${entries === 1 ? 'entry' : 'entries'}`
  const filters = filtersOf(searched, zone).map(({ text }) => text)
  return filters.length === 0 ? count : `${count} (${filters.join(', ')})`
}

/** How it was searched. */
export const MODE_TEXTS: Readonly<Record<SearchMode, string>> = {
  lexical: 'by words',
  semantic: 'by meaning',
  hybrid: 'by words and meaning',
}

/** What keeps a search from finding all that it could find by meaning, as sentences. */
export function meaningText({ vectors, wordsOnly }: Searched): string[] {
  const { pending = 0, refused = 0 } = vectors ?? {}
  return [
    ...(wordsOnly === undefined ? [] : [wordsOnly]),
    ...(pending === 0 ? [] : [`${haveEntries(pending)} no vector yet.`]),
    ...(refused === 0 ? [] : [`${haveEntries(refused)} no vector: the model does not take the text.`]),
  ]
}

function haveEntries(count: number): string {
  return count === 1 ? '1 entry has' : `${count} entries have`
}

/** Sentences, one a line. */
export function nothingFoundText(searched: Searched, zone: string, called: Called): string {
  const filters = filtersOf(searched, zone).map(({ option }) => called(option))
  return [
    ...foundNothing(searched, zone),
    ...understoodText(searched.understood),
    ...nearestText(searched),
    ...meaningText(searched),
    ...advice(searched, filters, called),
  ].join('\n')
}

function foundNothing(searched: Searched, zone: string): string[] {
  const { query, entries, eligible = entries, matched, omitted } = searched
  if (entries === 0) return ['There is nothing to search.']
  if (eligible === 0) return [`Nothing to search was let through: ${searchedText(searched, zone)}.`]
  const nothing = `Nothing found for "${cut(query)}" in ${searchedText(searched, zone)}`
  if (matched === 0) return [`${nothing}.`]
  return [`${nothing}: ${matched} would match, but ${omitted > 0 ? 'the budget has no room' : 'the score is too low'}.`]
}

/** How the query was understood, part by part; parts that it does not have are left out. */
export function understoodParts(understood: Understood): readonly (readonly [string, string])[] {
  const { words, phrases, prefixes, not, ignored } = understood
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['words', words],
    ['phrases', phrases],
    ['beginnings', prefixes],
    ['without', not],
    ['too common', ignored],
  ]
  return parts.flatMap(([called, texts]) => (texts.length === 0 ? [] : [[called, listed(texts)] as const]))
}

function understoodText(understood: Understood): string[] {
  const { words, phrases, prefixes } = understood
  if (words.length + phrases.length + prefixes.length === 0) return ['The query has no word to search by.']
  return [
    ...(understood.cut === undefined ? [] : [`Only the first ${understood.cut} characters of the query were read.`]),
    `Understood as ${understoodParts(understood)
      .map(([called, texts]) => `${called}: ${texts}`)
      .join('; ')}.`,
  ]
}

/** Which words of the query stand nowhere, and what comes near them. */
export function nearestText({ nearest }: Searched): string[] {
  return nearest
    .slice(0, MOST_WORDS)
    .map(
      ({ text, nearest: near }) =>
        `"${cut(text)}" stands nowhere${near.length === 0 ? '' : `; near: ${near.join(', ')}`}.`,
    )
}

function advice(
  { entries, eligible = entries, matched, omitted, understood }: Searched,
  filters: readonly string[],
  called: Called,
): string[] {
  if (matched > 0) return [omitted > 0 ? `Raise ${called('budget')}.` : `Lower ${called('min-score')}.`]
  const { phrases, not } = understood
  return [
    ...(eligible > 0 && phrases.length > 0
      ? ['Words in quotes must stand together; without the quotes they need not.']
      : []),
    ...(eligible > 0 && not.length > 0 ? [`What has ${listed(not)} is left out.`] : []),
    ...(entries > 0 && filters.length > 0 ? [`More is searched without ${filters.join(' or ')}.`] : []),
  ]
}

interface Filter {
  readonly option: string
  readonly text: string
}

function filtersOf({ kinds, since, until, where = [] }: Searched, zone: string): Filter[] {
  // The identity is left out unless it is asked for: its absence is no filter of the caller's.
  const allKinds = KIND_NAMES.every((kind) => kind === 'identity' || kinds.includes(kind))
  return [
    ...(allKinds ? [] : [{ option: 'kind', text: `kind ${kinds.join(' or ')}` }]),
    ...(since === undefined ? [] : [{ option: 'since', text: `since ${timeText(since, zone)}` }]),
    ...(until === undefined ? [] : [{ option: 'until', text: `until ${timeText(until, zone)}` }]),
    ...(where.length === 0 ? [] : [{ option: 'where', text: `where ${where.map(conditionText).join(' and ')}` }]),
  ]
}

function timeText(at: string, zone: string): string {
  const { day, time } = localTime(at, zone)
  return `${day} ${time}`
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_WORDS).map(cut).join(', ')
  return texts.length > MOST_WORDS ? `${shown} and ${texts.length - MOST_WORDS} more` : shown
}

function cut(text: string): string {
  const line = text.slice(0, 1000).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= MOST_CHARACTERS ? line : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}
