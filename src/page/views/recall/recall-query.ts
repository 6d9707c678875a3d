/**
 * What is searched for: as the address has it, and as the server is asked. Pure. The address has one value a name, so kinds stand there
 * with commas between them and conditions a line each; what is the default stands nowhere.
 */
import { isKind, type Kind } from '../../../model/kinds.ts'
import type { SearchMode } from '../../../recall/found.ts'

export interface RecallQuery {
  readonly text: string
  /** None: all that a search looks at by itself. */
  readonly kinds: readonly Kind[]
  /** Days, both part of the span. */
  readonly since: string
  readonly until: string
  /** As they are written, such as `priority>=3`. */
  readonly where: readonly string[]
  /** `undefined`: as the server likes. */
  readonly mode: SearchMode | undefined
  readonly limit: number
  /** The moment in whose memory is searched; empty: now. */
  readonly asOf: string
  /** What was expected among the hits. */
  readonly expected: string
}

/** Changes the address, and by it the search. Nobody wants to go back through what was typed, so the last address is replaced. */
export type Ask = (patch: Partial<RecallQuery>) => void

export const LIMITS: readonly number[] = [10, 20, 50, 100]
const DEFAULT_LIMIT = 20

const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid']

type Address = Readonly<Record<string, string>>

export function queryIn(address: Address): RecallQuery {
  const limit = Number(address['limit'])
  return {
    text: address['q'] ?? '',
    kinds: (address['kinds'] ?? '').split(',').filter(isKind),
    since: address['since'] ?? '',
    until: address['until'] ?? '',
    where: (address['where'] ?? '').split('\n').filter((condition) => condition !== ''),
    mode: MODES.find((mode) => mode === address['mode']),
    limit: Number.isInteger(limit) && limit >= 1 && limit <= 100 ? limit : DEFAULT_LIMIT,
    asOf: address['asOf'] ?? '',
    expected: address['expected'] ?? '',
  }
}

/** Beside what else the address has, such as the agent. */
export function addressOf(query: RecallQuery): Readonly<Record<string, string | undefined>> {
  return {
    q: query.text,
    kinds: query.kinds.join(','),
    since: query.since,
    until: query.until,
    where: query.where.join('\n'),
    mode: query.mode,
    limit: query.limit === DEFAULT_LIMIT ? undefined : String(query.limit),
    asOf: query.asOf,
    expected: query.expected,
  }
}

/** Empty values are left out by the client. */
export function requestOf(
  query: RecallQuery,
): Readonly<Record<string, string | number | readonly string[] | undefined>> {
  const { text, kinds, since, until, where, mode, limit, asOf } = query
  return { q: text, kinds, since, until, where, mode, limit, asOf }
}

/** Those that can be closed away. */
export const NO_FILTERS: Pick<RecallQuery, 'kinds' | 'since' | 'until' | 'where'> = {
  kinds: [],
  since: '',
  until: '',
  where: [],
}

/** How many of these are set. */
export function filterCount({ kinds, since, until, where }: RecallQuery): number {
  return (kinds.length > 0 ? 1 : 0) + (since === '' ? 0 : 1) + (until === '' ? 0 : 1) + where.length
}
