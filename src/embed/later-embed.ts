/** A model that is opened when it is first wanted: once for all who want it, and again only where that failed. */
import { KeepsakeError } from '../errors.ts'
import type { Embed, EmbedSource } from '../ports/embed.ts'
import type { CallOptions } from '../ports/store.ts'

export class LaterEmbed implements EmbedSource {
  readonly model: string
  readonly #open: () => Promise<Embed>
  #loading: Promise<Embed> | undefined
  #loaded: Embed | undefined
  #isClosed = false

  constructor(model: string, open: () => Promise<Embed>) {
    this.model = model
    this.#open = open
  }

  get loaded(): Embed | undefined {
    return this.#loaded
  }

  async load({ signal }: CallOptions = {}): Promise<Embed> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closed()
    this.#loading ??= this.#begin()
    return signal ? untilAborted(this.#loading, signal) : this.#loading
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const loading = this.#loading
    this.#loading = undefined
    this.#loaded = undefined
    const embed = await loading?.catch(() => undefined)
    await embed?.close()
  }

  async #begin(): Promise<Embed> {
    try {
      const embed = await this.#open()
      if (this.#isClosed) return embed
      this.#loaded = embed
      return embed
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}

/** One who no longer waits does not end it for the others. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function closed(): KeepsakeError {
  return new KeepsakeError('CLOSED', 'the embedding model is closed', { hint: 'Open the memory again.' })
}
