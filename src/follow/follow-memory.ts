/**
 * Tells what changed of what an agent sees, whoever did it: another process, a hand, or a call to this server. A change of the
 * journal is told at once and costs what it changed. What hands did costs a stat a file: it is looked for when the store
 * says that something changed, and a large memory is looked at less often than it is written to. Nobody looks before
 * someone wants to know.
 */
import type { Memory } from '../memory.ts'
import type { Watch } from '../ports/store.ts'
import { EntryChanges, type SeenChange } from './entry-changes.ts'

type Changed = (changes: readonly SeenChange[]) => void

/** A look for what hands did waits so many times as long as the last one took. */
const PAUSE_PER_LOOK = 10

/** After a store could not be watched, or not be looked at. */
const AGAIN_MS = 2000

/** One for all who watch the same memory. */
const LOOKOUTS = new WeakMap<Memory, Lookout>()

/** What changes after this resolves is told, soon. A store that can't be read is silent until it can. */
export async function followMemory(memory: Memory, changed: Changed): Promise<Watch> {
  const lookout = LOOKOUTS.get(memory) ?? new Lookout(memory)
  LOOKOUTS.set(memory, lookout)
  // One of its own for each watch: the late end of one must not take another's.
  const listener: Changed = (changes) => changed(changes)
  await lookout.add(listener)
  return { stop: () => lookout.remove(listener) }
}

/** After a write of our own: not every store tells those. */
export function lookAgain(memory: Memory): void {
  LOOKOUTS.get(memory)?.look()
}

/** Who listens to one memory. There is a watching while someone does, and another one where that failed. */
class Lookout {
  readonly #memory: Memory
  readonly #listeners = new Set<Changed>()
  #watching: Watching | undefined
  #began: Promise<void> = Promise.resolve()
  /** It could not be read by those who listen now, so that all of it will be news to them. */
  #hasFailed = false
  #again: NodeJS.Timeout | undefined

  constructor(memory: Memory) {
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
    const watching: Watching = new Watching(this.#memory, (changes) => {
      if (watching === this.#watching) for (const listener of this.#listeners) listener(changes)
    })
    this.#watching = watching
    this.#began = watching.begin(this.#hasFailed).then(
      () => {
        if (watching === this.#watching) this.#hasFailed = false
      },
      async () => {
        await watching.stop()
        if (watching !== this.#watching) return
        this.#watching = undefined
        this.#hasFailed = true
        this.#again = setTimeout(() => this.#begin(), AGAIN_MS).unref()
      },
    )
  }
}

/** One watch of the store from its beginning to its end. */
class Watching {
  readonly #memory: Memory
  readonly #tell: Changed
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

  constructor(memory: Memory, tell: Changed) {
    this.#memory = memory
    this.#tell = tell
    this.#changes = new EntryChanges(memory)
  }

  async begin(tellsAll: boolean): Promise<void> {
    this.#watch = this.#memory.watch(() => this.#woken())
    await this.#watch
    const all = await this.#changes.step(true)
    this.#hasBegun = true
    if (tellsAll) this.#tell(all)
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
        if (hands) this.#restsUntil = begin + (performance.now() - begin) * (1 + PAUSE_PER_LOOK)
        if (changes.length > 0) this.#tell(changes)
      }
    } catch {
      // Unreadable for now, and nobody says when that ends: what this look was for may be the last that changes.
      this.#isStale = true
      this.#wantsHands ||= hands
      if (!this.#isStopped) this.#again = setTimeout(() => this.look(), AGAIN_MS).unref()
    } finally {
      this.#looking = undefined
    }
  }
}
