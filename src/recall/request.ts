/** What is asked for, checked: from here on every value is in its range and every default filled in. */
import { InvalidError, KeepsakeError } from '../errors.ts'
import { type Condition, requireConditions } from '../model/condition.ts'
import type { Scope } from '../model/entry.ts'
import { KIND_NAMES, type Kind, parseKind } from '../model/kinds.ts'
import { wholeNumber } from '../model/number.ts'
import { requireList, requireOptions } from '../model/options.ts'
import { requireInstant } from '../model/time.ts'
import type { SearchOptions } from './found.ts'

export interface SearchRequest {
  readonly text: string
  readonly scopes: readonly Scope[]
  readonly limit: number
  readonly kinds: readonly Kind[]
  /** Whether the history is asked for by name: else what says the same as an archive is left to that one. */
  readonly mirrors: boolean
  readonly since?: string
  readonly until?: string
  readonly where: readonly Condition[]
  readonly minScore: number
  /** Missing: there is none. */
  readonly budgetTokens?: number
  readonly explain: boolean
  readonly nowMs: number
  readonly signal?: AbortSignal
}

const DEFAULT_LIMIT = 5
/** That one search may be asked for. */
export const MOST_HITS = 100
const MOST_TOKENS = 10_000_000
/** What is searched when nothing is said. The identity is in every prompt already. */
const SEARCHED: readonly Kind[] = KIND_NAMES.filter((kind) => kind !== 'identity')

export function searchRequest(
  query: string,
  options: SearchOptions,
  place: { readonly scopes: readonly Scope[]; readonly nowMs: number },
): SearchRequest {
  requireOptions(options)
  const { kinds, since, until, where, explain = false, signal } = options
  requireList(kinds, 'kinds')
  const named = (kinds ?? []).map(parseKind)
  refuseOtherMode(options.mode)
  const from = since === undefined ? undefined : requireInstant(since, 'since')
  const to = until === undefined ? undefined : requireInstant(until, 'until')
  if (from !== undefined && to !== undefined && from >= to) {
    throw new InvalidError('until', 'is not after since', 'an instant after since')
  }
  return {
    text: requireQuery(query),
    ...place,
    limit: wholeNumber(options.limit ?? DEFAULT_LIMIT, 'limit', 1, MOST_HITS),
    kinds: named.length > 0 ? named : SEARCHED,
    mirrors: named.includes('history'),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
    where: requireConditions(where),
    minScore: requireScore(options.minScore ?? 0),
    ...(options.budgetTokens === undefined ? {} : { budgetTokens: budget(options.budgetTokens) }),
    explain: requireFlag(explain, 'explain'),
    ...(signal ? { signal } : {}),
  }
}

function requireQuery(query: unknown): string {
  if (typeof query === 'string' && query.trim() !== '') return query
  throw new InvalidError('query', typeof query === 'string' ? 'is empty' : 'is no text', 'words to search by')
}

function requireScore(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && number >= 0 && number <= 1) return number
  throw new InvalidError('minScore', `${JSON.stringify(value)} is not allowed`, 'a number from 0 to 1')
}

function requireFlag(value: unknown, field: string): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidError(field, `${JSON.stringify(value)} is not allowed`, 'true or false')
}

function budget(value: unknown): number {
  return wholeNumber(value, 'budget', 1, MOST_TOKENS)
}

function refuseOtherMode(mode: unknown): void {
  if (mode === undefined || mode === 'lexical') return
  if (mode === 'semantic' || mode === 'hybrid') {
    throw new KeepsakeError('UNSUPPORTED', `mode ${mode}: search by meaning comes with a later version`, {
      hint: 'Search by words: mode lexical.',
    })
  }
  throw new InvalidError(
    'mode',
    `"${String(mode)}" is not there`,
    'lexical; search by meaning comes with a later version',
  )
}
