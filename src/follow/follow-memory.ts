/**
 * Reports what changed in what one agent sees, or all agents: by another process, an external edit, or a call to this server. A
 * recorded change is reported at once, at the cost of what it changed. Looking for external edits costs a stat per file, so it happens
 * only when the store says that something changed, and less often in a large memory. Nothing is read until someone follows.
 */
import type { Store, Watch } from '../ports/store.ts'
import { EntryChanges, type Followed, type SeenChange } from './entry-changes.ts'

type Changed = (changes: readonly SeenChange[]) => void

type Warn = (problems: readonly string[]) => void

/** A look for what hands did waits so many times as long as the last one took. */
const PAUSE_PER_LOOK = 10

/** After a store could not be watched, or not be looked at. */
const AGAIN_MS = 2000

/** By agent, so that everyone who follows the same memory shares one. */
const LOOKOUTS = new WeakMap<Store, Map<string | undefined, Lookout>>()

const WARNINGS = new WeakMap<Store, Warn>()

/** What changes after this resolves is told, soon. A store that can't be read is silent until it can. */
export async function followMemory(memory: Followed, changed: Changed): Promise<Watch> {
  const lookouts = LOOKOUTS.get(memory.store) ?? new Map<string | undefined, Lookout>()
  const lookout = lookouts.get(memory.agent) ?? new Lookout(memory)
  LOOKOUTS.set(memory.store, lookouts.set(memory.agent, lookout))
  // One of its own for each watch: the late end of one must not take another's.
  const listener: Changed = (changes) => changed(changes)
  await lookout.add(listener)
  return { stop: () => lookout.remove(listener) }
}

/** Call it after a write of this process, by any agent: not every store reports those. */
export function lookAgain({ store }: Pick<Followed, 'store'>): void {
  for (const lookout of LOOKOUTS.get(store)?.values() ?? []) lookout.look()
}

/** Calls `warn` with files that can't be read while a memory of this store is followed: once per problem, until it is solved. */
export function reportUnreadable(store: Store, warn: Warn): void {
  WARNINGS.set(store, warn)
}

/** Who listens to one memory. There is a watching while someone does, and another one where that failed. */
class Lookout {
  readonly #memory: Followed
  readonly #listeners = new Set<Changed>()
  #watching: Watching | undefined
  #began: Promise<void> = Promise.resolve()
  /** It could not be read by those who listen now, so that all of it will be news to them. */
  #hasFailed = false
  #again: NodeJS.Timeout | undefined
  #problems: ReadonlySet<string> = new Set()

  constructor(memory: Followed) {
    this.#memory = memory
  }

  async add(listener: Changed): Promise<void> {
    this.#listeners.add(listener)
    if (!this.#watching) this.#begin()
    await this.#began
  }

  async remove(listener: Changed): Promise<void> {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearTimeout(this.#again)
    this.#hasFailed = false
    const watching = this.#watching
    this.#watching = undefined
    await watching?.stop()
  }

  look(): void {
    if (this.#watching) this.#watching.look()
    else if (this.#listeners.size > 0) this.#begin()
  }

  #begin(): void {
    clearTimeout(this.#again)
    const watching: Watching = new Watching(this.#memory, {
      changed: (changes) => {
        if (watching === this.#watching) for (const listener of this.#listeners) listener(changes)
      },
      unreadable: (problems) => this.#report(problems),
      failed: (error) => this.#failed(error),
    })
    this.#watching = watching
    this.#began = watching.begin(this.#hasFailed).then(
      () => {
        if (watching === this.#watching) this.#hasFailed = false
      },
      async (error: unknown) => {
        await watching.stop()
        if (watching !== this.#watching) return
        this.#failed(error)
        this.#watching = undefined
        this.#hasFailed = true
        this.#again = setTimeout(() => this.#begin(), AGAIN_MS).unref()
      },
    )
  }

  #failed(error: unknown): void {
    this.#report([...this.#problems, error instanceof Error ? error.message : String(error)])
  }

  #report(problems: readonly string[]): void {
    const unknown = problems.filter((problem) => !this.#problems.has(problem))
    this.#problems = new Set(problems)
    if (unknown.length > 0) WARNINGS.get(this.#memory.store)?.(unknown)
  }
}

/** What one watch reports. */
interface Reports {
  readonly changed: Changed
  /** Everything that can't be read now, known problems included. */
  readonly unreadable: (problems: readonly string[]) => void
  readonly failed: (error: unknown) => void
}

/** One watch of the store from its beginning to its end. */
class Watching {
  readonly #store: Store
  readonly #reports: Reports
  readonly #changes: EntryChanges
  #watch: Promise<Watch> | undefined
  #hasBegun = false
  #isStale = false
  #wantsHands = false
  #looking: Promise<void> | undefined
  #later: NodeJS.Timeout | undefined
  /** After a look that failed. */
  #again: NodeJS.Timeout | undefined
  /** From when on hands may be looked for again. */
  #restsUntil = 0
  #isStopped = false

  constructor(memory: Followed, reports: Reports) {
    this.#store = memory.store
    this.#reports = reports
    this.#changes = new EntryChanges(memory)
  }

  async begin(tellsAll: boolean): Promise<void> {
    this.#watch = this.#store.watch(() => this.#woken())
    await this.#watch
    const all = await this.#changes.step(true)
    this.#hasBegun = true
    this.#reports.unreadable(this.#changes.problems)
    if (tellsAll) this.#reports.changed(all)
    if (this.#isStale) this.look()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#later)
    clearTimeout(this.#again)
    await (await this.#watch?.catch(() => undefined))?.stop()
  }

  /** What changes during a look is found by the next one. */
  look(): void {
    this.#isStale = true
    if (this.#hasBegun) this.#looking ??= this.#lookUntilFresh()
  }

  /** A change of the journal is told at once, for it may be all that there is. */
  #woken(): void {
    this.look()
    this.#later ??= setTimeout(() => {
      this.#later = undefined
      this.#wantsHands = true
      this.look()
    }, this.#restsUntil - performance.now()).unref()
  }

  async #lookUntilFresh(): Promise<void> {
    clearTimeout(this.#again)
    let hands = false
    try {
      while (this.#isStale && !this.#isStopped) {
        hands = this.#wantsHands
        this.#isStale = false
        this.#wantsHands = false
        const begin = performance.now()
        const changes = await this.#changes.step(hands)
        if (hands) this.#reports.unreadable(this.#changes.problems)
        if (hands) this.#restsUntil = begin + (performance.now() - begin) * (1 + PAUSE_PER_LOOK)
        if (changes.length > 0) this.#reports.changed(changes)
      }
    } catch (error) {
      this.#reports.failed(error)
      // Unreadable for now, and nobody says when that ends: what this look was for may be the last that changes.
      this.#isStale = true
      this.#wantsHands ||= hands
      if (!this.#isStopped) this.#again = setTimeout(() => this.look(), AGAIN_MS).unref()
    } finally {
      this.#looking = undefined
    }
  }
}
