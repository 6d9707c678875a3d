/**
 * Taking changes back: which ones, what builds on them, and the batch that brings every entry they touched to where it was
 * before. Pure; the batch is applied with compare-and-swap, so what it was planned on is what it is applied to.
 */
import { ConflictingChangesError, InvalidError, PartialChangeError, UnknownChangeError } from '../errors.ts'
import { handlesOf } from '../model/draft.ts'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { Expect, Operation } from '../model/operation.ts'
import type { Touched } from '../ports/store.ts'
import { cleanersOf, isCleaning } from './cleaning.ts'
import { type ChangeFilter, type LoggedChange, matchesFilter } from './log.ts'
import { operationsTo } from './operations-to.ts'

/** Without `changes`, `last` and a filter: the newest that is not undone yet. */
export interface UndoRequest extends ChangeFilter {
  /** By number; one that the filter does not let through counts as not there. Naming an undo takes that undo back. */
  readonly changes?: readonly number[]
  /** The newest so many that are not undone yet. */
  readonly last?: number
  /** Take back later changes of the same entries too. */
  readonly withLater?: boolean
}

export interface UndoPlan {
  /** Of what they touched, only what is taken back. */
  readonly undone: readonly LoggedChange[]
  /** What they touched and a cleanup has removed since: there is nothing to take back. */
  readonly cleaned: readonly Entry[]
  readonly operations: readonly Operation[]
  readonly expect: Expect
}

/** `changes` are all there are, oldest first; `now` tells what has expired. */
export function planUndo(changes: readonly LoggedChange[], request: UndoRequest, now: string): UndoPlan {
  const chosen = new Set(choose(changes, request, now).map(({ change }) => change.number))
  for (;;) {
    const { later, cleaned } = walkBack(changes, chosen, now)
    if (later.length === 0) return planFor(changes, chosen, cleaned)
    if (request.withLater !== true) throw new ConflictingChangesError([...chosen], later)
    for (const number of later) chosen.add(number)
    const foreign = changes.find(({ change, isPartial }) => isPartial && chosen.has(change.number))
    if (foreign) throw new PartialChangeError(foreign.change.number)
  }
}

function planFor(changes: readonly LoggedChange[], chosen: ReadonlySet<number>, cleaned: Targets): UndoPlan {
  const all = changes.filter(({ change }) => chosen.has(change.number))
  const isGone = ({ id }: Touched): boolean => cleaned.has(id) && cleaned.get(id) === undefined
  const gone = new Map<string, Entry>()
  for (const one of all.flatMap(({ touched }) => touched.filter(isGone))) {
    const last = one.after ?? one.before
    if (last) gone.set(one.id, last)
  }
  return {
    undone: all.map((logged) => ({ ...logged, touched: logged.touched.filter((one) => !isGone(one)) })),
    cleaned: [...gone.values()],
    ...batchFor(all, lastStates(changes), cleaned),
  }
}

function choose(changes: readonly LoggedChange[], request: UndoRequest, now: string): readonly LoggedChange[] {
  const { changes: numbers, last, withLater: _, ...filter } = request
  const filtered = Object.values(filter).some((value) => value !== undefined)
  if (numbers !== undefined) {
    return numbers.map((number) => changeToUndo(changes, number, filtered ? filter : undefined))
  }
  const isAskedFor = filter.session !== undefined || filter.by !== undefined
  // An undo that was not asked for by number or origin is passed over: undoing twice takes back two changes.
  const open = changes.filter(
    (logged) =>
      logged.undoneBy === undefined &&
      !isIdle(logged) &&
      (isAskedFor || !isUpkeep(logged)) &&
      !logged.isPartial &&
      !logged.change.found &&
      (logged.change.reverts === undefined || filter.by === 'undo') &&
      matchesFilter(logged, filter),
  )
  const left = withoutSpent(changes, open, now)
  if (left.length === 0) throw new UnknownChangeError('there is no such change that is not undone yet')
  return last === undefined && filtered ? left : left.slice(-(last ?? 1))
}

/** It left everything as it was: there is nothing to take back. */
function isIdle({ touched }: LoggedChange): boolean {
  return touched.every(isUnchanged)
}

function isUnchanged({ before, after }: Touched): boolean {
  return sameState(before, after) && before?.path === after?.path
}

/** Those of which more is left to take back than what a cleanup, which is not one of them, has removed for good. */
function withoutSpent(
  changes: readonly LoggedChange[],
  open: readonly LoggedChange[],
  now: string,
): readonly LoggedChange[] {
  const cleaners = cleanersOf(changes)
  const numbers = new Set(open.map(({ change }) => change.number))
  const isSpent = (one: Touched): boolean => {
    const cleaner = cleaners.get(one.id)
    if (cleaner === undefined || numbers.has(cleaner)) return isUnchanged(one)
    return !one.before || isExpired(one.before, now)
  }
  return open.filter(({ touched }) => !touched.every(isSpent))
}

/**
 * Nobody did it: only what had expired was removed, or what slid out of a session's window was taken in. Whoever takes back what
 * was done last does not mean that; by number, session or origin it is undone.
 */
function isUpkeep({ change, touched }: LoggedChange): boolean {
  if (touched.every((one) => isCleaning(one, change.at))) return true
  const isOfSession = change.origin.by === 'consolidation' && change.origin.session !== undefined
  return isOfSession && touched.every(({ before, after }) => !before && after?.kind === 'conversation')
}

function changeToUndo(
  changes: readonly LoggedChange[],
  number: number,
  filter: ChangeFilter | undefined,
): LoggedChange {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidError('change', `${String(number)} is not the number of a change`, 'a number that the log shows')
  }
  const found = changes.find(({ change }) => change.number === number)
  // One answer for what is not let through and for what never was.
  if (filter && !(found && matchesFilter(found, filter))) {
    throw new UnknownChangeError(`change ${number} is none of those that are meant`)
  }
  if (!found) {
    const [first, last] = [changes[0]?.change.number, changes.at(-1)?.change.number]
    throw new UnknownChangeError(
      first === undefined
        ? `change ${number} is not known: nothing was changed yet`
        : `change ${number} is not known; the log of this agent goes from ${first} to ${last}`,
    )
  }
  if (found.undoneBy !== undefined) throw new ConflictingChangesError([number], [], found.undoneBy)
  if (found.isPartial) throw new PartialChangeError(number)
  return found
}

/** Entries as they are to be. */
type Targets = ReadonlyMap<string, Entry | undefined>

interface WalkedBack {
  /** Changes that must go too, because an entry is no longer as a chosen change left it. */
  readonly later: readonly number[]
  /** Of the entries that a cleanup removed since, what they get back: only what has not expired. */
  readonly cleaned: Targets
}

/** A cleanup that is not chosen counts as if it had not been: it did what time had done already. */
function walkBack(changes: readonly LoggedChange[], chosen: ReadonlySet<number>, now: string): WalkedBack {
  const later = new Set<number>()
  const then = lastStates(changes)
  /** By entry: changes since, that nobody has chosen. */
  const since = new Map<string, number[]>()
  const removed = new Set<string>()
  const touchedByChosen = new Set<string>()
  for (const { change, touched } of changes.toReversed()) {
    for (const one of touched) {
      const { id, before, after } = one
      const others = since.get(id) ?? []
      if (chosen.has(change.number)) {
        touchedByChosen.add(id)
        if (sameState(then.get(id), after)) {
          then.set(id, before)
          since.set(id, [])
        } else {
          for (const number of others) later.add(number)
        }
      } else if (!isCleaning(one, change.at)) {
        since.set(id, [...others, change.number])
      } else if (others.length === 0 && !then.get(id)) {
        then.set(id, before)
        removed.add(id)
      }
    }
  }
  const cleaned = new Map<string, Entry | undefined>()
  for (const id of removed) {
    const state = then.get(id)
    const isBack = touchedByChosen.has(id) && state && !isExpired(state, now)
    if (!isBack) then.set(id, undefined)
    if (touchedByChosen.has(id)) cleaned.set(id, then.get(id))
  }
  for (const number of takersOf(changes, chosen, then)) later.add(number)
  return { later: [...later].sort((a, b) => a - b), cleaned }
}

/**
 * Later changes that gave a name to someone else that an entry gets back. `then`: the states to come. Where both had the name
 * all along, as files made by hand can, they have it again.
 */
function takersOf(changes: readonly LoggedChange[], chosen: ReadonlySet<number>, then: Targets): number[] {
  const first = changes.find(({ change }) => chosen.has(change.number))?.change.number ?? 0
  const owners = new Map<string, Set<string>>()
  for (const entry of then.values()) {
    for (const handle of entry ? handlesIn(entry) : []) {
      owners.set(handle, (owners.get(handle) ?? new Set()).add(entry?.id ?? ''))
    }
  }
  const doubled = new Set([...owners].filter(([, ids]) => ids.size > 1).map(([handle]) => handle))
  if (doubled.size === 0) return []
  return changes
    .filter(({ change }) => change.number > first && !chosen.has(change.number))
    .filter(({ touched }) => touched.some((one) => takes(one, doubled, then)))
    .map(({ change }) => change.number)
}

function takes({ id, before, after }: Touched, handles: ReadonlySet<string>, then: Targets): boolean {
  const had = new Set(before ? handlesIn(before) : [])
  const still = then.get(id)
  const kept = new Set(still ? handlesIn(still) : [])
  return (after ? handlesIn(after) : []).some((handle) => handles.has(handle) && !had.has(handle) && kept.has(handle))
}

function handlesIn(entry: Entry): string[] {
  return handlesOf(entry).map((handle) => `${entry.scope}\0${handle}`)
}

function lastStates(changes: readonly LoggedChange[]): Map<string, Entry | undefined> {
  const states = new Map<string, Entry | undefined>()
  for (const { touched } of changes) for (const { id, after } of touched) states.set(id, after)
  return states
}

function sameState(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.revision === b?.revision && a?.kind === b?.kind && a?.scope === b?.scope
}

/** From each entry as it is now to where it was before the first of the undone changes: what came between is not repeated. */
function batchFor(
  undone: readonly LoggedChange[],
  now: Targets,
  cleaned: Targets,
): { readonly operations: readonly Operation[]; readonly expect: Expect } {
  const targets = new Map<string, Entry | undefined>()
  // The entry that was touched last goes first: it may hold a name that an earlier one gets back.
  for (const { touched } of undone.toReversed()) {
    for (const { id, before } of touched.toReversed()) targets.set(id, cleaned.has(id) ? cleaned.get(id) : before)
  }
  const operations = [...targets].flatMap(([id, target]) => operationsTo(now.get(id), target))
  return {
    operations,
    expect: Object.fromEntries([...targets.keys()].map((id) => [id, now.get(id)?.revision ?? null])),
  }
}
