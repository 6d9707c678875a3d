/** What is asked for, checked: from here on every value is in its range and every default filled in. */
import { InvalidError } from '../errors.ts'
import { type Condition, requireConditions } from '../model/condition.ts'
import type { Scope } from '../model/entry.ts'
import { KIND_NAMES, type Kind, parseKind } from '../model/kinds.ts'
import { wholeNumber } from '../model/number.ts'
import { requireList } from '../model/options.ts'
import { requireInstant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import type { SearchMode, SearchOptions } from './found.ts'
import { SEARCH_MODES } from './search-modes.ts'
import { LEAST_COSINE } from './settings.ts'

/** What is asked for, before it is known whether it can be searched for by meaning. */
export interface AskedRequest {
  readonly text: string
  /** What is searched for by meaning; missing: the query. */
  readonly meant?: string
  /** The one that was named. */
  readonly named?: SearchMode
  readonly preferredMode: 'semantic' | 'hybrid'
  readonly scopes: readonly Scope[]
  readonly limit: number
  readonly kinds: readonly Kind[]
  /** Whether the history is asked for by name: else what says the same as an archive is left to that one. */
  readonly mirrors: boolean
  readonly since?: string
  readonly until?: string
  readonly where: readonly Condition[]
  /** Missing: as the mode has it. */
  readonly minScore?: number
  /** Of what has no word of the query. */
  readonly minCosine: number
  /** Missing: there is none. */
  readonly budgetTokens?: number
  readonly explain: boolean
  readonly nowMs: number
  readonly signal?: AbortSignal
  /** See CallOptions. */
  readonly askedAtMs: number
}

export interface SearchRequest extends AskedRequest {
  readonly mode: SearchMode
  readonly minScore: number
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
): AskedRequest {
  const { kinds, since, until, where, explain = false, signal } = options
  requireList(kinds, 'kinds')
  const named = (kinds ?? []).map(parseKind)
  const from = since === undefined ? undefined : requireInstant(since, 'since')
  const to = until === undefined ? undefined : requireInstant(until, 'until')
  if (from !== undefined && to !== undefined && from >= to) {
    throw new InvalidError('until', 'is not after since', 'an instant after since')
  }
  return {
    text: requireText(query, 'query'),
    ...(options.meant === undefined ? {} : { meant: requireText(options.meant, 'meant') }),
    ...(options.mode === undefined ? {} : { named: requireMode(options.mode, 'mode', SEARCH_MODES) }),
    preferredMode: requireMode(options.preferredMode ?? 'hybrid', 'preferredMode', ['semantic', 'hybrid']),
    ...place,
    limit: wholeNumber(options.limit ?? DEFAULT_LIMIT, 'limit', 1, MOST_HITS),
    kinds: named.length > 0 ? named : SEARCHED,
    mirrors: named.includes('history'),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
    where: requireConditions(where),
    ...(options.minScore === undefined ? {} : { minScore: requireNumber(options.minScore, 'minScore', 0) }),
    minCosine: requireNumber(options.minCosine ?? LEAST_COSINE, 'minCosine', -1),
    ...(options.budgetTokens === undefined ? {} : { budgetTokens: budget(options.budgetTokens) }),
    explain: requireFlag(explain, 'explain'),
    ...(signal ? { signal } : {}),
    askedAtMs: options.askedAtMs ?? performance.now(),
  }
}

/** What every call to the store is given for the sake of this question. */
export function callOf({ signal, askedAtMs }: Pick<AskedRequest, 'signal' | 'askedAtMs'>): CallOptions {
  return { askedAtMs, ...(signal ? { signal } : {}) }
}

/** The same, once it is known how it is searched for. */
export function inMode(asked: AskedRequest, mode: SearchMode): SearchRequest {
  return { ...asked, mode, minScore: asked.minScore ?? (mode === 'semantic' ? LEAST_COSINE : 0) }
}

function requireText(value: unknown, field: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new InvalidError(field, typeof value === 'string' ? 'is empty' : 'is no text', 'words to search by')
}

function requireNumber(value: unknown, field: string, least: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && number >= least && number <= 1) return number
  throw new InvalidError(field, `${JSON.stringify(value)} is not allowed`, `a number from ${least} to 1`)
}

function requireFlag(value: unknown, field: string): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidError(field, `${JSON.stringify(value)} is not allowed`, 'true or false')
}

function budget(value: unknown): number {
  return wholeNumber(value, 'budget', 1, MOST_TOKENS)
}

function requireMode<T extends SearchMode>(value: unknown, field: string, allowed: readonly T[]): T {
  const mode = allowed.find((one) => one === value)
  if (mode === undefined) throw new InvalidError(field, `"${String(value)}" is not a mode`, allowed.join(', '))
  return mode
}
