/** Searching as one agent does it: the world and its own, in its language, with the index kept from one search to the next. */
import { InvalidError } from '../errors.ts'
import type { Scope } from '../model/entry.ts'
import { requireOptions } from '../model/options.ts'
import type { Clock } from '../ports/clock.ts'
import type { CallOptions, Store } from '../ports/store.ts'
import { exactEntries } from '../recall/exact-entry.ts'
import type { Found, SearchOptions, WhyNot } from '../recall/found.ts'
import { RecallIndex } from '../recall/recall-index.ts'
import { searchRequest } from '../recall/request.ts'
import { type SearchPlace, searchMemory } from '../recall/search-memory.ts'
import { whyNot } from '../recall/why-not.ts'
import { loadAnalyzer } from '../search/analyzer.ts'

export interface SearchingOptions {
  readonly store: Store
  readonly scopes: readonly Scope[]
  readonly clock: Clock
  /** Default: English. */
  readonly language: string | undefined
  /** How many hits there are when nothing is said; default 5. */
  readonly limit: number | undefined
}

export class Searching {
  readonly #options: SearchingOptions
  #place: Promise<SearchPlace> | undefined

  constructor(options: SearchingOptions) {
    this.#options = options
  }

  /** `looked`: the index was brought into step for this very question. */
  async search(query: string, options: SearchOptions, looked = false): Promise<Found> {
    const request = this.#request(query, options)
    const place = await this.place()
    const found = await searchMemory(place, request, looked)
    await place.index.save()
    return found
  }

  /** Whether an entry is called exactly so. */
  async isNamed(name: string, options: CallOptions): Promise<boolean> {
    if (name.trim() === '') return false
    const { store, scopes } = this.#options
    return (await exactEntries(store, { text: name, scopes, ...options })).length > 0
  }

  async whyNot(query: string, ref: string, options: SearchOptions): Promise<WhyNot> {
    if (typeof ref !== 'string' || ref.trim() === '') {
      throw new InvalidError('ref', 'is empty', 'the name, alias or id of an entry')
    }
    return whyNot(await this.place(), this.#request(query, options), ref)
  }

  #request(query: string, options: SearchOptions): ReturnType<typeof searchRequest> {
    requireOptions(options)
    const { scopes, clock } = this.#options
    const limit = options.limit ?? this.#options.limit
    return searchRequest(query, { ...options, ...(limit === undefined ? {} : { limit }) }, { scopes, nowMs: clock() })
  }

  /** What is searched, opened when it is first wanted. */
  place(): Promise<SearchPlace> {
    this.#place ??= this.#open()
    return this.#place
  }

  async #open(): Promise<SearchPlace> {
    const { store, scopes, language } = this.#options
    const analyzer = await loadAnalyzer(language ?? 'en')
    return { store, analyzer, index: new RecallIndex(store, scopes, analyzer) }
  }
}
