/**
 * The indexes that one memory searches, world and own, brought up to date before each search: what another process wrote or a
 * hand changed a moment ago is found. One at a time, since a search must not see a document half exchanged.
 */
import type { Entry, Scope } from '../model/entry.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions, Problem, Store } from '../ports/store.ts'
import type { Analyzer } from '../search/analyzer.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { ScopeIndex } from './scope-index.ts'
import type { Meaning } from './vectors/meaning.ts'

export interface InStepOptions extends CallOptions {
  /** The caller has been here for the same question, and what was in step then will do. */
  readonly looked?: boolean
  /** Brought into step too, so that `use` may ask it. */
  readonly meaning?: Meaning
}

export class RecallIndex {
  readonly #store: Store
  readonly #scopes: readonly ScopeIndex[]
  readonly #names: readonly Scope[]
  #turn: Promise<unknown> = Promise.resolve()
  /** Of the last look at the store; none yet. */
  #problems: readonly Problem[] | undefined

  constructor(store: Store, scopes: readonly Scope[], analyzer: Analyzer) {
    this.#store = store
    this.#names = scopes
    this.#scopes = scopes.map((scope) => new ScopeIndex(store, scope, analyzer))
  }

  /** Calls `use` with indexes that are in step with the store, and with no one else at them. */
  inStep<T>(
    use: (indexes: readonly SearchIndex[], problems: readonly Problem[]) => T,
    { looked = false, meaning, ...asked }: InStepOptions = {},
  ): Promise<T> {
    const turn = this.#turn.then(async () => {
      const options = oneQuestion(asked)
      const known = looked ? this.#problems : undefined
      const problems = known ?? (await this.#follow(options))
      this.#problems = problems
      await meaning?.follow(this.#scopes, options)
      return use(
        this.#scopes.map(({ index }) => index),
        problems,
      )
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** The entry as of the last refresh. Entries that were read are cached until they change. */
  async read(id: string, options: CallOptions): Promise<Entry | undefined> {
    const cached = this.#scopes.map((scope) => scope.cachedEntry(id)).find((entry) => entry !== undefined)
    if (cached) return structuredClone(cached)
    const cursors = this.#scopes.map(({ at }) => at)
    const entry = await this.#store.get(id, options)
    const n = this.#names.indexOf(entry?.scope ?? '')
    // It may have changed while it was read.
    if (entry && this.#scopes[n]?.at === cursors[n]) this.#scopes[n]?.cacheEntry(structuredClone(entry))
    return entry
  }

  /** What was indexed since the last snapshot, for the next process. */
  async save(): Promise<void> {
    await this.#turn
    for (const scope of this.#scopes) await scope.save()
  }

  async #follow(options: CallOptions): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    const { timezone: zone } = await this.#store.settings()
    const cursors = await Promise.all(this.#scopes.map((scope) => scope.cursor(zone, options)))
    // In parallel: on a server they share a round trip.
    const feeds = await Promise.all(
      this.#names.map((name, n) =>
        this.#store.feed(cursors[n] ?? 'now', { ...options, edits: [name], scopes: [name] }),
      ),
    )
    for (const [n, feed] of feeds.entries()) {
      await this.#scopes[n]?.follow(feed, options)
      problems.push(...feed.problems)
    }
    return problems
  }
}
