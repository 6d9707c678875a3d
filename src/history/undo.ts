/**
 * Taking changes back: which ones, what builds on them, and the batch that brings every entry they touched to where it was
 * before. Pure; the batch is applied with compare-and-swap, so what it was planned on is what it is applied to.
 */
import {
  ConflictingChangesError,
  InvalidError,
  PartialChangeError,
  PurgedChangeError,
  PurgeNotUndoableError,
  UnknownChangeError,
} from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import type { Expect, Operation } from '../model/operation.ts'
import type { Touched } from '../ports/store.ts'
import { cleanerOf, isCleaning } from './cleaning.ts'
import { type ChangeFilter, isEmptied, isPurge, type LoggedChange, matchesFilter } from './log.ts'
import { operationsTo } from './operations-to.ts'
import { inForce, type Step, timelinesOf } from './timeline.ts'
import { isNothingNow, lastStates, type Targets, walkBack } from './walk-back.ts'

/**
 * Without `changes`, `last` and a filter: the newest that is not undone yet. Only a number or `by` chooses an external edit: one that
 * was recorded last may have been made before the other changes.
 */
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
  /** Newer ones that would have been meant, but are another agent's in part. */
  readonly passedOver: readonly number[]
  /** Newer external edits, which this undo leaves alone. */
  readonly external: readonly number[]
  readonly operations: readonly Operation[]
  readonly expect: Expect
}

const NONE_LEFT = 'there is no such change that is not undone yet'

/** `changes` are all there are, oldest first; `now` tells what has expired. */
export function planUndo(changes: readonly LoggedChange[], request: UndoRequest, now: string): UndoPlan {
  const { meant, passedOver, external } = choose(changes, request, now)
  const chosen = new Set(meant.map(({ change }) => change.number))
  const timelines = timelinesOf(changes)
  for (;;) {
    const { later, cleaned } = walkBack(changes, timelines, chosen, now)
    if (later.length === 0) {
      const left = external.filter((number) => !chosen.has(number))
      const plan = { ...planFor(changes, chosen, cleaned), passedOver, external: left }
      if (request.changes === undefined && isNothing(plan)) throw new UnknownChangeError(NONE_LEFT)
      return plan
    }
    if (request.withLater !== true) throw new ConflictingChangesError([...chosen], later)
    for (const number of later) chosen.add(number)
    const foreign = changes.find(({ change, isPartial }) => isPartial && chosen.has(change.number))
    if (foreign) throw new PartialChangeError(foreign.change.number)
  }
}

/** Made and cleaned up again: together they have left nothing. What a hand only moved is moved back without an operation. */
function isNothing({ operations, undone }: Pick<UndoPlan, 'operations' | 'undone'>): boolean {
  const isMoved = ({ before, after }: Touched): boolean => before?.path !== after?.path && Boolean(before && after)
  return operations.length === 0 && !undone.some(({ touched }) => touched.some(isMoved))
}

function planFor(
  changes: readonly LoggedChange[],
  chosen: ReadonlySet<number>,
  cleaned: Targets,
): Omit<UndoPlan, 'passedOver' | 'external'> {
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

interface Choice {
  readonly meant: readonly LoggedChange[]
  readonly passedOver: readonly number[]
  readonly external: readonly number[]
}

function choose(changes: readonly LoggedChange[], request: UndoRequest, now: string): Choice {
  const { changes: numbers, last, withLater: _, ...filter } = request
  const filtered = Object.values(filter).some((value) => value !== undefined)
  if (numbers !== undefined) {
    const meant = numbers.map((number) => changeToUndo(changes, number, filtered ? filter : undefined))
    return { meant, passedOver: [], external: [] }
  }
  const newest = last ?? (filtered ? undefined : 1)
  const isAskedFor = filter.session !== undefined || filter.by !== undefined
  // An undo that was not asked for by number or origin is passed over: undoing twice takes back two changes.
  const ordered = asLastDone(changes).filter(
    (logged) =>
      logged.undoneBy === undefined &&
      (isPurge(logged) ? newest !== undefined : !isEmptied(logged)) &&
      (isAskedFor || isPurge(logged) || !isUpkeep(logged)) &&
      !logged.change.found &&
      (logged.change.reverts === undefined || filter.by === 'undo') &&
      matchesFilter(logged, filter),
  )
  const isLeftAlone = ({ change }: LoggedChange): boolean => filter.by === undefined && change.origin.by === 'hand'
  const open = ordered.filter((logged) => !logged.isPartial && !isLeftAlone(logged))
  const left = withoutSpent(changes, open, now)
  const meant = newest === undefined ? left : left.slice(-newest)
  const [oldest] = meant
  if (!oldest) throw new UnknownChangeError(NONE_LEFT, ordered.findLast(isLeftAlone)?.change.number)
  const purge = meant.findLast(isPurge)
  if (purge) {
    const before = left.slice(0, left.indexOf(purge)).findLast((logged) => !isPurge(logged))
    throw new PurgeNotUndoableError(purge.change.number, before?.change.number ?? null)
  }
  const newer = ordered.slice(ordered.indexOf(oldest))
  return {
    meant,
    passedOver: newer.filter(({ isPartial }) => isPartial).map(({ change }) => change.number),
    external: newer.filter(isLeftAlone).map(({ change }) => change.number),
  }
}

/** In the order in which they were done: one that was undone and redone was done last by the redo, which takes back its undo. */
function asLastDone(changes: readonly LoggedChange[]): readonly LoggedChange[] {
  const reverts = new Map(changes.map(({ change }) => [change.number, change.reverts ?? []]))
  const redoneBy = new Map<number, number>()
  for (const [number, undos] of reverts) {
    for (const redone of undos.flatMap((undo) => reverts.get(undo) ?? [])) redoneBy.set(redone, number)
  }
  const doneBy = (number: number): number => {
    const by = redoneBy.get(number)
    return by === undefined || by <= number ? number : doneBy(by)
  }
  return changes.toSorted((a, b) => doneBy(a.change.number) - doneBy(b.change.number))
}

/**
 * Those of which something is left to take back: not what an undo has passed over, nor what a cleanup, which is not one of them, has
 * removed for good. A change that made room has cleaned up too, but is not meant by that.
 */
function withoutSpent(
  changes: readonly LoggedChange[],
  open: readonly LoggedChange[],
  now: string,
): readonly LoggedChange[] {
  const timelines = timelinesOf(changes)
  const known = new Map<string, { readonly counting: ReadonlySet<number>; readonly cleaner: number | undefined }>()
  const left = new Set<number>()
  const isSpent = (one: Touched, number: number): boolean => {
    const { counting, cleaner } = known.get(one.id) ?? countingOf(timelines.get(one.id) ?? [])
    known.set(one.id, { counting, cleaner })
    if (!counting.has(number)) return true
    return cleaner !== undefined && !left.has(cleaner) && isNothingNow(one.before, now)
  }
  // The newest first: whether a cleaner is one of them is known before what it removed is asked for.
  for (const logged of open.toReversed()) {
    const { change, touched } = logged
    const isCleanup = touched.every((one) => isCleaning(one, change.at))
    if (isPurge(logged) || isCleanup || !touched.every((one) => isSpent(one, change.number))) left.add(change.number)
  }
  return open.filter(({ change }) => left.has(change.number))
}

function countingOf(steps: readonly Step[]): {
  readonly counting: ReadonlySet<number>
  readonly cleaner: number | undefined
} {
  const counting = inForce(steps)
  return { counting: new Set(counting.map(({ change }) => change.number)), cleaner: cleanerOf(counting) }
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
  if (isPurge(found)) throw new PurgeNotUndoableError(number)
  if (isEmptied(found)) throw new PurgedChangeError(number)
  if (found.undoneBy !== undefined) throw new ConflictingChangesError([number], [], found.undoneBy)
  if (found.isPartial) throw new PartialChangeError(number)
  return found
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
