/** A model that is opened when it is first wanted: once for all who want it, and again only where that failed. */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import { abortable } from '../model/abortable.ts'
import type { Embed, EmbedSource } from '../ports/embed.ts'
import type { CallOptions } from '../ports/store.ts'

export class LaterEmbed implements EmbedSource {
  readonly model: string
  readonly #open: () => Promise<Embed>
  #loading: Promise<Embed> | undefined
  #loaded: Embed | undefined
  #failure: KeepsakeError | undefined
  #isClosed = false

  constructor(model: string, open: () => Promise<Embed>) {
    this.model = model
    this.#open = open
  }

  get loaded(): Embed | undefined {
    return this.#loaded
  }

  get failure(): KeepsakeError | undefined {
    return this.#failure
  }

  async load({ signal }: CallOptions = {}): Promise<Embed> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closed()
    const loading = this.#loading ?? this.#begin()
    this.#loading = loading
    return abortable(() => loading, signal)
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
      this.#failure = undefined
      this.#loaded = embed
      return embed
    } catch (error) {
      this.#loading = undefined
      if (isKeepsakeError(error)) this.#failure = error
      throw error
    }
  }
}

function closed(): KeepsakeError {
  return new KeepsakeError('CLOSED', 'the embedding model is closed', { hint: 'Open the memory again.' })
}
