/**
 * The past as an agent may see it: the log, undo, blame, and the memory as it was. Hand edits are journaled first, so that what
 * is shown and taken back includes them.
 */
import { isKeepsakeError, NotFoundError } from '../errors.ts'
import { type Blame, blameOf } from '../history/blame.ts'
import {
  type ChangeFilter,
  idInHistory,
  isEmptied,
  type LoggedChange,
  matchesFilter,
  parseOriginBy,
  visibleChanges,
} from '../history/log.ts'
import { pastStore } from '../history/past-store.ts'
import { planUndo, type UndoRequest } from '../history/undo.ts'
import type { Entry, Scope } from '../model/entry.ts'
import { wholeNumber } from '../model/number.ts'
import type { Batch, Change } from '../model/operation.ts'
import { requireList } from '../model/options.ts'
import { requireInstant } from '../model/time.ts'
import type { CallOptions, History, Store, Touched } from '../ports/store.ts'
import { applyAs } from './apply-as.ts'
import type { IdentityGate } from './identity-gate.ts'

export interface LogQuery extends ChangeFilter, CallOptions {
  /** Default 20. */
  readonly limit?: number
  /** Only changes of this entry, by id, name or alias; also of one that is gone. */
  readonly ref?: string
}

export interface Undone {
  /** Missing when it was only tried. */
  readonly change?: Change
  /** Oldest first. */
  readonly undone: readonly LoggedChange[]
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
/** Whoever asks for now asks a moment before. */
const A_MOMENT_MS = 2000

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
  async log(query: LogQuery, entryNow: string | undefined): Promise<readonly LoggedChange[]> {
    const limit = wholeNumber(query.limit ?? DEFAULT_LOG, 'limit', 1, MOST_LOGGED)
    const changes = await this.#changes(query)
    const { ref } = query
    const entry = ref === undefined ? query.entry : (entryNow ?? idInHistory(changes, ref))
    if (ref !== undefined && entry === undefined) throw new NotFoundError(ref)
    const filter = checkedFilter({ ...query, ...(entry === undefined ? {} : { entry }) })
    const matching = changes.filter((logged) => !isEmptied(logged) && matchesFilter(logged, filter))
    return matching.slice(-limit).reverse()
  }

  async undo({ dryRun, signal, changes, last, withLater, ...filter }: UndoOptions, now: string): Promise<Undone> {
    requireList(changes, 'changes')
    const call = signal ? { signal } : {}
    const request: UndoRequest = {
      ...checkedFilter(filter),
      ...(changes === undefined ? {} : { changes }),
      ...(last === undefined ? {} : { last: wholeNumber(last, 'last', 1, MOST_LOGGED) }),
      ...(withLater === undefined ? {} : { withLater }),
    }
    const told: string[] = []
    for (let tries = 1; ; tries++) {
      told.push(...(await this.#store.absorb(call)).warnings)
      const { undone, cleaned, passedOver, external, operations, expect } = planUndo(
        await this.#journaled(call),
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
    return blameOf(entry, await this.#changes(options))
  }

  /** Every entry, gone by now, that was ever called so: how it went. */
  async goneCalled(ref: string, options: CallOptions): Promise<readonly Touched[]> {
    const changes = await this.#changes(options)
    const wanted = ref.normalize('NFC').trim()
    const last = new Map<string, Touched>()
    const named = new Set<string>()
    for (const { touched } of changes) {
      for (const one of touched) {
        const { id, before, after } = one
        last.set(id, one)
        const names = [before, after].flatMap((state) => (state ? [state.name, ...state.aliases] : []))
        if (id === wanted || names.includes(wanted)) named.add(id)
      }
    }
    return [...last.values()].filter(({ id, after }) => named.has(id) && after === undefined)
  }

  /** The history entries that mirror these archives, also those that are gone: each says what its archive says. */
  async mirrorsOf(archives: ReadonlySet<string>, options: CallOptions): Promise<readonly string[]> {
    if (archives.size === 0) return []
    const there = await this.#store.heads({ scopes: [this.#agent], kinds: ['history'] }, options)
    const ever = (await this.#changes(options)).flatMap(({ touched }) =>
      touched.flatMap(({ before, after }) => [before, after].filter((state) => state !== undefined)),
    )
    const mirrors = [...there, ...ever].filter(({ kind, metadata }) => {
      const { archive } = metadata
      return kind === 'history' && typeof archive === 'string' && archives.has(archive)
    })
    return [...new Set(mirrors.map(({ id }) => id))]
  }

  /** The last that is known of an entry that nobody can read any more. */
  async lastSeen(ref: string, options: CallOptions): Promise<Entry | undefined> {
    const changes = await this.#changes(options)
    const id = idInHistory(changes, ref)
    const states = changes.flatMap(({ touched }) => touched.filter((one) => one.id === id))
    const last = states.at(-1)
    return last?.after ?? last?.before
  }

  /** A store that can only be read, as all was at an instant. */
  async storeAt(at: string, now: string, options: CallOptions): Promise<Store> {
    const history = await this.#store.history(options)
    const isPast = Date.parse(now) - Date.parse(at) > A_MOMENT_MS
    const hands = await this.#unjournaled(history, isPast, options)
    return pastStore(history, at, await this.#store.settings(), hands)
  }

  /** What hands did that no change tells of yet. Nobody knows when a file was removed: until now it counts as there. */
  async #unjournaled(history: History, isPast: boolean, options: CallOptions): Promise<Touched[]> {
    const told = new Map(history.entries.map((entry) => [entry.id, entry]))
    for (const { touched } of history.changes) {
      for (const { id, after } of touched) {
        if (after) told.set(id, after)
        else told.delete(id)
      }
    }
    const found: Touched[] = []
    for await (const entry of this.#store.scan({}, options)) {
      if (told.get(entry.id)?.revision !== entry.revision) found.push({ id: entry.id, after: entry })
      told.delete(entry.id)
    }
    return isPast ? found : [...found, ...[...told.keys()].map((id) => ({ id }))]
  }

  async #changes(options: CallOptions): Promise<LoggedChange[]> {
    await this.#store.absorb(options)
    return this.#journaled(options)
  }

  async #journaled(options: CallOptions): Promise<LoggedChange[]> {
    return visibleChanges(await this.#store.history(options), this.#scopes)
  }
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
