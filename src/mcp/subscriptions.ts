/** What one connection wants to hear of, and who tells it. The memory is watched while anything is wanted. */
import type { Memory } from '../memory.ts'
import type { Watch } from '../ports/store.ts'
import { type ResourceChange, watchResources } from './resource-changes.ts'
import { canonicalUri } from './resource-uri.ts'

/** Who is told on one connection. */
export interface Listener {
  readonly sendResourceUpdated: (params: { uri: string }) => Promise<void>
  readonly sendResourceListChanged: () => Promise<void>
}

export interface Wish {
  /** As the client wrote them, for it knows them only so. */
  readonly uris: readonly string[]
  readonly list: boolean
}

/** What a client of the 2026 era asked to be told of; `undefined` when nothing of it is here. */
export function wishOf(notifications: unknown): Wish | undefined {
  const { resourceSubscriptions, resourcesListChanged } = Object(notifications)
  const uris = Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : []
  const list = resourcesListChanged === true
  return uris.length === 0 && !list ? undefined : { uris, list }
}

export class Subscriptions {
  readonly #memory: Memory
  readonly #wishes = new Map<string | number, Wish>()
  #watch: Promise<Watch> | undefined
  #listener: Listener | undefined

  constructor(memory: Memory) {
    this.#memory = memory
  }

  tellTo(listener: Listener): void {
    this.#listener = listener
  }

  async want(key: string | number, wish: Wish): Promise<void> {
    this.#wishes.set(key, wish)
    this.#watch ??= watchResources(this.#memory, (change) => this.#changed(change))
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
