/** Vectors of the last queries. They are asked again: page by page, or once for the candidates and once for an explanation. */
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions } from '../../ports/store.ts'

const REMEMBERED = 8

export class QueryVectors {
  readonly #source: EmbedSource
  readonly #queries = new Map<string, Float32Array>()

  constructor(source: EmbedSource) {
    this.#source = source
  }

  /** `made`: called with what the model was asked for now. */
  async of(text: string, options: CallOptions, made?: (vector: Float32Array) => void): Promise<Float32Array> {
    const known = this.#queries.get(text)
    const vector = known ?? (await (await this.#source.load(options)).embed([text], options))[0]
    if (!vector) throw new Error('a model gave no vector') // see Embed
    if (!known) made?.(vector)
    this.#queries.delete(text)
    this.#queries.set(text, vector)
    const [oldest] = this.#queries.keys()
    if (this.#queries.size > REMEMBERED && oldest !== undefined) this.#queries.delete(oldest)
    return vector
  }
}
