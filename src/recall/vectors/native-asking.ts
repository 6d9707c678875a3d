/**
 * A query to a store that searches vectors itself. It gives ids, the nearest first; which are then compared here, with vectors that are read
 * once and remembered, so that scores are those of every other store and what words bring up has a cosine too. A view can't
 * wait: it goes by what is there, notes what it lacks, and `more` gets that. What the store gives at once may be all of it kept out by
 * filters, or pieces of one entry: then it is asked for more, and at last everything that filters let through is compared.
 * Deliberately absent: an order by the store's own figures.
 */
import { oneQuestion } from '../../model/one-question.ts'
import type { NativeVectors, NearEntries, NearWish } from '../../ports/vectors.ts'
import type { Asking, AskWish } from './meaning.ts'
import type { MeaningView } from './meaning-view.ts'
import type { NativeState } from './native-state.ts'

/** Where filters leave so few, all of them are read, and nothing is left to the store's search. */
const FEW = 2000
/** Where nothing else helps so many are: it takes seconds, but once, for about as many stay known. */
const MOST_READ = 16_384
/** Pieces, where those that the store gives in any case do not tell. */
const WIDE = 5000
/** By how much the store's figures and ours may differ. */
const EQUAL = 1e-6
/** Each is one ranking. What is lacking then is not to be had. */
const MOST_ROUNDS = 8

interface Parts {
  readonly vectors: Pick<NativeVectors, 'nearest' | 'read'>
  readonly state: Pick<NativeState, 'progress' | 'known' | 'has' | 'ids' | 'take'>
  readonly model: string
  /** Entries that have no vector yet. */
  readonly pending: () => number
}

export class NativeAsking implements Asking {
  readonly #parts: Parts
  readonly #query: Float32Array
  readonly #wish: NearWish
  #near: NearEntries
  #isWide = false
  /** They were not enough for the last view. */
  #needsWide = false
  /** All that filters let through is compared. */
  #isWhole = false
  #isPartial = false
  /** What the last view had no vectors of. */
  readonly #lacking = new Set<string>()
  #rounds = 0

  private constructor(parts: Parts, query: Float32Array, near: NearEntries, wish: NearWish) {
    this.#parts = parts
    this.#query = query
    this.#near = near
    this.#wish = wish
  }

  get isPartial(): boolean {
    return this.#isPartial
  }

  static async begin(parts: Parts, query: Float32Array, asked: AskWish): Promise<NativeAsking> {
    const { scopes, kinds, signal, askedAtMs } = oneQuestion(asked)
    const wish = { scopes, kinds, askedAtMs, ...(signal ? { signal } : {}) }
    const near = parts.state.progress ? await parts.vectors.nearest(query, wish) : { near: [], isAll: true }
    const asking = new NativeAsking(parts, query, near, wish)
    // Most of them are let through, and the first view is then often the only one.
    asking.#cosines(near.near.map(({ id }) => id))
    await asking.more()
    return asking
  }

  view(): MeaningView {
    this.#lacking.clear()
    this.#isPartial = false
    const { model, pending } = this.#parts
    return {
      model,
      pending: pending(),
      cosine: (id) => this.#cosines([id]).get(id),
      cosines: (ids) => this.#cosines(ids),
      best: (most, accepts) => [...this.#cosines(this.#best(most, accepts))].map(([id, cosine]) => ({ id, cosine })),
    }
  }

  async more(): Promise<boolean> {
    if ((this.#lacking.size === 0 && !this.#needsWide) || this.#rounds++ >= MOST_ROUNDS) return false
    await Promise.all([this.#read([...this.#lacking]), this.#needsWide ? this.#widen() : undefined])
    return true
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { vectors, state } = this.#parts
    const { known } = state
    if (known && ids.length > 0) state.take(known, ids, await vectors.read(ids, this.#wish))
  }

  async #widen(): Promise<void> {
    this.#needsWide = false
    this.#isWide = true
    this.#near = await this.#parts.vectors.nearest(this.#query, { ...this.#wish, most: WIDE })
  }

  #cosines(ids: readonly string[]): ReadonlyMap<string, number> {
    const { state } = this.#parts
    const { known } = state
    if (known?.dimensions !== this.#query.length) return new Map()
    const there = ids.filter((id) => state.has(id))
    for (const id of there) if (!known.has(id)) this.#lacking.add(id)
    return known.cosines(this.#query, there)
  }

  #best(most: number, accepts: (id: string) => boolean): readonly string[] {
    const counts = (id: string): boolean => this.#parts.state.has(id) && accepts(id)
    const near = this.#near.near.filter(({ id }) => counts(id))
    const last = near[most - 1]?.cosine
    const best = near.filter(({ cosine }) => last === undefined || cosine + EQUAL >= last).map(({ id }) => id)
    if (!this.#isWhole && (this.#near.isAll || !this.#mayHaveNearer(last))) return best
    const all = [...this.#parts.state.ids()].filter(counts)
    this.#isWhole = all.length <= (this.#isWide ? MOST_READ : FEW)
    if (this.#isWhole) return all
    if (this.#isWide) this.#isPartial = true
    else this.#needsWide = true
    return best
  }

  /** `last`: of those that are wanted. Missing where too few were let through; else one as near may not be among them. */
  #mayHaveNearer(last: number | undefined): boolean {
    return last === undefined || (this.#near.near.at(-1)?.cosine ?? -1) + EQUAL > last
  }
}
