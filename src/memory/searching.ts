/** Searching as one agent does it: the world and its own, in its language, with the index kept from one search to the next. */
import { InvalidError } from '../errors.ts'
import type { Scope } from '../model/entry.ts'
import type { Clock } from '../ports/clock.ts'
import type { CallOptions, Store } from '../ports/store.ts'
import { exactEntries } from '../recall/exact-entry.ts'
import type { Found, Searched, SearchOptions, WhyNot } from '../recall/found.ts'
import { RecallIndex } from '../recall/recall-index.ts'
import { type AskedRequest, inMode, searchRequest } from '../recall/request.ts'
import { type Meant, type SearchPlace, searchMemory } from '../recall/search-memory.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'
import { whyNot } from '../recall/why-not.ts'
import { loadAnalyzer } from '../search/analyzer.ts'
import type { MeaningSource } from './meaning-source.ts'
import { modelFailure } from './query-meaning.ts'
import { RecentFailures } from './recent-failures.ts'
import { type Course, courseOf, warnOnce, withoutVectors } from './search-course.ts'
import type { SearchBy } from './settings.ts'
import type { UnderWay } from './under-way.ts'

/** Another process that may answer, such as a server of this workspace; `undefined`: nobody does. */
export type Elsewhere = (query: string, options: SearchOptions, agent: string) => Promise<Found | undefined>

export interface SearchingOptions {
  readonly store: Store
  readonly agent: string
  readonly scopes: readonly Scope[]
  readonly clock: Clock
  /** Default: English. */
  readonly language: string | undefined
  /** How many hits there are when nothing is said; default 5. */
  readonly limit: number | undefined
  readonly searchBy: SearchBy
  readonly source: MeaningSource | undefined
  readonly elsewhere: Elsewhere | undefined
  readonly isPast: boolean
  readonly underWay: UnderWay
}

/** By model, because memories may share one. */
const failedEmbedding = new RecentFailures()

export class Searching {
  readonly #options: SearchingOptions
  #place: Promise<SearchPlace> | undefined
  #meaning: Promise<Meaning | undefined> | undefined

  constructor(options: SearchingOptions) {
    this.#options = options
  }

  /** `looked`: the index was brought into step for this very question. */
  async search(query: string, options: SearchOptions, looked = false): Promise<Found> {
    const asked = this.#asked(query, options)
    const { elsewhere, agent } = this.#options
    if (elsewhere && asked.named !== 'lexical') {
      const found = await elsewhere(query, { ...options, limit: asked.limit }, agent)
      if (found) return found
    }
    const place = await this.place()
    const { found, course } = await this.#coursed(asked, ({ mode, meant }) =>
      searchMemory(place, inMode(asked, mode), { looked, meant }),
    )
    const { meant, wordsOnly, warnings } = course
    await place.index.save()
    return {
      ...found,
      searched: { ...withVectorFacts(found.searched, meant), ...(wordsOnly === undefined ? {} : { wordsOnly }) },
      warnings: [...found.warnings, ...warnings, ...(meant ? this.#embedInBackground(meant.meaning) : [])],
    }
  }

  /** Embeds entries that have no vector yet. Returns a warning, once, if that failed a moment ago. */
  #embedInBackground(meaning: Meaning): readonly string[] {
    const { searchBy, underWay } = this.#options
    const { source, pending } = meaning
    // A server that loads the model in the background also embeds in the background.
    if (pending === 0 || searchBy === 'meaning too once loaded') return []
    const failure = failedEmbedding.of(source)
    if (failure) return warnOnce(source, `Not all entries have vectors: ${failure.message}.`, failure)
    underWay.startInBackground(async (signal) => {
      try {
        const { embedInSlices } = await import('./embedding.ts')
        await embedInSlices(this, meaning, signal)
      } catch (error) {
        if (signal.aborted || meaning.isObstacle(error)) return
        failedEmbedding.add(source, modelFailure(source.model, error))
      }
    })
    return []
  }

  /** Whether an entry is called exactly so. */
  async isNamed(name: string, options: CallOptions): Promise<boolean> {
    if (name.trim() === '') return false
    const { store, scopes } = this.#options
    return (await exactEntries(store, { text: name, scopes }, options)).length > 0
  }

  async whyNot(query: string, ref: string, options: SearchOptions): Promise<WhyNot> {
    if (typeof ref !== 'string' || ref.trim() === '') {
      throw new InvalidError('ref', 'is empty', 'the name, alias or id of an entry')
    }
    const asked = this.#asked(query, { ...options, ...(await this.#modeElsewhere(query, options)) })
    const place = await this.place()
    const { found } = await this.#coursed(asked, ({ mode, meant }) => whyNot(place, inMode(asked, mode), ref, meant))
    return found
  }

  /** As another process would search; what it would find is explained here, by vectors that it has saved. */
  async #modeElsewhere(query: string, options: SearchOptions): Promise<Pick<SearchOptions, 'mode'>> {
    const { elsewhere, agent } = this.#options
    const asked = this.#asked(query, options)
    if (!elsewhere || asked.named !== undefined) return {}
    const found = await elsewhere(query, { ...options, limit: 1 }, agent)
    return found ? { mode: found.searched.mode } : {}
  }

  #asked(query: string, options: SearchOptions): AskedRequest {
    const { scopes, clock } = this.#options
    const limit = options.limit ?? this.#options.limit
    return searchRequest(query, { ...options, ...(limit === undefined ? {} : { limit }) }, { scopes, nowMs: clock() })
  }

  /** Once more by words, where vectors fail on the way. */
  async #coursed<T>(
    asked: AskedRequest,
    search: (course: Course) => Promise<T>,
  ): Promise<{ readonly found: T; readonly course: Course }> {
    const { searchBy, isPast, source } = this.#options
    const course = await courseOf(asked, { searchBy, isPast, meaning: () => this.meaning(), source })
    try {
      return { found: await search(course), course }
    } catch (error) {
      asked.signal?.throwIfAborted()
      const byWords = withoutVectors(asked, course, error)
      return { found: await search(byWords), course: byWords }
    }
  }

  /** What is searched, opened when it is first wanted. */
  place(): Promise<SearchPlace> {
    this.#place ??= this.#open()
    return this.#place
  }

  /** The vectors of these entries; `undefined` where nothing makes any. */
  meaning(): Promise<Meaning | undefined> {
    this.#meaning ??= this.#openMeaning()
    return this.#meaning
  }

  async #open(): Promise<SearchPlace> {
    const { store, scopes, language } = this.#options
    const analyzer = await loadAnalyzer(language ?? 'en')
    return { store, analyzer, index: new RecallIndex(store, scopes, analyzer) }
  }

  /** Loaded when it is first wanted: who searches by words does without. */
  async #openMeaning(): Promise<Meaning | undefined> {
    const { store, scopes, source } = this.#options
    const found = await source?.find()
    if (!found) return undefined
    if (store.vectors) {
      const { NativeIndex } = await import('../recall/vectors/native-index.ts')
      return new NativeIndex(store, scopes, store.vectors, found)
    }
    const { KeptMeaning } = await import('../recall/vectors/kept-meaning.ts')
    return new KeptMeaning(store, scopes, found)
  }
}

/** Adds how many entries the model refused, and what compares the vectors. */
function withVectorFacts(searched: Searched, meant: Meant | undefined): Searched {
  if (!searched.vectors || !meant) return searched
  const { refused, searchedBy } = meant.meaning
  const facts = {
    ...(refused.length === 0 ? {} : { refused: refused.length }),
    ...(searchedBy === undefined ? {} : { searchedBy }),
  }
  return { ...searched, vectors: { ...searched.vectors, ...facts } }
}
