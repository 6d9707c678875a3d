/**
 * The log of changes as people ask for it: newest first, by who, when and what. Pure: from a history to a list.
 * An undo is a change like any other; which changes are undone follows from the undos that are not undone themselves.
 */
import { InvalidError } from '../errors.ts'
import { ORIGINS, type OriginBy, type Scope } from '../model/entry.ts'
import type { History, Recorded, Touched } from '../ports/store.ts'

/** Which changes are meant. Everything that is given must hold. */
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

export interface LoggedChange extends Recorded {
  /** The number of the undo that took it back. */
  readonly undoneBy?: number
  /** It did more than is told here, to what belongs to others: so it can't be taken back from here. */
  readonly isPartial: boolean
}

/**
 * All changes that touch one of these scopes, oldest first, reduced to what they did in these scopes. Includes purges of something in
 * these scopes, by any agent, and changes of these agents that were purged since. Those two touch nothing.
 */
export function visibleChanges(history: History, scopes: readonly Scope[]): LoggedChange[] {
  const visible: (Recorded & { readonly isPartial: boolean })[] = []
  for (const { change, touched } of history.changes) {
    const shown = touched.filter((one) => scopesOf(one).some((scope) => scopes.includes(scope)))
    const isPartial = touched.some((one) => scopesOf(one).some((scope) => !scopes.includes(scope)))
    const { operations, origin, reverts, purged } = change
    const isSeen = purged
      ? purged.some((scope) => scopes.includes(scope))
      : shown.length > 0 || (operations.length === 0 && reverts === undefined && scopes.includes(origin.agent ?? ''))
    if (isSeen) visible.push({ change, touched: shown, isPartial })
  }
  const undoneBy = undoersOf(visible)
  return visible.map((recorded) => {
    const undoer = undoneBy.get(recorded.change.number)
    return { ...recorded, ...(undoer === undefined ? {} : { undoneBy: undoer }) }
  })
}

/** It can't be undone. */
export function isPurge({ change }: Recorded): boolean {
  return change.purged !== undefined
}

/** Everything it touched has been purged since, so there is nothing left to show or to undo. */
export function isEmptied(logged: Recorded): boolean {
  return logged.touched.length === 0 && !isPurge(logged)
}

export function matchesFilter({ change, touched }: Recorded, filter: ChangeFilter): boolean {
  const { since, until, by, agent, session, entry } = filter
  return (
    (since === undefined || change.at >= since) &&
    (until === undefined || change.at < until) &&
    (by === undefined || change.origin.by === by) &&
    (agent === undefined || change.origin.agent === agent) &&
    (session === undefined || change.origin.session === session) &&
    (entry === undefined || touched.some(({ id }) => id === entry))
  )
}

export function parseOriginBy(value: unknown): OriginBy {
  const known = ORIGINS.find((origin) => origin === value)
  if (!known) throw new InvalidError('by', `"${String(value)}" is not an origin`, ORIGINS.join(', '))
  return known
}

/** Two, where a hand has moved its file from one agent to another. */
function scopesOf({ before, after }: Touched): Scope[] {
  return [before, after].flatMap((state) => state?.scope ?? [])
}

/** Newest first: whether an undo still counts is known before what it took back is asked for. */
function undoersOf(changes: readonly Recorded[]): ReadonlyMap<number, number> {
  const undoneBy = new Map<number, number>()
  for (const { change } of changes.toReversed()) {
    if (undoneBy.has(change.number)) continue
    for (const number of change.reverts ?? []) if (!undoneBy.has(number)) undoneBy.set(number, change.number)
  }
  return undoneBy
}

/** The entry that was last called so, or has this id; for those that are gone. */
export function idInHistory(changes: readonly Recorded[], ref: string): string | undefined {
  const wanted = ref.normalize('NFC').trim()
  for (const { touched } of changes.toReversed()) {
    const found = touched.find(({ id, before, after }) => {
      const states = [after, before].filter((state) => state !== undefined)
      return id === wanted || states.some(({ name, aliases }) => name === wanted || aliases.includes(wanted))
    })
    if (found) return found.id
  }
  return undefined
}
