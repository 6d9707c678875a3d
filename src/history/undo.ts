/**
 * Plans an undo: which changes, what builds on them, and the batch that restores every entry they touched. Never writes. The batch is
 * applied with compare-and-swap, so it is applied to the state that it was planned on.
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
import { type ChangeFilter, isEmptied, isPurge, matchesFilter, type VisibleChange } from './log.ts'
import { operationsTo } from './operations-to.ts'
import { inForce, type Step, timelinesOf } from './timeline.ts'
import { lastStates, type Targets, type UndoHistory } from './undo-history.ts'
import { isNothingNow, takersOf, walkBack } from './walk-back.ts'

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
  readonly undone: readonly VisibleChange[]
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
/** How many changes are first searched for one that can be undone; then four times as many. */
const FIRST_PAGE = 64

/** Plans an undo. `now` decides which entries have expired. */
export async function planUndo(
  history: UndoHistory,
  request: UndoRequest,
  now: string,
  firstPage: number = FIRST_PAGE,
): Promise<UndoPlan> {
  const { selected, passedOver, external } = await choose(history, request, now, firstPage)
  const chosen = new Set(selected.map(({ change }) => change.number))
  for (;;) {
    await history.loadLater(chosen)
    const { later, restored, cleaned } = walkBack(timelinesOf(history.changes), chosen, now)
    const owners = await history.loadOwners(restored, Math.min(...chosen))
    const { changes } = history
    const needed = [...new Set([...later, ...takersOf(changes, chosen, new Map([...owners, ...restored]))])]
    if (needed.length === 0) {
      const left = external.filter((number) => !chosen.has(number))
      const plan = { ...planFor(changes, chosen, cleaned), passedOver, external: left }
      if (request.changes === undefined && isNothing(plan)) throw new UnknownChangeError(NONE_LEFT)
      return plan
    }
    needed.sort((a, b) => a - b)
    if (request.withLater !== true) throw new ConflictingChangesError([...chosen], needed)
    for (const number of needed) chosen.add(number)
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
  changes: readonly VisibleChange[],
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
  readonly selected: readonly VisibleChange[]
  readonly passedOver: readonly number[]
  readonly external: readonly number[]
}

async function choose(history: UndoHistory, request: UndoRequest, now: string, firstPage: number): Promise<Choice> {
  const { changes: numbers, last, withLater: _, ...filter } = request
  const filtered = Object.values(filter).some((value) => value !== undefined)
  if (numbers !== undefined) {
    await history.loadNumbers(numbers.filter(isChangeNumber))
    const selected: VisibleChange[] = []
    for (const number of numbers) selected.push(await changeToUndo(history, number, filtered ? filter : undefined))
    return { selected, passedOver: [], external: [] }
  }
  const newest = last ?? (filtered ? undefined : 1)
  for (let count = newest === undefined ? Number.POSITIVE_INFINITY : firstPage; ; count *= 4) {
    const from = await history.loadNewest(filter, count)
    const choice = chooseNewest(history.changes, filter, newest, from, now)
    if (choice) return choice
  }
}

/** `from`: changes with a lower number may be missing. Returns `undefined` if the choice depends on them. */
function chooseNewest(
  changes: readonly VisibleChange[],
  filter: ChangeFilter,
  newest: number | undefined,
  from: number,
  now: string,
): Choice | undefined {
  const isAskedFor = filter.session !== undefined || filter.by !== undefined
  const doneBy = lastDoneBy(changes)
  // An undo is skipped unless it was requested by number or origin: undoing twice undoes two changes.
  const ordered = changes
    .toSorted((a, b) => doneBy(a) - doneBy(b))
    .filter(
      (logged) =>
        doneBy(logged) >= from &&
        logged.undoneBy === undefined &&
        (isPurge(logged) ? newest !== undefined : !isEmptied(logged)) &&
        (isAskedFor || isPurge(logged) || !isUpkeep(logged)) &&
        !logged.change.found &&
        (logged.change.reverts === undefined || filter.by === 'undo') &&
        matchesFilter(logged, filter),
    )
  const isLeftAlone = ({ change }: VisibleChange): boolean => filter.by === undefined && change.origin.by === 'hand'
  const open = ordered.filter((logged) => !logged.isPartial && !isLeftAlone(logged))
  const left = withoutSpent(changes, open, now)
  const selected = newest === undefined ? left : left.slice(-newest)
  const isWhole = from === 0
  if (!isWhole && selected.length < (newest ?? 0)) return undefined
  const [oldest] = selected
  if (!oldest) throw new UnknownChangeError(NONE_LEFT, ordered.findLast(isLeftAlone)?.change.number)
  const purge = selected.findLast(isPurge)
  if (purge) {
    const before = left.slice(0, left.indexOf(purge)).findLast((logged) => !isPurge(logged))
    if (!isWhole && !before) return undefined
    throw new PurgeNotUndoableError(purge.change.number, before?.change.number ?? null)
  }
  const newer = ordered.slice(ordered.indexOf(oldest))
  return {
    selected,
    passedOver: newer.filter(({ isPartial }) => isPartial).map(({ change }) => change.number),
    external: newer.filter(isLeftAlone).map(({ change }) => change.number),
  }
}

/** The number of the change that last applied each change: its own, or that of the newest redo. A redo reverts an undo. */
function lastDoneBy(changes: readonly VisibleChange[]): (logged: VisibleChange) => number {
  const reverts = new Map(changes.map(({ change }) => [change.number, change.reverts ?? []]))
  const redoneBy = new Map<number, number>()
  for (const [number, undos] of reverts) {
    for (const redone of undos.flatMap((undo) => reverts.get(undo) ?? [])) redoneBy.set(redone, number)
  }
  const doneBy = (number: number): number => {
    const by = redoneBy.get(number)
    return by === undefined || by <= number ? number : doneBy(by)
  }
  return ({ change }) => doneBy(change.number)
}

/**
 * Those of which something is left to take back: not what an undo has passed over, nor what a cleanup, which is not one of them, has
 * removed for good. A change that made room has cleaned up too, but is not meant by that.
 */
function withoutSpent(
  changes: readonly VisibleChange[],
  open: readonly VisibleChange[],
  now: string,
): readonly VisibleChange[] {
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
function isUpkeep({ change, touched }: VisibleChange): boolean {
  if (touched.every((one) => isCleaning(one, change.at))) return true
  const isOfSession = change.origin.by === 'consolidation' && change.origin.session !== undefined
  return isOfSession && touched.every(({ before, after }) => !before && after?.kind === 'conversation')
}

async function changeToUndo(
  history: UndoHistory,
  number: number,
  filter: ChangeFilter | undefined,
): Promise<VisibleChange> {
  if (!isChangeNumber(number)) {
    throw new InvalidError('change', `${String(number)} is not the number of a change`, 'a number that the log shows')
  }
  const found = history.get(number)
  // One answer for what is not let through and for what never was.
  if (filter && !(found && matchesFilter(found, filter))) {
    throw new UnknownChangeError(`change ${number} is none of those that are meant`)
  }
  if (!found) {
    const range = await history.range()
    throw new UnknownChangeError(
      range
        ? `change ${number} is not known; the log of this agent goes from ${range[0]} to ${range[1]}`
        : `change ${number} is not known: nothing was changed yet`,
    )
  }
  if (isPurge(found)) throw new PurgeNotUndoableError(number)
  if (isEmptied(found)) throw new PurgedChangeError(number)
  if (found.undoneBy !== undefined) throw new ConflictingChangesError([number], [], found.undoneBy)
  if (found.isPartial) throw new PartialChangeError(number)
  return found
}

function isChangeNumber(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 1
}

/** From each entry as it is now to where it was before the first of the undone changes: what came between is not repeated. */
function batchFor(
  undone: readonly VisibleChange[],
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
