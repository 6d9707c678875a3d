/** Changes as an agent sees them, and filters on them. Pure. */
import { InvalidError } from '../errors.ts'
import { ORIGINS, type OriginBy, type Scope } from '../model/entry.ts'
import type { ChangeQuery, LoggedChange, Recorded } from '../ports/store.ts'
import { matchesQuery, scopesOf } from './queries.ts'

/** A filter on changes. Every condition that is given must hold. */
export interface ChangeFilter {
  /** ISO-8601; from this instant on. */
  readonly since?: string
  /** ISO-8601; before this instant. */
  readonly until?: string
  /** Who wrote it. */
  readonly by?: OriginBy
  readonly agent?: string
  readonly session?: string
  /** The id of an entry that it touched. */
  readonly entry?: string
}

/** A change reduced to the scopes that an agent sees. Purges, and changes whose entries were purged since, touch nothing. */
export interface VisibleChange extends LoggedChange {
  /** It also changed what belongs to other agents, so it can't be undone from here. */
  readonly isPartial: boolean
}

/** `logged`: a result of `store.changes` for these scopes. */
export function visibleIn(scopes: readonly Scope[], logged: LoggedChange): VisibleChange {
  const isSeen = (scope: Scope): boolean => scopes.includes(scope)
  return {
    ...logged,
    touched: logged.touched.filter((one) => scopesOf(one).some(isSeen)),
    isPartial: logged.touched.some((one) => !scopesOf(one).every(isSeen)),
  }
}

/** It can't be undone. */
export function isPurge({ change }: Recorded): boolean {
  return change.purged !== undefined
}

/** Everything it touched has been purged since, so there is nothing left to show or to undo. */
export function isEmptied(logged: Recorded): boolean {
  return logged.touched.length === 0 && !isPurge(logged)
}

export function queryFor({ entry, ...filter }: ChangeFilter): ChangeQuery {
  return { ...filter, ...(entry === undefined ? {} : { entries: [entry] }) }
}

export function matchesFilter(recorded: Recorded, filter: ChangeFilter): boolean {
  return matchesQuery(recorded, queryFor(filter))
}

export function parseOriginBy(value: unknown): OriginBy {
  const known = ORIGINS.find((origin) => origin === value)
  if (!known) throw new InvalidError('by', `"${String(value)}" is not an origin`, ORIGINS.join(', '))
  return known
}
