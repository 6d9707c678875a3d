/**
 * The vectors that one memory searches if the store keeps and searches them itself: one set for all agents and processes, made by a
 * process that has a model and the lease. The store knows which entries lack vectors; those are found by words. No process
 * makes vectors for itself alone.
 */
import { type ErrorCode, isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { KIND_NAMES } from '../../model/kinds.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions, Lease, Store } from '../../ports/store.ts'
import type { NativeVectors, NearestEntries, NearestRequest, VectorStatus } from '../../ports/vectors.ts'
import type { Segment } from '../../search/segment.ts'
import { COLUMN, MIRROR } from '../entry-document.ts'
import { PIECES_VERSION } from '../pieces.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { inSlices } from './breath.ts'
import { embedNative, modelConflict } from './embed-native.ts'
import { KnownVectors } from './known-vectors.ts'
import { type Asking, type AskWish, EMBED_LEASE, type Meaning } from './meaning.ts'
import type { Embedded, EmbedPendingOptions, RefusedEntry } from './meaning-view.ts'
import { means } from './means.ts'
import { NativeQuery, type QuerySource } from './native-query.ts'
import { QueryVectors } from './query-vectors.ts'
import { Refusals } from './refusals.ts'

type EmbedOutcome = Pick<Embedded, 'embedded' | 'kept' | 'isElsewhere'>
const NOTHING_EMBEDDED: EmbedOutcome = { embedded: 0, kept: true }

/** After one of these errors a search continues by words. Models never fail with one. */
const OBSTACLES: readonly ErrorCode[] = ['IO', 'FOREIGN']
const IDENTITY = KIND_NAMES.indexOf('identity')

const NO_LEASE: Lease = { release: async () => undefined }

export class NativeIndex implements Meaning, QuerySource {
  readonly source: EmbedSource
  /** Missing while there are no vectors. */
  known: KnownVectors | undefined
  searchedBy: string | undefined
  readonly #store: Store
  readonly #scopes: readonly Scope[]
  readonly #vectors: NativeVectors
  readonly #queries: QueryVectors
  readonly #refusals = new Refusals()
  /** See NativeRun. */
  readonly #made = new Map<string, Float32Array>()
  #indexes: readonly ScopeIndex[] = []
  /** As of the last refresh. */
  #model: VectorStatus['model']
  #pendingIds: ReadonlySet<string> = new Set()
  #refusedIds: ReadonlySet<string> = new Set()
  /** When it started, by `performance.now()`. */
  #refreshedAtMs = Number.NEGATIVE_INFINITY
  #lastRefresh: Promise<unknown> = Promise.resolve()
  /** Of vectors that the model makes now, if known. */
  #dimensions: number | undefined
  /** The error of the last call of `#vectors`; missing if it succeeded. */
  #failure: KeepsakeError | undefined
  /** Of the store, not of the model. */
  readonly #timeouts = new WeakSet<KeepsakeError>()
  #conflict: KeepsakeError | undefined

  constructor(store: Store, scopes: readonly Scope[], vectors: NativeVectors, source: EmbedSource) {
    this.source = source
    this.#store = store
    this.#scopes = scopes
    this.#vectors = vectors
    this.#queries = new QueryVectors(source)
  }

  get pending(): number {
    if (!this.#model) return count(this.ids(), () => true)
    return count([...this.#pendingIds, ...this.#refusedIds], (id) => this.#hasText(id)) - this.refused.length
  }

  get entries(): number {
    return count(this.ids(), (id) => this.has(id) === true)
  }

  /** Entries that the model refused in another process count as pending: this process tries them again. */
  get refused(): readonly RefusedEntry[] {
    return this.#refusals.entries.filter(({ id }) => this.#refusedIds.has(id) && this.#hasText(id))
  }

  get obstacle(): KeepsakeError | undefined {
    return this.#failure ?? this.#conflict
  }

  isObstacle(error: unknown): error is KeepsakeError {
    if (!isKeepsakeError(error)) return false
    return OBSTACLES.includes(error.code) || this.#timeouts.has(error) || error === this.#conflict
  }

  has(id: string): boolean | undefined {
    if (!this.#hasText(id)) return undefined
    return this.#model !== undefined && !this.#pendingIds.has(id) && !this.#refusedIds.has(id)
  }

  async vectorsOf(ids: readonly string[], options: CallOptions = {}): Promise<ReadonlyMap<string, Float32Array>> {
    if (this.obstacle) throw this.obstacle
    const unread = ids.filter((id) => !this.known?.has(id))
    if (unread.length > 0) await this.read(unread, options)
    const meanOf = (id: string): Float32Array | undefined => this.known?.mean(id)
    return inSlices(means(ids, meanOf), options.signal)
  }

  /** There is nothing to read in advance. */
  async open(): Promise<void> {}

  async follow(indexes: readonly ScopeIndex[], options: CallOptions = {}): Promise<void> {
    this.#indexes = indexes
    for (const index of indexes) this.known?.forget(index.takeTouched())
    // A search by words does without vectors; `obstacle` says why they are missing.
    await this.#refresh(options).catch((error) => {
      if (!this.isObstacle(error)) throw error
    })
  }

  queryVector(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#queries.of(text, options, ({ length }) => {
      this.#dimensions = length
    })
  }

  async ask(query: Float32Array, wish: AskWish): Promise<Asking> {
    const asked = oneQuestion(wish)
    await this.#refresh(asked)
    if (this.obstacle) throw this.obstacle
    return NativeQuery.start(this, query, asked)
  }

  nearest(query: Float32Array, request: NearestRequest): Promise<NearestEntries> {
    return this.#guard(() => this.#vectors.nearest(query, request), request)
  }

  /** Adds their vectors to `known`. */
  async read(ids: readonly string[], options: CallOptions): Promise<void> {
    await this.known?.load(ids, () => this.#guard(() => this.#vectors.read(ids, options), options))
  }

  async embedPending(options: EmbedPendingOptions = {}): Promise<Embedded> {
    const made = await this.#embedLeased(options)
    const { entries, pending, refused, searchedBy } = this
    return {
      ...{ model: this.source.model, ...made, entries, pending },
      ...(refused.length === 0 ? {} : { refused }),
      ...(searchedBy === undefined ? {} : { searchedBy }),
    }
  }

  async #embedLeased(options: EmbedPendingOptions): Promise<EmbedOutcome> {
    await this.#refresh(options)
    if (this.#conflict && !options.anew) throw this.#conflict
    this.#refusals.takePassed()
    const knownRefusals = new Set(this.#refusals.entries.map(({ id }) => id))
    const retry = options.anew ? [] : [...this.#refusedIds].filter((id) => !knownRefusals.has(id))
    if (!options.anew && retry.length === 0 && !(await this.#isBehind(options))) return NOTHING_EMBEDDED
    // Without leases two processes may make the same vectors, which does no harm.
    const hasLeases = this.#store.capabilities.leases === true
    const lease = hasLeases ? await this.#guard(() => this.#store.lease(EMBED_LEASE), options) : NO_LEASE
    if (!lease) return { ...NOTHING_EMBEDDED, isElsewhere: true }
    try {
      const parts = { store: this.#store, vectors: this.#vectors, source: this.source, refusals: this.#refusals }
      return { embedded: await embedNative({ ...options, ...parts, retry, made: this.#made }), kept: true }
    } finally {
      await lease.release()
      // After an interruption, the caller gets its reason, not an error of this refresh.
      if (!options.signal?.aborted) await this.#refresh({})
    }
  }

  /** Whether any agent's entry lacks vectors, or all were made by an older rule. */
  async #isBehind({ signal }: CallOptions): Promise<boolean> {
    if (this.#model && this.#model.pieces < PIECES_VERSION) return true
    // Another program may have made vectors, but of which model they are is not recorded yet.
    if (!this.#model && !this.ids().next().done) return true
    return (await this.#vectors.pending(0, 1, signal ? { signal } : {})).length > 0
  }

  /** Runs once for each search, one at a time. */
  async #refresh({ signal, askedAtMs = performance.now() }: CallOptions): Promise<void> {
    const refresh = this.#lastRefresh.then(async () => {
      if (this.#refreshedAtMs >= askedAtMs) return
      const startedAtMs = performance.now()
      const call = { askedAtMs, ...(signal ? { signal } : {}) }
      this.#applyStatus(await this.#guard(() => this.#vectors.status(this.#scopes, call), call))
      this.searchedBy = await this.#guard(() => this.#vectors.describe(call), call)
      this.#refreshedAtMs = startedAtMs
    })
    this.#lastRefresh = refresh.catch(() => undefined)
    await refresh
    this.#conflict = modelConflict(this.#model, this.source.model, this.#dimensions)
  }

  #applyStatus({ model, pending, refused }: VectorStatus): void {
    if (JSON.stringify(model) !== JSON.stringify(this.#model)) this.known = undefined
    this.#model = model
    if (model) this.known ??= new KnownVectors(model.dimensions)
    this.#pendingIds = new Set(pending)
    this.#refusedIds = new Set(refused)
  }

  /** Entries of these indexes that have text to embed. */
  *ids(): IterableIterator<string> {
    for (const { index } of this.#indexes) {
      for (const segment of index.segments()) {
        for (let document = 0; document < segment.documents; document++) {
          if (!segment.removed.has(document) && hasText(segment, document)) yield segment.id(document)
        }
      }
    }
  }

  /** Whether it is in these indexes, and has text to embed. */
  #hasText(id: string): boolean {
    for (const { index } of this.#indexes) {
      for (const segment of index.segments()) {
        const document = segment.find(id)
        if (document >= 0) return hasText(segment, document)
      }
    }
    return false
  }

  /** Calls the store for vectors, and remembers why that failed. */
  async #guard<T>(work: () => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    try {
      const result = await work()
      this.#failure = undefined
      return result
    } catch (error) {
      signal?.throwIfAborted()
      if (isKeepsakeError(error) && error.code === 'TIMEOUT') this.#timeouts.add(error)
      if (this.isObstacle(error)) this.#failure = error
      throw error
    }
  }
}

/** See pieces.ts. */
function hasText(segment: Segment, document: number): boolean {
  const kind = segment.column(document, COLUMN.kind)
  return kind !== IDENTITY && kind !== MIRROR
}

function count(ids: Iterable<string>, matches: (id: string) => boolean): number {
  let matching = 0
  for (const id of ids) if (matches(id)) matching++
  return matching
}
