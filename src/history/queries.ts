/**
 * The history queries of the port, answered from a history in memory. This is the simplest correct version: stores without an index of
 * their history use it, and the others are tested against it.
 */
import { KeepsakeError } from '../errors.ts'
import type { Entry, Scope } from '../model/entry.ts'
import { matchesHead } from '../model/filter.ts'
import type {
  ChangeQuery,
  EntryVersion,
  GoneFilter,
  History,
  LoggedChange,
  Recorded,
  ScanFilter,
  Touched,
} from '../ports/store.ts'

/** A `History` read into memory, oldest first. */
export interface LoadedHistory extends Pick<History, 'since' | 'entries'> {
  readonly changes: Iterable<Recorded>
}

export function findChanges(history: LoadedHistory, query: ChangeQuery = {}): readonly LoggedChange[] {
  const newestFirst = [...history.changes].reverse()
  const undoneBy = findUndos(newestFirst)
  const found = newestFirst.flatMap((recorded): LoggedChange[] => {
    const undoer = undoneBy.get(recorded.change.number)
    if (query.undone !== undefined && query.undone !== (undoer !== undefined)) return []
    return matchesQuery(recorded, query) ? [{ ...recorded, ...(undoer === undefined ? {} : { undoneBy: undoer }) }] : []
  })
  return found.slice(0, query.limit)
}

export function entriesAt(history: LoadedHistory, at: number | string, filter: ScanFilter = {}): readonly Entry[] {
  const state = typeof at === 'number' ? stateAfter(history, at) : stateAtInstant(history, at)
  return [...state.values()].filter((entry) => matchesHead(entry, filter)).sort(bySeq)
}

export function versionsOf(history: LoadedHistory, ids: readonly string[]): readonly EntryVersion[] {
  const versions = new Map<string, EntryVersion[]>(ids.map((id) => [id, []]))
  for (const entry of history.entries) versions.get(entry.id)?.push({ id: entry.id, entry })
  for (const { change, touched } of history.changes) {
    for (const { id, before, after } of touched) {
      if (before ?? after) versions.get(id)?.push({ id, change, ...(after ? { entry: after } : {}) })
    }
  }
  return [...versions.values()].flat()
}

export function findGone(history: LoadedHistory, { scopes, kinds, called }: GoneFilter = {}): readonly Entry[] {
  const gone = new Map<string, Entry>()
  const named = new Set<string>()
  const see = (state: Entry | undefined): void => {
    if (state && [state.id, state.name, ...state.aliases].includes(called ?? state.id)) named.add(state.id)
  }
  history.entries.forEach(see)
  for (const { touched } of history.changes) {
    for (const { id, before, after } of touched) {
      see(before)
      see(after)
      if (!before && !after) continue
      gone.delete(id)
      if (before && !after) gone.set(id, before)
    }
  }
  return [...gone.values()]
    .filter(
      ({ id, scope, kind }) => named.has(id) && (scopes?.includes(scope) ?? true) && (kinds?.includes(kind) ?? true),
    )
    .reverse()
}

/** Two if an external edit moved the entry from one agent to another. */
export function scopesOf({ before, after }: Touched): readonly Scope[] {
  return [before, after].flatMap((state) => state?.scope ?? [])
}

/** Whether a change matches, ignoring `undone` and `limit`. */
export function matchesQuery({ change, touched }: Recorded, query: ChangeQuery): boolean {
  const { number, at, origin } = change
  const { numbers, before, after, since, until, by, agent, session, entries, name, scopes } = query
  return (
    (numbers?.includes(number) ?? true) &&
    (before === undefined || number < before) &&
    (after === undefined || number > after) &&
    (since === undefined || at >= since) &&
    (until === undefined || at < until) &&
    (by === undefined || origin.by === by) &&
    (agent === undefined || origin.agent === agent) &&
    (session === undefined || origin.session === session) &&
    (entries === undefined || touched.some(({ id }) => entries.includes(id))) &&
    (name === undefined || findIdByName({ touched }, name) !== undefined) &&
    (scopes === undefined || [...visibleScopes({ change, touched })].some((scope) => scopes.includes(scope)))
  )
}

/** The entry that had this name or alias before or after a change. */
export function findIdByName({ touched }: Pick<Recorded, 'touched'>, name: string): string | undefined {
  return touched.find(({ before, after }) =>
    [after, before].some((state) => state && (state.name === name || state.aliases.includes(name))),
  )?.id
}

/** The scopes whose log shows a change: those it touched; those it purged from; its agent's own if a purge left nothing of it. */
export function visibleScopes({ change, touched }: Recorded): ReadonlySet<Scope> {
  const { operations, origin, reverts, purged } = change
  const scopes = new Set(purged ?? touched.flatMap(scopesOf))
  const isEmpty = scopes.size === 0 && operations.length === 0 && reverts === undefined
  return isEmpty && !purged && origin.agent !== undefined ? new Set([origin.agent]) : scopes
}

/** Newest first, so that it is known whether an undo is itself undone. */
function findUndos(newestFirst: readonly Recorded[]): ReadonlyMap<number, number> {
  const undoneBy = new Map<number, number>()
  for (const { change } of newestFirst) {
    if (undoneBy.has(change.number)) continue
    for (const number of change.reverts ?? []) if (!undoneBy.has(number)) undoneBy.set(number, change.number)
  }
  return undoneBy
}

function stateAfter(history: LoadedHistory, number: number): Map<string, Entry> {
  const state = baseOf(history)
  let isFirst = true
  for (const { change, touched } of history.changes) {
    if (isFirst && number < change.number - 1) throw notKeptError(`after change ${number}`, number, change.number - 1)
    isFirst = false
    if (change.number > number) break
    for (const one of touched) apply(state, one)
  }
  return state
}

function stateAtInstant(history: LoadedHistory, at: string): Map<string, Entry> {
  const { since } = history
  if (since !== undefined && at < since) throw notKeptError(`at ${at}`, at, since)
  const state = baseOf(history)
  let isOver = false
  for (const { change, touched } of history.changes) {
    // By number: a clock that was set back must not skip changes.
    isOver ||= change.origin.by !== 'hand' && change.at > at
    for (const one of touched) {
      if (change.origin.by === 'hand' ? savedAt(change.at, one.after) <= at : !isOver) apply(state, one)
    }
  }
  return state
}

function baseOf({ entries }: LoadedHistory): Map<string, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]))
}

function apply(state: Map<string, Entry>, { id, after }: Touched): void {
  if (after) state.set(id, after)
  else state.delete(id)
}

/** External edits are recorded when they are noticed; the time of the file says when they were made. */
export function savedAt(recordedAt: string, after: Entry | undefined): string {
  return after && after.updatedAt < recordedAt ? after.updatedAt : recordedAt
}

function bySeq(a: Entry, b: Entry): number {
  return a.seq - b.seq || (a.id < b.id ? -1 : 1)
}

export function notKeptError(when: string, at: number | string, earliest: number | string): KeepsakeError {
  return new KeepsakeError('NOT_FOUND', `what was there ${when} is not known any more`, {
    hint: `The earliest that is known is ${earliest}.`,
    data: { at, earliest },
  })
}
