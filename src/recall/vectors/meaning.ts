/**
 * The vectors that one memory searches, world and own: kept in step with the index, asked about a query, and made where they are
 * missing. Reading needs no model, only its name. One process at a time embeds; the others read what it saves.
 */
import { type ErrorCode, isKeepsakeError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions, Lease, Store } from '../../ports/store.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { type EmbeddingRun, embedScope } from './embed-scope.ts'
import type { Embedded, EmbedPendingOptions, MeaningView, Near } from './meaning-view.ts'
import { ScopeVectors } from './scope-vectors.ts'

/** Whoever has it writes vectors. */
export const EMBED_LEASE = 'embed'

/** Queries are asked again: page by page, or once for the candidates and once for an explanation. */
const REMEMBERED_QUERIES = 8
const UNWRITABLE: readonly ErrorCode[] = ['READ_ONLY', 'IO']

export class Meaning {
  readonly source: EmbedSource
  readonly #store: Store
  readonly #scopes: readonly ScopeVectors[]
  readonly #queries = new Map<string, Float32Array>()
  /** Files are read by one at a time, for rows are numbered as they come. */
  #turn: Promise<unknown> = Promise.resolve()
  #isWriting = false

  constructor(store: Store, scopes: readonly Scope[], source: EmbedSource) {
    this.source = source
    this.#store = store
    this.#scopes = scopes.map((scope) => new ScopeVectors(store, scope, source.model))
  }

  /** Entries without a vector, as of the last `follow`. */
  get pending(): number {
    return this.#scopes.reduce((sum, { wanted }) => sum + wanted.size, 0)
  }

  /** Entries with vectors, as of the last `follow`. */
  get entries(): number {
    return this.#scopes.reduce((sum, { rows }) => sum + (rows?.currentEntries ?? 0), 0)
  }

  /** Reads what is kept, which `follow` does too: for who would not keep a turn of the index waiting for it. */
  async open(): Promise<void> {
    await this.#inTurn(async () => {
      for (const scope of this.#scopes) await scope.open()
    })
  }

  /** Called by `RecallIndex.inStep(use, { meaning })`, after the index has followed. */
  async follow(indexes: readonly ScopeIndex[]): Promise<void> {
    await this.#inTurn(async () => {
      for (const [n, index] of indexes.entries()) await this.#scopes[n]?.follow(index, !this.#isWriting)
    })
  }

  /** Valid inside the turn in which it was brought into step. */
  view(query: Float32Array): MeaningView {
    const all = this.#scopes.flatMap(({ rows }) => (rows?.dimensions === query.length ? [rows] : []))
    const cosines = (ids: readonly string[]): ReadonlyMap<string, number> =>
      new Map(all.flatMap((rows) => [...rows.cosines(query, ids)]))
    return {
      model: this.source.model,
      pending: this.pending,
      cosine: (id) => cosines([id]).get(id),
      cosines,
      best: (most, accepts) => {
        const found = all.flatMap((rows) => rows.best(query, most, accepts))
        return all.length === 1 ? found : found.sort(byCosine).slice(0, most)
      },
    }
  }

  async queryVector(text: string, options: CallOptions = {}): Promise<Float32Array> {
    const known = this.#queries.get(text)
    const vector = known ?? (await (await this.source.load(options)).embed([text], options))[0]
    if (!vector) throw new Error('a model gave no vector') // see Embed
    this.#queries.delete(text)
    this.#queries.set(text, vector)
    const [oldest] = this.#queries.keys()
    if (this.#queries.size > REMEMBERED_QUERIES && oldest !== undefined) this.#queries.delete(oldest)
    return vector
  }

  /** What the last `follow` told of. Never inside `use` of `inStep`. */
  async embedPending(options: EmbedPendingOptions = {}): Promise<Embedded> {
    const isNeeded = this.pending > 0 || !this.#scopes.every(({ isSaved }) => isSaved)
    const embedded = isNeeded ? await this.#embedLeased(options) : 0
    return { model: this.source.model, embedded, entries: this.entries, pending: this.pending }
  }

  async #embedLeased(options: EmbedPendingOptions): Promise<number> {
    const lease = await this.#lease()
    if (!lease) {
      if (!this.#isWriting) await this.#catchUp()
      return 0
    }
    this.#isWriting = true
    try {
      await this.#catchUp()
      return await this.#embed(options, lease === 'nowhere' ? [] : this.#scopes)
    } finally {
      this.#isWriting = false
      if (lease !== 'nowhere') await lease.release()
    }
  }

  /** `nowhere`: this memory can only be read, or has no room. Then vectors are made for this process alone. */
  async #lease(): Promise<Lease | 'nowhere' | undefined> {
    if (this.#isWriting) return undefined
    try {
      return await this.#store.lease(EMBED_LEASE)
    } catch (error) {
      if (!isKeepsakeError(error) || !UNWRITABLE.includes(error.code)) throw error
      return 'nowhere'
    }
  }

  async #embed({ signal, most, onProgress }: EmbedPendingOptions, saved: readonly ScopeVectors[]): Promise<number> {
    const total = this.pending
    let done = 0
    const run: EmbeddingRun = {
      store: this.#store,
      load: () => this.source.load(signal ? { signal } : {}),
      signal,
      isSaved: saved.length > 0,
      left: most ?? Number.POSITIVE_INFINITY,
      embedded: 0,
      settled: () => onProgress?.(++done, total),
    }
    try {
      for (const scope of this.#scopes) if (run.left > 0) await embedScope(scope, run)
    } finally {
      for (const scope of saved) await scope.save()
    }
    return run.embedded
  }

  async #catchUp(): Promise<void> {
    await this.#inTurn(async () => {
      for (const scope of this.#scopes) await scope.catchUp()
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

function byCosine(a: Near, b: Near): number {
  return b.cosine - a.cosine || (a.id < b.id ? -1 : 1)
}
