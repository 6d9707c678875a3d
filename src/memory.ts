/**
 * The one door: a memory as one agent has it. Each method turns what it is asked for into a batch of operations on the
 * store, or reads. What the agent may see is the world and its own; nothing expired is ever returned.
 * Deliberately absent: anything that runs on its own, prints, or reads the environment.
 */
import { InvalidError } from './errors.ts'
import type { Blame } from './history/blame.ts'
import type { VisibleChange } from './history/log.ts'
import { applyAs } from './memory/apply-as.ts'
import { beginning, DEFAULT_BUDGET_TOKENS } from './memory/beginning.ts'
import type { CleanedUp, CleanupOptions } from './memory/cleanup.ts'
import type { Context, ContextOptions } from './memory/context.ts'
import type { Embeddings, EmbedOptions } from './memory/embedding.ts'
import { type IdentityGate, identityGate } from './memory/identity-gate.ts'
import { type ListFilter, listed } from './memory/listing.ts'
import { givenSource, type MeaningSource } from './memory/meaning-source.ts'
import type { MemoryOptions } from './memory/open.ts'
import type { AppliedOperations, BatchOptions } from './memory/operations/apply-operations.ts'
import type { OperationInput } from './memory/operations/operation-input.ts'
import * as names from './memory/option-names.ts'
import { type LogQuery, Past, type Undone, type UndoOptions } from './memory/past.ts'
import type { PlaceOptions, Places } from './memory/places.ts'
import type { PurgedEntry } from './memory/purging.ts'
import type { Recalled, RecallOptions } from './memory/recalled.ts'
import type { Recalls } from './memory/recalls.ts'
import type { RememberOptions, StoreOptions, WriteOptions } from './memory/remember-options.ts'
import type { Elsewhere, Searching } from './memory/searching.ts'
import { givenSettings, type KnownSettings, knownSettings, type MemorySettings } from './memory/settings.ts'
import { topicCalled } from './memory/topic.ts'
import { UnderWay } from './memory/under-way.ts'
import { View } from './memory/view.ts'
import { Writing, type Written } from './memory/writing.ts'
import type { Entry, EntryHead } from './model/entry.ts'
import type { MemoryType } from './model/memory-types.ts'
import { normalizeAgentId, normalizeName } from './model/name.ts'
import { CALL_OPTIONS, requireList, requireOptions } from './model/options.ts'
import { requireInstant } from './model/time.ts'
import type { Clock } from './ports/clock.ts'
import type { Absorbed, CallOptions, ScanFilter, Store, Watch } from './ports/store.ts'
import { hitsText } from './prompt/hits-text.ts'
import type { AlreadyShown, Found, SearchOptions, WhyNot } from './recall/found.ts'
import type { Embedded } from './recall/vectors/meaning-view.ts'
import { OpenSessions } from './session/open-sessions.ts'
import type { Session } from './session/session.ts'
import type { SessionSummary } from './session/summaries.ts'

export { MOST_DAYS } from './memory/beginning.ts'
export type { CleanedUp, CleanupOptions } from './memory/cleanup.ts'
export type { Context, ContextOptions } from './memory/context.ts'
export type { Embeddings, EmbedOptions } from './memory/embedding.ts'
export type { ListFilter } from './memory/listing.ts'
export type { GivenEmbed } from './memory/meaning-source.ts'
export type { MemoryOptions } from './memory/open.ts'
export type { AppliedOperations, BatchOptions } from './memory/operations/apply-operations.ts'
export type { OperationInput } from './memory/operations/operation-input.ts'
export type { LogQuery, Undone, UndoOptions } from './memory/past.ts'
export type { PlacedEntry, PlaceOptions, Places } from './memory/places.ts'
export type { PurgedEntry } from './memory/purging.ts'
export type { Recalled, RecallOptions } from './memory/recalled.ts'
export type { Recalls } from './memory/recalls.ts'
export type { RememberOptions, StoreOptions, WriteOptions } from './memory/remember-options.ts'
export type { Elsewhere } from './memory/searching.ts'
export type { KnownSettings, MemorySettings, SearchBy } from './memory/settings.ts'
export type { Written } from './memory/writing.ts'
export type { Embedded, RefusedEntry } from './recall/vectors/meaning-view.ts'
export type { Compacted, CompactOptions } from './session/compaction.ts'
export type {
  AppendedTurns,
  ImportedTurns,
  ImportOptions,
  SessionView,
  SessionWindow,
  WholeTranscript,
  WindowOptions,
} from './session/recording.ts'
export type { Marker, MarkerReason, Message, Role, Turn, TurnInput } from './session/records.ts'
export type { Reset, ResetOptions } from './session/reset.ts'
export type { Session, SessionContextOptions } from './session/session.ts'
export type { SessionSummary } from './session/summaries.ts'
export type { Summary, SummaryInput, Summed } from './session/summary.ts'
export type { GivenText } from './session/turn-input.ts'

export async function openMemory(options: MemoryOptions = {}): Promise<Memory> {
  requireOptions(options, 'openMemory', names.OPEN)
  const { clock = Date.now, elsewhere, recalled, embeddingModel } = options
  if (typeof embeddingModel === 'object') {
    requireOptions(embeddingModel, 'openMemory: embeddingModel', names.EMBEDDING_MODEL)
  }
  const given = options.embed === undefined ? undefined : givenSource(options.embed)
  if (options.store) {
    const agent = normalizeAgentId(options.agent ?? 'main')
    return new Memory(options.store, agent, clock, givenSettings(options), { source: given, elsewhere, recalled })
  }
  // Loaded only when it is wanted, so that the package's root stays free of Node's own modules.
  const { openConfigured } = await import('./memory/open.ts')
  const { store, agent, settings, source } = await openConfigured(options, clock)
  const help = { source: options.embed === undefined ? source : given, elsewhere, recalled }
  return new Memory(store, agent, clock, settings, help)
}

/** What helps a memory to search, where there is something. */
interface SearchHelp {
  readonly source?: MeaningSource | undefined
  readonly elsewhere?: Elsewhere | undefined
  readonly recalled?: MemoryOptions['recalled']
  /** The past has no vectors. */
  readonly isPast?: boolean
  /** Of all who close together. */
  readonly underWay?: UnderWay
}

export class Memory {
  readonly store: Store
  readonly agent: string
  readonly settings: KnownSettings
  readonly clock: Clock
  readonly #view: View
  readonly #gate: IdentityGate
  readonly #writing: Writing
  readonly #past: Past
  readonly #sessions: OpenSessions
  readonly #help: SearchHelp
  readonly #underWay: UnderWay
  #searching: Promise<Searching> | undefined

  constructor(store: Store, agent: string, clock: Clock, settings: MemorySettings = {}, help: SearchHelp = {}) {
    this.store = store
    this.agent = agent
    this.settings = knownSettings(settings)
    this.clock = clock
    this.#underWay = help.underWay ?? new UnderWay()
    this.#help = { ...help, underWay: this.#underWay }
    this.#view = new View(store, agent, clock)
    this.#gate = identityGate(this.settings.soulEditable)
    this.#writing = new Writing(this.#view, this.#gate)
    this.#past = new Past(store, agent, this.#view.scopes, this.#gate)
    this.#sessions = new OpenSessions({
      sessions: store.sessions,
      store,
      agent,
      clock,
      windowSize: this.settings.contextWindowSize,
      apply: (batch, options) => applyAs(store, agent, batch, options),
      recall: (message, options, shown) => this.#autoRecalled(message, options, shown),
      zone: async () => (await store.settings()).timezone,
      context: (options, shown) => this.#contextWithout(options, shown),
    })
  }

  /** The same memory as another agent has it. Closing one closes both. */
  as(agent: string): Memory {
    const other = normalizeAgentId(agent)
    return other === this.agent ? this : new Memory(this.store, other, this.clock, this.settings, this.#help)
  }

  /**
   * With a name: creates or overwrites that note. With a key: sets that context. Without: appends to today's log. A fact needs no
   * name: the same text with the same metadata is one entry, and so is one field of the user's profile.
   */
  async remember(content: string, options: RememberOptions = {}): Promise<Written> {
    requireOptions(options, 'remember', names.REMEMBER)
    return this.#writing.remember(content, options)
  }

  /** A typed memory: a fact is kept for good, a conversation for 30 days, a context until the end of the day. */
  async storeMemory(content: string, kind: MemoryType, options: StoreOptions = {}): Promise<Written> {
    requireOptions(options, 'storeMemory', names.STORE)
    return this.#writing.store(content, kind, options)
  }

  /** Replaces the value of this key, until the end of the day. */
  async setContext(key: string, value: string, options: Omit<StoreOptions, 'key'> = {}): Promise<Written> {
    requireOptions(options, 'setContext', names.SET_CONTEXT)
    return this.#writing.remember(value, { ...options, kind: 'context', key: normalizeName(key, 'key') })
  }

  /** `null`: there is none, or it has expired. */
  async getContext(key: string, options: CallOptions = {}): Promise<string | null> {
    requireOptions(options, 'getContext', CALL_OPTIONS)
    return (await this.#view.contexts(normalizeName(key, 'key'), options)).current?.content ?? null
  }

  /** Removes what has expired of what this agent sees. An undo brings it back, though nobody sees it. */
  async cleanup(options: CleanupOptions = {}): Promise<CleanedUp> {
    requireOptions(options, 'cleanup', names.CLEANUP)
    const { cleanUp } = await import('./memory/cleanup.ts')
    return cleanUp(this.#view, options)
  }

  /** Rewrites MEMORY.md. Blank content erases it only when that is asked for in so many words. */
  async reflect(content: string, options: WriteOptions & { readonly erase?: boolean } = {}): Promise<Written> {
    requireOptions(options, 'reflect', names.REFLECT)
    return this.#writing.reflect(content, options)
  }

  /** Writes a topic that every agent sees. */
  async learnFact(topic: string, content: string, options: RememberOptions = {}): Promise<Written> {
    requireOptions(options, 'learnFact', names.REMEMBER)
    return this.#writing.learnFact(topic, content, options)
  }

  async forget(ref: string, options: WriteOptions = {}): Promise<Written> {
    requireOptions(options, 'forget', names.WRITE)
    const entry = await this.#view.find(ref, options)
    return this.#writing.write([{ op: 'remove', id: entry.id }], options, entry)
  }

  async rename(ref: string, name: string, options: WriteOptions = {}): Promise<Written> {
    requireOptions(options, 'rename', names.WRITE)
    const entry = await this.#view.find(ref, options)
    return this.#writing.write([{ op: 'rename', id: entry.id, name }], options, entry)
  }

  /** `take` moves an alias over from another entry, `drop` gives one up. */
  async alias(
    ref: string,
    alias: string,
    options: WriteOptions & { readonly mode?: 'bind' | 'take' | 'drop' } = {},
  ): Promise<Written> {
    requireOptions(options, 'alias', names.ALIAS)
    const entry = await this.#view.find(ref, options)
    const operation = { op: 'alias', id: entry.id, alias, mode: options.mode ?? 'bind' } as const
    return this.#writing.write([operation], options, entry)
  }

  /** By id, name or alias; `undefined` when there is none. */
  async get(ref: string, options: CallOptions = {}): Promise<Entry | undefined> {
    requireOptions(options, 'get', CALL_OPTIONS)
    return this.#view.get(ref, options)
  }

  /** As get, but a near miss counts when only one is meant; else an error that suggests. */
  async find(ref: string, options: CallOptions = {}): Promise<Entry> {
    requireOptions(options, 'find', CALL_OPTIONS)
    return this.#view.find(ref, options)
  }

  /** The topic that `learnFact` would rewrite by this name. */
  async topic(name: string, options: CallOptions = {}): Promise<Entry | undefined> {
    requireOptions(options, 'topic', CALL_OPTIONS)
    return topicCalled(this.store, normalizeName(name, 'topic'), options)
  }

  /** In the order they came. */
  async list(filter: ListFilter = {}): Promise<Entry[]> {
    requireOptions(filter, 'list', names.LIST)
    return listed(this.#view, filter)
  }

  /** What this agent sees, without the texts, in the order they came. */
  async heads(filter: ScanFilter = {}, options: CallOptions = {}): Promise<readonly EntryHead[]> {
    requireOptions(filter, 'heads: filter', names.HEADS)
    requireOptions(options, 'heads', CALL_OPTIONS)
    return this.#view.heads(filter, options)
  }

  /** What the query calls by name first, then what says most of it in the rarest words, or is nearest to it in meaning. */
  async search(query: string, options: SearchOptions = {}): Promise<Found> {
    requireOptions(options, 'search', names.SEARCH)
    return this.#underWay.run(options.signal, async (signal) =>
      (await this.#searches()).search(query, { ...options, signal }),
    )
  }

  /** Why an entry that was expected is not among the hits of such a search. */
  async whyNot(query: string, ref: string, options: SearchOptions = {}): Promise<WhyNot> {
    requireOptions(options, 'whyNot', names.SEARCH)
    return this.#underWay.run(options.signal, async (signal) =>
      (await this.#searches()).whyNot(query, ref, { ...options, signal }),
    )
  }

  /** Makes the vectors that entries have none of yet, so that they are found by meaning. `NO_EMBEDDINGS` where nothing makes any. */
  async embed(options: EmbedOptions = {}): Promise<Embedded> {
    requireOptions(options, 'embed', names.EMBED)
    const { embedMemory } = await import('./memory/embedding.ts')
    const searches = await this.#searches()
    return this.#underWay.runInForeground(options.signal, (signal) => embedMemory(searches, { ...options, signal }))
  }

  /** How far the embedding of what this agent sees is. Never loads a model. */
  async embeddings(): Promise<Embeddings> {
    const { embeddingsOf } = await import('./memory/embedding.ts')
    return embeddingsOf(await this.#searches())
  }

  /** What this agent sees, placed in the plane by meaning, as far as it has vectors. `NO_EMBEDDINGS` where nothing makes any. */
  async places(options: PlaceOptions = {}): Promise<Places> {
    requireOptions(options, 'places', names.PLACES)
    const { placesOf } = await import('./memory/places.ts')
    const searches = await this.#searches()
    return this.#underWay.run(options.signal, (signal) => placesOf(searches, this.#view, { ...options, signal }))
  }

  /** How often a recall gave each entry to an agent, as far as servers of this memory have counted it. */
  async recalls(): Promise<Recalls> {
    const { savedRecalls } = await import('./memory/recalls.ts')
    return savedRecalls(this.store)
  }

  /** For a model to read: with a query, what it finds; without, world knowledge, the agent's memory and its last days. */
  async recall(options: RecallOptions = {}): Promise<Recalled> {
    requireOptions(options, 'recall', names.RECALL)
    return options.query === undefined ? beginning(this.#view, options) : this.#found(options.query, options)
  }

  async #found(query: string, { query: _, days, ...options }: RecallOptions): Promise<Recalled> {
    if (days !== undefined) throw new InvalidError('days', 'belongs to a recall without a query', 'since instead')
    const found = this.#given(await this.search(query, { budgetTokens: DEFAULT_BUDGET_TOKENS, ...options }))
    const { timezone: zone } = await this.store.settings()
    return { text: hitsText(found, zone), ...found }
  }

  /** What a model is given: the system prompt, and with a message what is found for it. Never writes. */
  async context(options: ContextOptions = {}): Promise<Context> {
    requireOptions(options, 'context', names.CONTEXT)
    return this.#contextWithout(options)
  }

  /** How a model is told to use this memory: `directives/memory.md` of the workspace, else the built-in text. */
  async directive(): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
    const { directiveAlone } = await import('./memory/context.ts')
    return directiveAlone(this.#view, this.settings)
  }

  /** A conversation by its key: what was said in it, what it is given before each turn, what of a captured text is its own. */
  session(key: string): Session {
    return this.#sessions.get(key)
  }

  /** This agent's conversations, oldest first. */
  async sessions(options: CallOptions = {}): Promise<readonly SessionSummary[]> {
    requireOptions(options, 'sessions', CALL_OPTIONS)
    return this.#sessions.list(options)
  }

  /** Any batch of operations, all or nothing, on the world and on this agent's own; entries by id, or by name or alias (`ref`). */
  async apply(operations: readonly OperationInput[], options: BatchOptions = {}): Promise<AppliedOperations> {
    requireList(operations ?? null, 'operations')
    requireOptions(options, 'apply', names.APPLY)
    const { applyOperations } = await import('./memory/operations/apply-operations.ts')
    return applyOperations({ view: this.#view, writing: this.#writing, gate: this.#gate }, operations, options)
  }

  /** Changes of what this agent sees, newest first. */
  async log(query: LogQuery = {}): Promise<readonly VisibleChange[]> {
    requireOptions(query, 'log', names.LOG)
    const entry = query.ref === undefined ? undefined : await this.#view.get(query.ref, query)
    return this.#past.log(query, entry?.id)
  }

  /**
   * Undoes changes. Without options: the newest that is neither undone yet nor an external edit. Undoing an undo is a redo. A purge can't
   * be undone: if it is the newest change, this throws a CONFLICT that names the change before it.
   */
  async undo(options: UndoOptions = {}): Promise<Undone> {
    requireOptions(options, 'undo', names.UNDO)
    const undone = await this.#past.undo(options, this.#view.now())
    if (options.dryRun) return undone
    const { signal } = options
    const touched = undone.undone.flatMap((logged) => logged.touched)
    const warnings = await this.#sessions.follow(touched, signal ? { signal } : {})
    return { ...undone, warnings: [...undone.warnings, ...warnings] }
  }

  /** The memory as it was: everything that reads works, with the clock at that moment. */
  async asOf(at: string, options: CallOptions = {}): Promise<Memory> {
    requireOptions(options, 'asOf', CALL_OPTIONS)
    const then = requireInstant(at, 'as-of')
    return new Memory(await this.#past.storeAt(then, options), this.agent, () => Date.parse(then), this.settings, {
      isPast: true,
    })
  }

  /** Which change brought each line of an entry. */
  async blame(ref: string, options: CallOptions = {}): Promise<Blame> {
    requireOptions(options, 'blame', CALL_OPTIONS)
    return this.#past.blame(await this.find(ref, options), options)
  }

  /** Journals what hands did to the files, so that it is in the log and can be undone; and writes what a crash kept from them. */
  async absorb(options: CallOptions = {}): Promise<Absorbed> {
    requireOptions(options, 'absorb', CALL_OPTIONS)
    return this.store.absorb(options)
  }

  /** Takes in removals that were held back because they were so many at once. */
  async accept(options: CallOptions = {}): Promise<Absorbed> {
    requireOptions(options, 'accept', CALL_OPTIONS)
    return this.store.absorb({ ...options, acceptRemovals: true })
  }

  /**
   * Deletes every version of an entry, in the store and in its known backups, and removes its texts from the sessions of the agent
   * that owned it (of this agent, for an entry of the world). `occurrences` lists other places with the same words; they are not
   * changed. This can't be undone.
   */
  async purge(ref: string, options: CallOptions = {}): Promise<PurgedEntry> {
    requireOptions(options, 'purge', CALL_OPTIONS)
    const { entry } = await this.findEver(ref, options)
    this.#gate([entry.kind])
    const { purgeEntry } = await import('./memory/purging.ts')
    const { store, agent } = this
    const [past, sessions] = [this.#past, this.#sessions]
    return purgeEntry({ store, agent, past, sessions, searches: () => this.#searches() }, entry, ref, options)
  }

  /** As find, and where nothing is called so any more, what was last called so: `gone`. */
  async findEver(ref: string, options: CallOptions = {}): Promise<{ readonly entry: Entry; readonly gone: boolean }> {
    requireOptions(options, 'findEver', CALL_OPTIONS)
    const here = await this.get(ref, options)
    const last = here ? undefined : await this.#past.lastSeen(ref, options)
    return last ? { entry: last, gone: true } : { entry: here ?? (await this.find(ref, options)), gone: false }
  }

  /** Calls back after another process or a hand has changed something, until it is stopped. */
  async watch(changed: () => void): Promise<Watch> {
    if (typeof changed !== 'function') throw new InvalidError('changed', 'is no function', 'a function to call')
    return this.store.watch(changed)
  }

  async close(): Promise<void> {
    await this.#underWay.end()
    try {
      await this.#help.source?.close()
    } finally {
      await this.store.close()
    }
  }

  async #contextWithout(options: ContextOptions, shown?: AlreadyShown): Promise<Context> {
    const { contextOf } = await import('./memory/context.ts')
    return contextOf(
      this.#view,
      this.settings,
      (message, call) => this.#autoRecalled(message, call, shown, options.uncounted),
      options,
    )
  }

  async #autoRecalled(
    message: string,
    options: CallOptions,
    shown?: AlreadyShown,
    uncounted = false,
  ): Promise<Found | undefined> {
    const { autoRecall } = await import('./memory/auto-recall.ts')
    const found = await this.#underWay.run(options.signal, async (signal) =>
      autoRecall(await this.#searches(), message, this.settings, { ...options, signal }, shown),
    )
    return found && !uncounted ? this.#given(found) : found
  }

  /** The same; whoever counts hears of it. */
  #given(found: Found): Found {
    if (found.hits.length > 0) this.#help.recalled?.(found.hits.map(({ entry }) => entry.id))
    return found
  }

  /** Loaded when it is first wanted: most commands never search. */
  #searches(): Promise<Searching> {
    this.#searching ??= import('./memory/searching.ts').then(({ Searching }) => {
      const { language, recallLimit, searchBy } = this.settings
      const { source, elsewhere, isPast = false } = this.#help
      return new Searching({
        store: this.store,
        agent: this.agent,
        scopes: this.#view.scopes,
        clock: this.clock,
        language,
        limit: recallLimit,
        searchBy,
        source,
        elsewhere,
        isPast,
        underWay: this.#underWay,
      })
    })
    return this.#searching
  }
}
