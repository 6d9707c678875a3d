/**
 * A query to a store that searches vectors itself. The store returns the nearest ids; they are compared here, with vectors that are read
 * once and remembered. So scores are those of every other store, and entries that words bring up have a cosine too. A view can't wait:
 * it uses what is known and notes what is missing, and `more` reads that. If filters drop too many of the store's ids, the query asks for
 * more of them, and in the end compares everything that passes the filters. The store's own scores decide nothing.
 */
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { NativeVectors, NearestEntries, NearestRequest } from '../../ports/vectors.ts'
import type { KnownVectors } from './known-vectors.ts'
import type { Asking, AskWish } from './meaning.ts'
import type { MeaningView } from './meaning-view.ts'

/** How many ids the query asks for at first, and if those were not enough. */
const FIRST_LIMIT = 300
const WIDE_LIMIT = 5000
/** If no more than these pass the filters, all of them are read and compared, without the wide request. */
const MAX_READ_EARLY = 2000
/** After the wide request. Reading so many takes seconds, but only once: about as many stay known. */
const MAX_READ = 16_384
/** How much the store's scores and ours may differ. */
const TOLERANCE = 1e-6
/** Each round is one ranking. */
const MAX_ROUNDS = 8

export interface QuerySource {
  readonly source: Pick<EmbedSource, 'model'>
  /** Entries without vectors. */
  readonly pending: number
  /** Missing while there are no vectors. */
  readonly known: KnownVectors | undefined
  has(id: string): boolean | undefined
  ids(): Iterable<string>
  read(ids: readonly string[], options: CallOptions): Promise<void>
  nearest: NativeVectors['nearest']
}

export class NativeQuery implements Asking {
  readonly #source: QuerySource
  readonly #query: Float32Array
  readonly #request: Omit<NearestRequest, 'limit'>
  #nearest: NearestEntries = { near: [], isAll: true }
  #isWide = false
  /** The last view needed more than the store returned. */
  #needsWide = false
  /** Everything that passes the filters is compared. */
  #isWhole = false
  #isPartial = false
  /** Entries whose vectors the last view did not have. */
  readonly #missing = new Set<string>()
  /** Entries that were read, but have no current vectors. */
  readonly #unavailable = new Set<string>()
  #rounds = 0

  private constructor(source: QuerySource, query: Float32Array, request: Omit<NearestRequest, 'limit'>) {
    this.#source = source
    this.#query = query
    this.#request = request
  }

  get isPartial(): boolean {
    return this.#isPartial
  }

  static async start(source: QuerySource, vector: Float32Array, asked: AskWish): Promise<NativeQuery> {
    const { scopes, kinds, signal, askedAtMs } = asked
    const call = { ...(signal ? { signal } : {}), ...(askedAtMs === undefined ? {} : { askedAtMs }) }
    const query = new NativeQuery(source, vector, { scopes, kinds, ...call })
    if (source.known) query.#nearest = await source.nearest(vector, { ...query.#request, limit: FIRST_LIMIT })
    // Most of them pass the filters, and then the first view is often the only one.
    query.#cosines(query.#nearest.near.map(({ id }) => id))
    await query.more()
    return query
  }

  view(): MeaningView {
    this.#missing.clear()
    this.#isPartial = false
    const { source, pending } = this.#source
    return {
      model: source.model,
      pending,
      cosine: (id) => this.#cosines([id]).get(id),
      cosines: (ids) => this.#cosines(ids),
      best: (most, accepts) => [...this.#cosines(this.#best(most, accepts))].map(([id, cosine]) => ({ id, cosine })),
    }
  }

  async more(): Promise<boolean> {
    if ((this.#missing.size === 0 && !this.#needsWide) || this.#rounds++ >= MAX_ROUNDS) return false
    await Promise.all([this.#read([...this.#missing]), this.#needsWide ? this.#widen() : undefined])
    return true
  }

  async #read(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#source.read(ids, this.#request)
    for (const id of ids) if (!this.#source.known?.has(id)) this.#unavailable.add(id)
  }

  async #widen(): Promise<void> {
    this.#needsWide = false
    this.#isWide = true
    this.#nearest = await this.#source.nearest(this.#query, { ...this.#request, limit: WIDE_LIMIT })
  }

  #cosines(ids: readonly string[]): ReadonlyMap<string, number> {
    const { known } = this.#source
    if (known?.dimensions !== this.#query.length) return new Map()
    const present = ids.filter((id) => this.#source.has(id))
    for (const id of present) if (!known.has(id) && !this.#unavailable.has(id)) this.#missing.add(id)
    return known.cosines(this.#query, present)
  }

  #best(most: number, accepts: (id: string) => boolean): readonly string[] {
    const counts = (id: string): boolean => this.#source.has(id) === true && accepts(id)
    const near = this.#nearest.near.filter(({ id }) => counts(id))
    const last = near[most - 1]?.cosine
    const best = near.filter(({ cosine }) => last === undefined || cosine + TOLERANCE >= last).map(({ id }) => id)
    if (!this.#isWhole && (this.#nearest.isAll || !this.#mayHaveNearer(last))) return best
    const all = [...this.#source.ids()].filter(counts)
    this.#isWhole = all.length <= (this.#isWide ? MAX_READ : MAX_READ_EARLY)
    if (this.#isWhole) return all
    if (this.#isWide) this.#isPartial = true
    else this.#needsWide = true
    return best
  }

  /** Whether the store may have entries as near as `last`, the cosine of the last wanted one; missing if too few passed the filters. */
  #mayHaveNearer(last: number | undefined): boolean {
    return last === undefined || (this.#nearest.near.at(-1)?.cosine ?? -1) + TOLERANCE > last
  }
}
