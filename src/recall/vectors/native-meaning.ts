/**
 * The vectors that one memory searches, where the store keeps and searches them itself: one set for all agents and all processes, made by
 * whoever has a model and the lease. What is not made yet is found by words; this process makes none for itself alone.
 */
import type { KeepsakeError } from '../../errors.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions, Lease, Store } from '../../ports/store.ts'
import type { NativeVectors } from '../../ports/vectors.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { inSlices } from './breath.ts'
import { embedNative } from './embed-native.ts'
import { difference, GuardedVectors } from './guarded-vectors.ts'
import { type Asking, type AskWish, EMBED_LEASE, type Meaning } from './meaning.ts'
import type { Embedded, EmbedPendingOptions, RefusedEntry } from './meaning-view.ts'
import { means } from './means.ts'
import { NativeAsking } from './native-asking.ts'
import { NativeState } from './native-state.ts'
import { QueryVectors } from './query-vectors.ts'
import { Refusals } from './refusals.ts'

type Made = Pick<Embedded, 'embedded' | 'kept' | 'isElsewhere'>
const NOTHING_MADE: Made = { embedded: 0, kept: true }
const ELSEWHERE: Made = { ...NOTHING_MADE, isElsewhere: true }

export class NativeMeaning implements Meaning {
  readonly source: EmbedSource
  readonly #store: Store
  readonly #vectors: GuardedVectors
  readonly #state: NativeState
  readonly #queries: QueryVectors
  readonly #refusals = new Refusals()
  /** What the model did not take some time ago, and is to be given again; and what has vectors of another text. */
  readonly #again = new Set<string>()
  /** Of vectors that the model makes now, once that is known. */
  #dimensions: number | undefined
  #difference: KeepsakeError | undefined
  /** When the last look began, by `performance.now()`. */
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #isWriting = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: Store, vectors: NativeVectors, source: EmbedSource) {
    this.source = source
    this.#store = store
    this.#vectors = new GuardedVectors(vectors)
    this.#state = new NativeState(this.#vectors)
    this.#queries = new QueryVectors(source)
  }

  get pending(): number {
    return this.#state.pending - this.refused.length
  }

  get entries(): number {
    return this.#state.count().entries
  }

  get refused(): readonly RefusedEntry[] {
    return this.#refusals.entries.filter(({ id }) => this.#state.isThere(id) && this.#state.isWithout(id))
  }

  get obstacle(): KeepsakeError | undefined {
    return this.#vectors.obstacle ?? this.#difference
  }

  isObstacle(error: unknown): error is KeepsakeError {
    return this.#vectors.isBlamed(error) || (error !== undefined && error === this.#difference)
  }

  has(id: string): boolean | undefined {
    return this.#state.isThere(id) ? this.#state.has(id) : undefined
  }

  async vectorsOf(ids: readonly string[], options: CallOptions = {}): Promise<ReadonlyMap<string, Float32Array>> {
    if (this.obstacle) throw this.obstacle
    const { known } = this.#state
    if (!known) return new Map()
    const unread = ids.filter((id) => !known.has(id))
    if (unread.length > 0) this.#state.take(known, unread, await this.#vectors.read(unread, options))
    return inSlices(
      means(ids, (id) => known.mean(id)),
      options.signal,
    )
  }

  /** There is nothing to read in advance. */
  async open(): Promise<void> {}

  async follow(indexes: readonly ScopeIndex[], options: CallOptions = {}): Promise<void> {
    this.#state.see(indexes)
    // Words do without them, so their failure is told to who asks for them.
    await this.#look(options).catch((error) => {
      if (!this.#vectors.isBlamed(error)) throw error
    })
  }

  queryVector(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#queries.of(text, options, ({ length }) => {
      this.#dimensions = length
    })
  }

  async ask(query: Float32Array, wish: AskWish): Promise<Asking> {
    await this.#look(wish)
    if (this.obstacle) throw this.obstacle
    const pending = (): number => this.pending
    const parts = { vectors: this.#vectors, state: this.#state, model: this.source.model, pending }
    return NativeAsking.begin(parts, query, wish)
  }

  async embedPending(options: EmbedPendingOptions = {}): Promise<Embedded> {
    const made = await this.#embedLeased(options)
    const { entries, pending, refused } = this
    return { model: this.source.model, ...made, entries, pending, ...(refused.length === 0 ? {} : { refused }) }
  }

  async #embedLeased(options: EmbedPendingOptions): Promise<Made> {
    const { anew = false } = options
    await this.#look(options)
    if (this.#difference && !anew) throw this.#difference
    if (!anew && !this.#isNeeded()) return NOTHING_MADE
    const lease = this.#isWriting ? undefined : await this.#lease(options)
    return lease ? this.#embedWith(lease, options) : ELSEWHERE
  }

  #isNeeded(): boolean {
    for (const [id] of this.#refusals.takePassed()) this.#again.add(id)
    const known = new Set(this.#refusals.entries.map(({ id }) => id))
    for (const id of this.#state.progress?.without ?? []) if (!known.has(id)) this.#again.add(id)
    for (const id of this.#state.outdated) this.#again.add(id)
    if (this.#again.size > 0) return true
    return this.#state.progress ? this.#state.isBehind : this.pending > 0
  }

  #lease(options: CallOptions): Promise<Lease | undefined> {
    return this.#vectors.guard(() => this.#store.lease(EMBED_LEASE), options)
  }

  async #embedWith(lease: Lease, options: EmbedPendingOptions): Promise<Made> {
    const { signal, forMs, anew = false, onProgress } = options
    const total = onProgress ? await this.#total(anew) : 0
    let done = 0
    this.#isWriting = true
    try {
      const { embedded, isLost } = await embedNative(
        {
          store: this.#store,
          vectors: this.#vectors,
          model: this.source.model,
          load: () => this.source.load(signal ? { signal } : {}),
          refusals: this.#refusals,
          again: [...this.#again],
          signal,
          ...(forMs === undefined ? {} : { untilMs: performance.now() + forMs }),
          settled: () => onProgress?.(++done, Math.max(done, total)),
        },
        anew,
      )
      if (isLost) return { ...ELSEWHERE, embedded }
      this.#state.renew(this.#again)
      this.#again.clear()
      return { embedded, kept: true }
    } finally {
      this.#isWriting = false
      await lease.release()
      // Who was interrupted is told so, and not that it could not be looked at once more.
      if (!signal?.aborted) await this.#look({})
    }
  }

  /** Of all agents. */
  async #total(anew: boolean): Promise<number> {
    const { progress } = this.#state
    const upToSeq = anew || !progress ? 0 : progress.upToSeq
    if (upToSeq === undefined) return this.#state.touched
    return (await this.#store.heads()).filter(({ seq }) => seq > upToSeq).length
  }

  async #look(options: CallOptions): Promise<void> {
    const turn = this.#turn.then(() => this.#lookOnce(options))
    this.#turn = turn.catch(() => undefined)
    await turn
    this.#difference = difference(this.#state.progress, this.source.model, this.#dimensions)
  }

  async #lookOnce({ signal, askedAtMs = performance.now() }: CallOptions): Promise<void> {
    if (this.#lookedAtMs >= askedAtMs) return
    const beganAtMs = performance.now()
    await this.#state.look({ askedAtMs, ...(signal ? { signal } : {}) })
    this.#lookedAtMs = beganAtMs
  }
}
