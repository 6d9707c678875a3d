/** What the address asks of Browse, and the address that asks for something else. */
import { isKind, type Kind } from '../../../model/kinds.ts'
import { href, type Route } from '../../route.ts'

export const SORTS = ['updated', 'created', 'name'] as const
export type Sort = (typeof SORTS)[number]

export interface BrowseQuery {
  /** `undefined`: all that the agent sees. */
  readonly scope: 'world' | 'agent' | undefined
  readonly kind: Kind | undefined
  readonly sort: Sort
  /** The id of the entry that is shown. */
  readonly entry: string | undefined
  /** Never in the past, where nothing can be written. */
  readonly isNew: boolean
  /** A day or an instant: the memory as it was then. */
  readonly asOf: string | undefined
}

export function browseQuery({ query }: Route): BrowseQuery {
  const [scope, kind, sort] = [query['scope'], query['kind'], query['sort']]
  return {
    scope: scope === 'world' || scope === 'agent' ? scope : undefined,
    kind: isKind(kind) ? kind : undefined,
    sort: SORTS.find((one) => one === sort) ?? 'updated',
    entry: query['entry'],
    isNew: query['new'] !== undefined && query['asOf'] === undefined,
    asOf: query['asOf'],
  }
}

/** Where the page is, but for this. */
export function browseHref({ view, query }: Route, change: Readonly<Record<string, string | undefined>>): string {
  return href('browse', view === 'browse' ? { ...query, ...change } : { agent: query['agent'], ...change })
}
