/**
 * The vectors that one memory searches, in the store's derived data and in RAM. Reading needs no model, only its name. One process at a
 * time embeds; the others read what it saves.
 */
import { type ErrorCode, isKeepsakeError, KeepsakeError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions, Lease, Store } from '../../ports/store.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { inSlices } from './breath.ts'
import { type EmbeddingRun, embedScope, FEWEST_AT_ONCE, FIRST_SAVE_MS, isOver } from './embed-scope.ts'
import { type Asking, EMBED_LEASE, type Meaning } from './meaning.ts'
import type { Embedded, EmbedPendingOptions, MeaningView, RefusedEntry } from './meaning-view.ts'
import { means } from './means.ts'
import { QueryVectors } from './query-vectors.ts'
import { ScopeVectors } from './scope-vectors.ts'

const UNWRITABLE: readonly ErrorCode[] = ['READ_ONLY', 'IO']

type Made = Pick<Embedded, 'embedded' | 'kept' | 'isElsewhere'>
const NOTHING_MADE: Made = { embedded: 0, kept: true }
const ELSEWHERE: Made = { ...NOTHING_MADE, isElsewhere: true }

export class KeptMeaning implements Meaning {
  readonly source: EmbedSource
  /** Files that can't be read are made anew. */
  readonly obstacle: undefined
  readonly searchedBy: undefined
  readonly #store: Store
  readonly #scopes: readonly ScopeVectors[]
  readonly #queries: QueryVectors
  /** Files are read by one at a time, for rows are numbered as they come. */
  #turn: Promise<unknown> = Promise.resolve()
  #isWriting = false

  constructor(store: Store, scopes: readonly Scope[], source: EmbedSource) {
    this.source = source
    this.#store = store
    this.#queries = new QueryVectors(source)
    this.#scopes = scopes.map((scope) => new ScopeVectors(store, scope, source.model))
  }

  get pending(): number {
    return this.#scopes.reduce((sum, { wanted }) => sum + wanted.size, 0)
  }

  get entries(): number {
    return this.#scopes.reduce((sum, { rows }) => sum + (rows?.currentEntries ?? 0), 0)
  }

  get refused(): readonly RefusedEntry[] {
    return this.#scopes.flatMap(({ refused }) => refused)
  }

  isObstacle(_: unknown): _ is never {
    return false
  }

  has(id: string): boolean | undefined {
    for (const scope of this.#scopes) {
      const has = scope.has(id)
      if (has !== undefined) return has
    }
    return undefined
  }

  async vectorsOf(ids: readonly string[], { signal }: CallOptions = {}): Promise<ReadonlyMap<string, Float32Array>> {
    const meanOf = (id: string): Float32Array | undefined => {
      for (const { rows } of this.#scopes) if (rows?.isCurrent(id)) return rows.mean(id)
      return undefined
    }
    return inSlices(means(ids, meanOf), signal)
  }

  async open(): Promise<void> {
    await this.#inTurn(async () => {
      for (const scope of this.#scopes) await scope.open()
    })
  }

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
      best: (most, accepts) => all.flatMap((rows) => rows.best(query, most, accepts)),
    }
  }

  async queryVector(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#queries.of(text, options, ({ length }) => {
      for (const scope of this.#scopes) scope.expect(length)
    })
  }

  /** All that is to be had is in RAM. */
  async ask(query: Float32Array): Promise<Asking> {
    return { isPartial: false, view: () => this.view(query), more: async () => false }
  }

  async embedPending(options: EmbedPendingOptions = {}): Promise<Embedded> {
    if (options.anew) throw nothingAnew()
    const isNeeded = this.pending > 0 || !this.#scopes.every(({ isSaved }) => isSaved)
    const made = isNeeded ? await this.#embedLeased(options) : NOTHING_MADE
    const { entries, pending, refused } = this
    return { model: this.source.model, ...made, entries, pending, ...(refused.length === 0 ? {} : { refused }) }
  }

  async #embedLeased(options: EmbedPendingOptions): Promise<Made> {
    const lease = await this.#lease(options)
    if (lease) return this.#embedWith(lease, options)
    if (!this.#isWriting) await this.#catchUp()
    return ELSEWHERE
  }

  async #embedWith(lease: Lease | 'nowhere', options: EmbedPendingOptions): Promise<Made> {
    this.#isWriting = true
    try {
      await this.#catchUp()
      return await this.#embed(options, lease !== 'nowhere')
    } finally {
      this.#isWriting = false
      if (lease !== 'nowhere') await lease.release()
    }
  }

  /** `nowhere`: this memory can only be read, or has no room. Then vectors are made for this process alone. */
  async #lease({ mustKeep = false }: EmbedPendingOptions): Promise<Lease | 'nowhere' | undefined> {
    if (this.#isWriting) return undefined
    try {
      return await this.#store.lease(EMBED_LEASE)
    } catch (error) {
      if (mustKeep || !isKeepsakeError(error) || !UNWRITABLE.includes(error.code)) throw error
      return 'nowhere'
    }
  }

  async #embed(options: EmbedPendingOptions, mayWrite: boolean): Promise<Made> {
    const { signal, forMs, mustKeep = false, onProgress } = options
    const total = this.pending
    const begunMs = performance.now()
    let [done, kept] = [0, true]
    const save = async (scope: ScopeVectors): Promise<boolean> => {
      const isKept = mayWrite && (await scope.save())
      if (!isKept && mustKeep) throw notKept()
      return isKept
    }
    const run: EmbeddingRun = {
      store: this.#store,
      load: () => this.source.load(signal ? { signal } : {}),
      signal,
      save,
      ...(forMs === undefined ? {} : { untilMs: begunMs + forMs }),
      saveAtMs: begunMs + FIRST_SAVE_MS,
      atOnce: FEWEST_AT_ONCE,
      embedded: 0,
      settled: () => onProgress?.(++done, total),
    }
    try {
      for (const scope of this.#scopes) if (!isOver(run)) await embedScope(scope, run)
    } finally {
      for (const scope of this.#scopes) kept = (await save(scope)) && kept
    }
    return { embedded: run.embedded, kept }
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

function nothingAnew(): KeepsakeError {
  return new KeepsakeError(
    'UNSUPPORTED',
    'the vectors of each model lie apart here, so none are in the place of others',
    {
      hint: 'Embed without it (--anew): what has no vector of this model gets one.',
    },
  )
}

function notKept(): KeepsakeError {
  return new KeepsakeError('IO', 'the vectors can not be written to .state/derived of the workspace', {
    hint: 'Is there room on the disk, and may this user write there? What was written before this is kept.',
  })
}
