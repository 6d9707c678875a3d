/**
 * The past as an agent may see it: the log, undo, blame, and the memory as it was. Hand edits are journaled first, so that what
 * is shown and taken back includes them.
 */
import { isKeepsakeError, NotFoundError } from '../errors.ts'
import { type Blame, blameOf } from '../history/blame.ts'
import {
  type ChangeFilter,
  isEmptied,
  matchesFilter,
  parseOriginBy,
  queryFor,
  type VisibleChange,
  visibleIn,
} from '../history/log.ts'
import { pastStore } from '../history/past-store.ts'
import { findIdByName } from '../history/queries.ts'
import { planUndo, type UndoRequest } from '../history/undo.ts'
import { UndoHistory } from '../history/undo-history.ts'
import type { Entry, Scope } from '../model/entry.ts'
import { wholeNumber } from '../model/number.ts'
import type { Batch, Change } from '../model/operation.ts'
import { requireList } from '../model/options.ts'
import { requireInstant } from '../model/time.ts'
import type { CallOptions, ChangeQuery, GoneFilter, Store } from '../ports/store.ts'
import { applyAs } from './apply-as.ts'
import type { IdentityGate } from './identity-gate.ts'

export interface LogQuery extends ChangeFilter, CallOptions {
  /** Default 20. */
  readonly limit?: number
  /** Only changes with a lower number: the page after the one that ends with this change. */
  readonly before?: number
  /** Only changes of this entry, by id, name or alias; also of one that is gone. */
  readonly ref?: string
}

export interface Undone {
  /** Missing when it was only tried. */
  readonly change?: Change
  /** Oldest first. */
  readonly undone: readonly VisibleChange[]
  /** What was touched, as it is now. */
  readonly entries: readonly Entry[]
  readonly warnings: readonly string[]
}

export interface UndoOptions extends UndoRequest, CallOptions {
  /** Only tell what would be undone. */
  readonly dryRun?: boolean
}

const DEFAULT_LOG = 20
const MOST_LOGGED = 1_000_000
/** More often is not chance. */
const PLAN_RACES = 3
/** Changes read from the store per page. */
const MIN_PAGE = 64
const MAX_PAGE = 4096

export class Past {
  readonly #store: Store
  readonly #agent: string
  readonly #scopes: readonly Scope[]
  readonly #gate: IdentityGate

  constructor(store: Store, agent: string, scopes: readonly Scope[], gate: IdentityGate) {
    this.#store = store
    this.#agent = agent
    this.#scopes = scopes
    this.#gate = gate
  }

  /** `entry`: the id that `ref` stands for, if something there now is called so. */
  async log(query: LogQuery, entryNow: string | undefined): Promise<readonly VisibleChange[]> {
    const limit = wholeNumber(query.limit ?? DEFAULT_LOG, 'limit', 1, MOST_LOGGED)
    const before =
      query.before === undefined ? {} : { before: wholeNumber(query.before, 'before', 1, Number.MAX_SAFE_INTEGER) }
    const call = callOf(query)
    await this.#store.absorb(call)
    const { ref } = query
    const entry = ref === undefined ? query.entry : (entryNow ?? (await this.#findIdByFormerName(ref, call)))
    if (ref !== undefined && entry === undefined) throw new NotFoundError(ref)
    const filter = checkedFilter({ ...query, ...(entry === undefined ? {} : { entry }) })
    const found: VisibleChange[] = []
    for await (const logged of this.#newestFirst({ ...queryFor(filter), ...before }, limit, call)) {
      if (!isEmptied(logged) && matchesFilter(logged, filter)) found.push(logged)
      if (found.length === limit) break
    }
    return found
  }

  async undo({ dryRun, signal, changes, last, withLater, ...filter }: UndoOptions, now: string): Promise<Undone> {
    requireList(changes, 'changes')
    const call = callOf({ signal })
    const request: UndoRequest = {
      ...checkedFilter(filter),
      ...(changes === undefined ? {} : { changes }),
      ...(last === undefined ? {} : { last: wholeNumber(last, 'last', 1, MOST_LOGGED) }),
      ...(withLater === undefined ? {} : { withLater }),
    }
    const told: string[] = []
    for (let tries = 1; ; tries++) {
      told.push(...(await this.#store.absorb(call)).warnings)
      const { undone, cleaned, passedOver, external, operations, expect } = await planUndo(
        new UndoHistory(this.#store, this.#scopes, call),
        request,
        now,
      )
      const noted = [
        ...passedOver.map(
          (number) => `change ${number} was passed over: it also changed what belongs to another agent`,
        ),
        ...externalWarning(external),
        ...cleaned.map((entry) => `${labelOf(entry)} has expired and was removed since: it stays so`),
      ]
      this.#gate(undone.flatMap(({ touched }) => touched.map(({ before, after }) => (after ?? before)?.kind)))
      if (dryRun) return { undone, entries: [], warnings: [...told, ...noted] }
      const reverts = undone.map(({ change }) => change.number)
      const batch: Batch = { operations, origin: { by: 'undo', agent: this.#agent }, reverts }
      try {
        const { change, entries, warnings } = await applyAs(this.#store, this.#agent, batch, { expect, ...call })
        return { ...(change ? { change } : {}), undone, entries, warnings: [...told, ...noted, ...warnings] }
      } catch (error) {
        // Someone wrote between the plan and its turn: plan again on what is there now.
        if (!isKeepsakeError(error) || error.code !== 'CONFLICT' || tries >= PLAN_RACES) throw error
      }
    }
  }

  async blame(entry: Entry, options: CallOptions): Promise<Blame> {
    await this.#store.absorb(options)
    return blameOf(entry, await this.#store.versions([entry.id], options), this.#scopes)
  }

  /** Removed entries that ever had this name, in their last state. */
  async findRemovedByName(ref: string, options: CallOptions): Promise<readonly Entry[]> {
    await this.#store.absorb(options)
    return this.#gone({ scopes: this.#scopes, called: normalizeRef(ref) }, options)
  }

  /** The history entries that mirror these archives, also those that are gone: each says what its archive says. */
  async mirrorsOf(archives: ReadonlySet<string>, options: CallOptions): Promise<readonly string[]> {
    if (archives.size === 0) return []
    const filter = { scopes: [this.#agent], kinds: ['history'] as const }
    const ever = [...(await this.#store.heads(filter, options)), ...(await this.#gone(filter, options))]
    return ever.filter(({ metadata: { archive } }) => archives.has(String(archive))).map(({ id }) => id)
  }

  /** The last that is known of an entry that nobody can read any more. */
  async lastSeen(ref: string, options: CallOptions): Promise<Entry | undefined> {
    await this.#store.absorb(options)
    const id = await this.#findIdByFormerName(ref, options)
    if (id === undefined) return undefined
    if (this.#store.capabilities.history !== true) return this.#store.get(id, options)
    const versions = await this.#store.versions([id], options)
    return versions.findLast(({ entry }) => entry && this.#scopes.includes(entry.scope))?.entry
  }

  /** Empty if the store doesn't keep removed entries. */
  async #gone(filter: GoneFilter, options: CallOptions): Promise<readonly Entry[]> {
    return this.#store.capabilities.history === true ? this.#store.gone(filter, options) : []
  }

  /** A store that can only be read, as all that the agent sees was at an instant. */
  async storeAt(at: string, options: CallOptions): Promise<Store> {
    return pastStore(await this.#store.stateAt(at, { scopes: this.#scopes }, options), at, await this.#store.settings())
  }

  /** The id of the entry that last had this name, if none has it now: one that expired, was removed, or was renamed. */
  async #findIdByFormerName(ref: string, options: CallOptions): Promise<string | undefined> {
    const name = normalizeRef(ref)
    const byId = await this.#store.get(name, options)
    if (byId && this.#scopes.includes(byId.scope)) return byId.id
    for (const scope of this.#scopes.toReversed()) {
      const expired = await this.#store.resolve(scope, name, options)
      if (expired) return expired.id
    }
    const [gone] = await this.#gone({ scopes: this.#scopes, called: name }, options)
    if (gone) return gone.id
    if (this.#store.capabilities.history !== true) return undefined
    for await (const logged of this.#newestFirst({ name }, 1, options)) {
      const id = findIdByName(logged, name)
      if (id !== undefined) return id
    }
    return undefined
  }

  /** The changes that the agent sees, in growing pages. */
  async *#newestFirst(query: ChangeQuery, count: number, options: CallOptions): AsyncGenerator<VisibleChange> {
    let before = query.before
    for (let limit = Math.max(count, MIN_PAGE); ; limit = Math.max(limit, Math.min(limit * 4, MAX_PAGE))) {
      const from = before === undefined ? {} : { before }
      const page = await this.#store.changes({ ...query, ...from, scopes: this.#scopes, limit }, options)
      for (const logged of page) yield visibleIn(this.#scopes, logged)
      if (page.length < limit) return
      before = page.at(-1)?.change.number
    }
  }
}

function callOf({ signal }: { readonly signal?: AbortSignal | undefined }): CallOptions {
  return signal ? { signal } : {}
}

/** As names are stored. */
function normalizeRef(ref: string): string {
  return ref.normalize('NFC').trim()
}

function externalWarning(changes: readonly number[]): string[] {
  const newest = changes.at(-1)
  if (newest === undefined) return []
  if (changes.length === 1) return [`change ${newest} is an external edit and was not undone; undo it by its number`]
  return [`${changes.length} external edits, up to change ${newest}, were not undone; undo them by number`]
}

function labelOf({ kind, name, key, id }: Entry): string {
  return `${kind} ${JSON.stringify(name ?? key ?? id)}`
}

function checkedFilter({ since, until, by, agent, session, entry }: ChangeFilter): ChangeFilter {
  return {
    ...(since === undefined ? {} : { since: requireInstant(since, 'since') }),
    ...(until === undefined ? {} : { until: requireInstant(until, 'until') }),
    ...(by === undefined ? {} : { by: parseOriginBy(by) }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(entry === undefined ? {} : { entry }),
  }
}
