/**
 * Tells what of the resources changed, whoever did it: another process, a hand, or a call to this server. A store says only
 * that something changed, so two looks at all heads are compared. That costs a stat a file, and so nobody looks before
 * someone wants to know. What an agent can't see is in neither look and is never told.
 */
import type { Memory } from '../memory.ts'
import type { EntryHead } from '../model/entry.ts'
import type { Watch } from '../ports/store.ts'
import { canonicalUri, listedUri, urisOf } from './resource-uri.ts'
import { visibleHeads } from './visible-heads.ts'

export interface ResourceChange {
  /** Each address of what came, went or changed. */
  readonly uris: readonly string[]
  /** Whether the list of resources is another one now. */
  readonly list: boolean
}

type Changed = (change: ResourceChange) => void

type Look = ReadonlyMap<string, EntryHead>

/** One for all who watch the same memory. */
const LOOKOUTS = new WeakMap<Memory, Lookout>()

/** What changes after this resolves is told, soon. A store that can't be read is silent until it can. */
export async function watchResources(memory: Memory, changed: Changed): Promise<Watch> {
  const lookout = LOOKOUTS.get(memory) ?? new Lookout(memory)
  LOOKOUTS.set(memory, lookout)
  await lookout.add(changed)
  return { stop: () => lookout.remove(changed) }
}

/** After a write of our own: not every store tells those. */
export function lookAgain(memory: Memory): void {
  LOOKOUTS.get(memory)?.look()
}

class Lookout {
  readonly #memory: Memory
  readonly #listeners = new Set<Changed>()
  #watch: Promise<Watch> | undefined
  #last: Look = new Map()
  #looking: Promise<void> | undefined
  #isStale = false

  constructor(memory: Memory) {
    this.#memory = memory
  }

  async add(listener: Changed): Promise<void> {
    this.#listeners.add(listener)
    this.#watch ??= this.#begin()
    await this.#watch
  }

  async remove(listener: Changed): Promise<void> {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    const watch = this.#watch
    this.#watch = undefined
    await (await watch)?.stop()
  }

  /** What changes during a look is found by the next one. */
  look(): void {
    if (!this.#watch) return
    this.#isStale = true
    this.#looking ??= this.#lookUntilFresh()
  }

  async #begin(): Promise<Watch> {
    try {
      const watch = await this.#memory.watch(() => this.look())
      this.#last = await this.#now()
      return watch
    } catch {
      return { stop: async () => undefined }
    }
  }

  async #lookUntilFresh(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false
        const before = this.#last
        this.#last = await this.#now()
        const change = changeBetween(before, this.#last)
        if (change.uris.length > 0) for (const listener of this.#listeners) listener(change)
      }
    } catch {
      // unreadable for now; the store calls again when that ends
    } finally {
      this.#looking = undefined
    }
  }

  async #now(): Promise<Look> {
    return new Map((await visibleHeads(this.#memory)).map((head) => [head.id, head]))
  }
}

function changeBetween(before: Look, after: Look): ResourceChange {
  const uris = new Set<string>()
  let list = false
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(id), after.get(id)]
    if (was && is && was.revision === is.revision && was.name === is.name) continue
    for (const uri of [...(was ? urisOf(was) : []), ...(is ? urisOf(is) : [])]) uris.add(uri)
    list ||= (was && listedUri(was)) !== (is && listedUri(is))
  }
  return { uris: [...uris], list }
}

/** Who is told on one connection. */
export interface Listener {
  readonly sendResourceUpdated: (params: { uri: string }) => Promise<void>
  readonly sendResourceListChanged: () => Promise<void>
}

interface Wish {
  readonly uris: readonly string[]
  readonly list: boolean
}

/** What one connection wants to hear of. It watches while it wants anything. */
export class Subscriptions {
  readonly #memory: Memory
  readonly #wishes = new Map<string | number, Wish>()
  readonly #tell: Changed
  #watch: Promise<Watch> | undefined
  #listener: Listener | undefined

  constructor(memory: Memory) {
    this.#memory = memory
    this.#tell = (change) => this.#changed(change)
  }

  tellTo(listener: Listener): void {
    this.#listener = listener
  }

  /** Addresses are kept as the client wrote them, for it knows them only so. */
  async want(key: string | number, wish: Wish): Promise<void> {
    this.#wishes.set(key, wish)
    this.#watch ??= watchResources(this.#memory, this.#tell)
    await this.#watch
  }

  async drop(key: string | number): Promise<void> {
    this.#wishes.delete(key)
    if (this.#wishes.size === 0) await this.#stop()
  }

  async close(): Promise<void> {
    this.#wishes.clear()
    await this.#stop()
  }

  async #stop(): Promise<void> {
    const watch = this.#watch
    this.#watch = undefined
    await (await watch)?.stop()
  }

  #changed({ uris, list }: ResourceChange): void {
    const wishes = [...this.#wishes.values()]
    const changed = new Set(uris)
    const wanted = new Set(wishes.flatMap((wish) => wish.uris))
    for (const uri of wanted) {
      const canonical = canonicalUri(uri)
      if (canonical !== undefined && changed.has(canonical)) this.#send((to) => to.sendResourceUpdated({ uri }))
    }
    if (list && wishes.some((wish) => wish.list)) this.#send((to) => to.sendResourceListChanged())
  }

  /** A connection that is gone hears nothing, and that is no failure. */
  #send(tell: (listener: Listener) => Promise<void>): void {
    if (this.#listener) tell(this.#listener).catch(() => undefined)
  }
}
