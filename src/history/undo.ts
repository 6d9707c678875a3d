/**
 * Taking changes back: which ones, what builds on them, and the batch that brings every entry they touched to where it was
 * before. Pure; the batch is applied with compare-and-swap, so what it was planned on is what it is applied to.
 */
import { ConflictingChangesError, InvalidError, PartialChangeError, UnknownChangeError } from '../errors.ts'
import { handlesOf } from '../model/draft.ts'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { AddOperation, Expect, Operation } from '../model/operation.ts'
import type { Touched } from '../ports/store.ts'
import { type ChangeFilter, type LoggedChange, matchesFilter } from './log.ts'

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
  readonly undone: readonly LoggedChange[]
  readonly operations: readonly Operation[]
  readonly expect: Expect
}

/** `changes` are all there are, oldest first. */
export function planUndo(changes: readonly LoggedChange[], request: UndoRequest): UndoPlan {
  const chosen = new Set(choose(changes, request).map(({ change }) => change.number))
  for (;;) {
    const later = laterOnes(changes, chosen)
    if (later.length === 0) break
    if (request.withLater !== true) throw new ConflictingChangesError([...chosen], later)
    for (const number of later) chosen.add(number)
    const foreign = changes.find(({ change, isPartial }) => isPartial && chosen.has(change.number))
    if (foreign) throw new PartialChangeError(foreign.change.number)
  }
  const undone = changes.filter(({ change }) => chosen.has(change.number))
  return { undone, ...batchFor(undone, lastStates(changes)) }
}

function choose(changes: readonly LoggedChange[], request: UndoRequest): readonly LoggedChange[] {
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
  if (open.length === 0) throw new UnknownChangeError('there is no such change that is not undone yet')
  return last === undefined && filtered ? open : open.slice(-(last ?? 1))
}

/** It left everything as it was: there is nothing to take back. */
function isIdle({ touched }: LoggedChange): boolean {
  return touched.every(({ before, after }) => sameState(before, after) && before?.path === after?.path)
}

/**
 * Nobody did it: only what had expired was removed, or what slid out of a session's window was taken in. Whoever takes back what
 * was done last does not mean that; by number, session or origin it is undone.
 */
function isUpkeep({ change, touched }: LoggedChange): boolean {
  if (touched.every(({ before, after }) => before && !after && isExpired(before, change.at))) return true
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

/** Changes that must go too, because an entry is no longer as a chosen change left it. */
function laterOnes(changes: readonly LoggedChange[], chosen: ReadonlySet<number>): number[] {
  const later = new Set<number>()
  const now = lastStates(changes)
  /** By entry: changes since, that nobody has chosen. */
  const since = new Map<string, number[]>()
  for (const { change, touched } of changes.toReversed()) {
    for (const { id, before, after } of touched) {
      if (!chosen.has(change.number)) {
        since.set(id, [...(since.get(id) ?? []), change.number])
      } else if (sameState(now.get(id), after)) {
        now.set(id, before)
        since.set(id, [])
      } else {
        for (const number of since.get(id) ?? []) later.add(number)
      }
    }
  }
  for (const number of takersOf(changes, chosen, now)) later.add(number)
  return [...later].sort((a, b) => a - b)
}

/**
 * Later changes that gave a name to someone else that an entry gets back. `then`: the states to come. Where both had the name
 * all along, as files made by hand can, they have it again.
 */
function takersOf(
  changes: readonly LoggedChange[],
  chosen: ReadonlySet<number>,
  then: ReadonlyMap<string, Entry | undefined>,
): number[] {
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

function takes(
  { id, before, after }: Touched,
  handles: ReadonlySet<string>,
  then: ReadonlyMap<string, Entry | undefined>,
): boolean {
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
  now: ReadonlyMap<string, Entry | undefined>,
): { readonly operations: readonly Operation[]; readonly expect: Expect } {
  const targets = new Map<string, Entry | undefined>()
  // The entry that was touched last goes first: it may hold a name that an earlier one gets back.
  for (const { touched } of undone.toReversed()) {
    for (const { id, before } of touched.toReversed()) targets.set(id, before)
  }
  const operations = [...targets].flatMap(([id, target]) => operationsTo(now.get(id), target))
  return {
    operations,
    expect: Object.fromEntries([...targets.keys()].map((id) => [id, now.get(id)?.revision ?? null])),
  }
}

/** The operations that make `now` what `target` says. */
export function operationsTo(now: Entry | undefined, target: Entry | undefined): Operation[] {
  if (!target) return now ? [{ op: 'remove', id: now.id }] : []
  if (!now) return [addOf(target)]
  if (now.kind !== target.kind || now.scope !== target.scope) return [{ op: 'remove', id: now.id }, addOf(target)]
  const { id } = target
  const renamed = target.name !== null && now.name !== target.name
  // A rename leaves the old name behind as an alias.
  const aliases = renamed ? [...now.aliases.filter((alias) => alias !== target.name), now.name ?? ''] : now.aliases
  const dropped = aliases.filter((alias) => !target.aliases.includes(alias))
  const bound = target.aliases.filter((alias) => !aliases.includes(alias))
  const patch = {
    ...(now.content === target.content ? {} : { content: target.content }),
    ...(now.description === target.description ? {} : { description: target.description }),
    ...(JSON.stringify(now.metadata) === JSON.stringify(target.metadata) ? {} : { metadata: target.metadata }),
    ...(now.expiresAt === target.expiresAt ? {} : { expiresAt: target.expiresAt }),
  }
  return [
    ...(renamed ? [{ op: 'rename', id, name: target.name ?? '' } as const] : []),
    ...dropped.map((alias) => ({ op: 'alias', id, alias, mode: 'drop' }) as const),
    ...bound.map((alias) => ({ op: 'alias', id, alias }) as const),
    ...(Object.keys(patch).length === 0 ? [] : [{ op: 'write', id, ...patch } as const]),
  ]
}

function addOf({ revision: _, path: __, ...fields }: Entry): AddOperation {
  return { op: 'add', ...fields }
}
