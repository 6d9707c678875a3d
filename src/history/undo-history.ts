/**
 * The part of the history that an undo needs, loaded from a store step by step. Invariants: if an entry's timeline is complete from a
 * change on, every later visible change of the entry is known. If an undo is known, so are the changes that it reverts, and all later
 * changes of their entries.
 */
import { handlesOf, keyHandle } from '../model/draft.ts'
import type { Entry, Scope } from '../model/entry.ts'
import type { CallOptions, ChangeQuery, Store } from '../ports/store.ts'
import { type ChangeFilter, matchesFilter, queryFor, type VisibleChange, visibleIn } from './log.ts'

type UndoSource = Pick<Store, 'changes' | 'resolve' | 'resolveKey'>

/** The target state of each entry, by id; `undefined`: it is to be removed. */
export type Targets = ReadonlyMap<string, Entry | undefined>

export class UndoHistory {
  readonly #store: UndoSource
  readonly #scopes: readonly Scope[]
  readonly #options: CallOptions
  readonly #known = new Map<number, VisibleChange>()
  /** Requested numbers that belong to no visible change. */
  readonly #unknown = new Set<number>()
  /** From this number on, all visible changes are known. */
  #completeFrom = Number.POSITIVE_INFINITY
  /** The number from which on all changes of an entry are known, if it is lower. */
  readonly #entryFrom = new Map<string, number>()

  constructor(store: UndoSource, scopes: readonly Scope[], options: CallOptions = {}) {
    this.#store = store
    this.#scopes = scopes
    this.#options = options
  }

  /** Oldest first. */
  get changes(): readonly VisibleChange[] {
    return [...this.#known.values()].sort((a, b) => a.change.number - b.change.number)
  }

  get(number: number): VisibleChange | undefined {
    return this.#known.get(number)
  }

  /**
   * Loads the newest changes that match, and the changes that decide whether those can be undone. Returns the number from which on all
   * matching changes are known.
   */
  async loadNewest(filter: ChangeFilter, count: number): Promise<number> {
    if (this.#completeFrom === 0) return 0
    const found = await this.#load({ ...queryFor(filter), ...(Number.isFinite(count) ? { limit: count } : {}) })
    const oldest = found.at(-1)?.change.number ?? 0
    const from = found.length < count ? 0 : oldest
    if (Object.values(filter).every((value) => value === undefined)) {
      this.#completeFrom = Math.min(this.#completeFrom, from)
      await this.loadLater([])
    } else {
      // A redo makes the change that it restores the newest one, and may itself not match.
      if (oldest > 0) await this.#load({ by: 'undo', after: oldest })
      await this.loadLater(this.changes.filter((one) => matchesFilter(one, filter)).map(({ change }) => change.number))
    }
    return from
  }

  /** Loads those of these changes that are visible. */
  async loadNumbers(numbers: readonly number[]): Promise<void> {
    const missing = numbers.filter((number) => !this.#known.has(number) && !this.#unknown.has(number))
    if (missing.length === 0 || this.#completeFrom === 0) return
    await this.#load({ numbers: missing })
    for (const number of missing) if (!this.#known.has(number)) this.#unknown.add(number)
  }

  /** Loads all later changes of the entries that these changes touched. */
  async loadLater(numbers: Iterable<number>): Promise<void> {
    const wanted = new Set(numbers)
    for (let count = -1; count !== this.#known.size; ) {
      count = this.#known.size
      const reverted = this.changes.flatMap(({ change }) => change.reverts ?? [])
      await this.loadNumbers(reverted)
      for (const number of reverted) wanted.add(number)
      const from = new Map<string, number>()
      for (const number of [...wanted].sort((a, b) => b - a)) {
        for (const { id } of this.get(number)?.touched ?? []) from.set(id, number)
      }
      await this.#loadEntries(from)
    }
  }

  /**
   * The entries that now have a name, an alias or a key that a restored entry would get back. If two have it, as external edits can
   * cause, the one that the store resolves. Loads all changes of these and the restored entries since a change.
   */
  async loadOwners(restored: Targets, since: number): Promise<Targets> {
    const owners = new Map<string, Entry>()
    const now = lastStates(this.changes)
    for (const entry of restored.values()) {
      if (!entry) continue
      const { id, scope, key = '' } = entry
      const current = now.get(id)?.scope === scope ? handlesIn(now.get(id)) : []
      for (const handle of handlesIn(entry).filter((one) => !current.includes(one))) {
        const owner =
          handle === keyHandle(key)
            ? await this.#store.resolveKey(scope, key, this.#options)
            : await this.#store.resolve(scope, handle, this.#options)
        if (owner && !restored.has(owner.id)) owners.set(owner.id, owner)
      }
    }
    await this.#loadEntries(new Map([...owners.keys(), ...restored.keys()].map((id) => [id, since])))
    return owners
  }

  /** The numbers of the oldest and the newest visible change; `undefined` if there is none. */
  async range(): Promise<readonly [number, number] | undefined> {
    const newestBefore = async (before?: number): Promise<number | undefined> => {
      const query = { scopes: this.#scopes, limit: 1, ...(before === undefined ? {} : { before }) }
      return (await this.#store.changes(query, this.#options))[0]?.change.number
    }
    const newest = await newestBefore()
    if (newest === undefined) return undefined
    let [oldest, none] = [newest, 0]
    while (oldest - none > 1) {
      const middle = Math.ceil((oldest + none) / 2)
      const found = await newestBefore(middle + 1)
      if (found === undefined) none = middle
      else oldest = found
    }
    return [oldest, newest]
  }

  /** `wanted`: for each entry, the change from which on its timeline must be complete. */
  async #loadEntries(wanted: ReadonlyMap<string, number>): Promise<void> {
    const missing = [...wanted].filter(
      ([id, from]) => from < Math.min(this.#completeFrom, this.#entryFrom.get(id) ?? Number.POSITIVE_INFINITY),
    )
    if (missing.length === 0) return
    const from = Math.min(...missing.map(([, number]) => number))
    const before = Number.isFinite(this.#completeFrom) ? { before: this.#completeFrom } : {}
    await this.#load({ entries: missing.map(([id]) => id), after: from - 1, ...before })
    for (const [id] of missing) this.#entryFrom.set(id, from)
  }

  async #load(query: ChangeQuery): Promise<readonly VisibleChange[]> {
    const found = await this.#store.changes({ ...query, scopes: this.#scopes }, this.#options)
    const visible = found.map((logged) => visibleIn(this.#scopes, logged))
    for (const one of visible) this.#known.set(one.change.number, one)
    return visible
  }
}

/** The state in which the last known change left each entry. */
export function lastStates(changes: readonly VisibleChange[]): Targets {
  return new Map(changes.flatMap(({ touched }) => touched.map(({ id, after }) => [id, after])))
}

function handlesIn(entry: Entry | undefined): readonly string[] {
  return entry ? handlesOf(entry) : []
}
