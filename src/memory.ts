/**
 * The one door: a memory as one agent has it. Each method turns what it is asked for into a batch of operations on the
 * store, or reads. What the agent may see is the world and its own; nothing expired is ever returned.
 * Deliberately absent: anything that runs on its own, prints, or reads the environment.
 */
import { InvalidError, NotFoundError } from './errors.ts'
import type { Blame } from './history/blame.ts'
import type { LoggedChange } from './history/log.ts'
import { applyAs } from './memory/apply-as.ts'
import { beginning, DEFAULT_BUDGET_TOKENS } from './memory/beginning.ts'
import type { CleanedUp, CleanupOptions } from './memory/cleanup.ts'
import type { Context, ContextOptions } from './memory/context.ts'
import type { Embeddings, EmbedOptions } from './memory/embedding.ts'
import { type IdentityGate, identityGate } from './memory/identity-gate.ts'
import { givenSource, type MeaningSource } from './memory/meaning-source.ts'
import type { MemoryOptions } from './memory/open.ts'
import { type LogQuery, Past, type Undone, type UndoOptions } from './memory/past.ts'
import type { RememberOptions, StoreOptions, WriteOptions } from './memory/remember-options.ts'
import type { Elsewhere, Searching } from './memory/searching.ts'
import { givenSettings, type KnownSettings, knownSettings, type MemorySettings } from './memory/settings.ts'
import { topicCalled } from './memory/topic.ts'
import { UnderWay } from './memory/under-way.ts'
import { View } from './memory/view.ts'
import { Writing, type Written } from './memory/writing.ts'
import { type Condition, holdAll, requireConditions } from './model/condition.ts'
import type { Entry, EntryHead, Origin } from './model/entry.ts'
import { type Kind, parseKind } from './model/kinds.ts'
import type { MemoryType } from './model/memory-types.ts'
import { normalizeAgentId, normalizeName } from './model/name.ts'
import type { Change, Expect, Operation } from './model/operation.ts'
import { requireList, requireOptions } from './model/options.ts'
import { requireInstant } from './model/time.ts'
import type { Clock } from './ports/clock.ts'
import type { Absorbed, CallOptions, Purged, ScanFilter, Store, Watch } from './ports/store.ts'
import { hitsText } from './prompt/hits-text.ts'
import type { AlreadyShown, Found, Hit, Searched, SearchOptions, WhyNot } from './recall/found.ts'
import type { Embedded } from './recall/vectors/meaning-view.ts'
import { OpenSessions } from './session/open-sessions.ts'
import type { Session } from './session/session.ts'
import type { SessionSummary } from './session/summaries.ts'

export { MOST_DAYS } from './memory/beginning.ts'
export type { CleanedUp, CleanupOptions } from './memory/cleanup.ts'
export type { Context, ContextOptions } from './memory/context.ts'
export type { Embeddings, EmbedOptions } from './memory/embedding.ts'
export type { GivenEmbed } from './memory/meaning-source.ts'
export type { MemoryOptions } from './memory/open.ts'
export type { LogQuery, Undone, UndoOptions } from './memory/past.ts'
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

/** With a query: what a search may be told besides. Without: `days` and `budgetTokens`. */
export interface RecallOptions extends SearchOptions {
  readonly query?: string
  /** Calendar days of the log, today included; default 3. */
  readonly days?: number
  /** Default 8,000. */
  readonly budgetTokens?: number
}

export interface Recalled {
  readonly text: string
  readonly warnings: readonly string[]
  /** With a query only. */
  readonly hits?: readonly Hit[]
  readonly searched?: Searched
}

export interface ListFilter extends CallOptions {
  readonly kinds?: readonly Kind[]
  readonly since?: string
  readonly until?: string
  /** What must hold for the metadata; all of it. */
  readonly where?: readonly Condition[]
}

export interface PurgedEntry extends Purged {
  readonly entry: Entry
  readonly warnings: readonly string[]
}

export async function openMemory(options: MemoryOptions = {}): Promise<Memory> {
  const { clock = Date.now, elsewhere } = options
  const given = options.embed === undefined ? undefined : givenSource(options.embed)
  if (options.store) {
    const agent = normalizeAgentId(options.agent ?? 'main')
    return new Memory(options.store, agent, clock, givenSettings(options), { source: given, elsewhere })
  }
  // Loaded only when it is wanted, so that the package's root stays free of Node's own modules.
  const { openConfigured } = await import('./memory/open.ts')
  const { store, agent, settings, source } = await openConfigured(options, clock)
  return new Memory(store, agent, clock, settings, { source: options.embed === undefined ? source : given, elsewhere })
}

/** What helps a memory to search, where there is something. */
interface SearchHelp {
  readonly source?: MeaningSource | undefined
  readonly elsewhere?: Elsewhere | undefined
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
   * name: the same one is one entry, and so is one field of the user's profile.
   */
  async remember(content: string, options: RememberOptions = {}): Promise<Written> {
    requireOptions(options)
    return this.#writing.remember(content, options)
  }

  /** A typed memory: a fact is kept for good, a conversation for 30 days, a context until the end of the day. */
  async storeMemory(content: string, kind: MemoryType, options: StoreOptions = {}): Promise<Written> {
    requireOptions(options)
    return this.#writing.store(content, kind, options)
  }

  /** Replaces the value of this key, until the end of the day. */
  async setContext(key: string, value: string, options: Omit<StoreOptions, 'key'> = {}): Promise<Written> {
    requireOptions(options)
    return this.#writing.remember(value, { ...options, kind: 'context', key: normalizeName(key, 'key') })
  }

  /** `null`: there is none, or it has expired. */
  async getContext(key: string, options: CallOptions = {}): Promise<string | null> {
    return (await this.#view.contexts(normalizeName(key, 'key'), options)).current?.content ?? null
  }

  /** Removes what has expired of what this agent sees. An undo brings it back, though nobody sees it. */
  async cleanup(options: CleanupOptions = {}): Promise<CleanedUp> {
    requireOptions(options)
    const { cleanUp } = await import('./memory/cleanup.ts')
    return cleanUp(this.#view, options)
  }

  /** Rewrites MEMORY.md. Blank content erases it only when that is asked for in so many words. */
  async reflect(content: string, options: WriteOptions & { readonly erase?: boolean } = {}): Promise<Written> {
    return this.#writing.reflect(content, options)
  }

  /** Writes a topic that every agent sees. */
  async learnFact(topic: string, content: string, options: RememberOptions = {}): Promise<Written> {
    return this.#writing.learnFact(topic, content, options)
  }

  async forget(ref: string, options: WriteOptions = {}): Promise<Written> {
    const entry = await this.find(ref, options)
    return this.#writing.write([{ op: 'remove', id: entry.id }], options, entry)
  }

  async rename(ref: string, name: string, options: WriteOptions = {}): Promise<Written> {
    const entry = await this.find(ref, options)
    return this.#writing.write([{ op: 'rename', id: entry.id, name }], options, entry)
  }

  /** `take` moves an alias over from another entry, `drop` gives one up. */
  async alias(
    ref: string,
    alias: string,
    options: WriteOptions & { readonly mode?: 'bind' | 'take' | 'drop' } = {},
  ): Promise<Written> {
    const entry = await this.find(ref, options)
    const operation = { op: 'alias', id: entry.id, alias, mode: options.mode ?? 'bind' } as const
    return this.#writing.write([operation], options, entry)
  }

  /** By id, name or alias; `undefined` when there is none. */
  async get(ref: string, options: CallOptions = {}): Promise<Entry | undefined> {
    return this.#view.get(ref, options)
  }

  /** As get, but a near miss counts when only one is meant; else an error that suggests. */
  async find(ref: string, options: CallOptions = {}): Promise<Entry> {
    return this.#view.find(ref, options)
  }

  /** The topic that `learnFact` would rewrite by this name. */
  async topic(name: string, options: CallOptions = {}): Promise<Entry | undefined> {
    return topicCalled(this.store, normalizeName(name, 'topic'), options)
  }

  /** In the order they came. */
  async list(filter: ListFilter = {}): Promise<Entry[]> {
    requireOptions(filter)
    const { signal, kinds, since, until } = filter
    const where = requireConditions(filter.where)
    requireList(kinds, 'kinds')
    const wanted: ScanFilter = {
      ...(kinds ? { kinds: kinds.map(parseKind) } : {}),
      ...(since === undefined ? {} : { since: requireInstant(since, 'since') }),
      ...(until === undefined ? {} : { until: requireInstant(until, 'until') }),
    }
    const call = signal ? { signal } : {}
    if (where.length === 0) return this.#view.collect(wanted, call)
    const heads = await this.#view.heads(wanted, call)
    const ids = new Set(heads.filter((head) => holdAll(head.metadata, where)).map(({ id }) => id))
    // Once more: an entry may have been rewritten since its head was read.
    const entries = ids.size === 0 ? [] : await this.#view.collect({ ...wanted, ids }, call)
    return entries.filter(({ metadata }) => holdAll(metadata, where))
  }

  /** What this agent sees, without the texts, in the order they came. */
  async heads(filter: ScanFilter = {}, options: CallOptions = {}): Promise<readonly EntryHead[]> {
    return this.#view.heads(filter, options)
  }

  /** What the query calls by name first, then what says most of it in the rarest words, or is nearest to it in meaning. */
  async search(query: string, options: SearchOptions = {}): Promise<Found> {
    requireOptions(options)
    return this.#underWay.run(options.signal, async (signal) =>
      (await this.#searches()).search(query, { ...options, signal }),
    )
  }

  /** Why an entry that was expected is not among the hits of such a search. */
  async whyNot(query: string, ref: string, options: SearchOptions = {}): Promise<WhyNot> {
    requireOptions(options)
    return this.#underWay.run(options.signal, async (signal) =>
      (await this.#searches()).whyNot(query, ref, { ...options, signal }),
    )
  }

  /** Makes the vectors that entries have none of yet, so that they are found by meaning. `NO_EMBEDDINGS` where nothing makes any. */
  async embed(options: EmbedOptions = {}): Promise<Embedded> {
    requireOptions(options)
    const { embedMemory } = await import('./memory/embedding.ts')
    const searches = await this.#searches()
    return this.#underWay.run(options.signal, (signal) => embedMemory(searches, { ...options, signal }))
  }

  /** How far the embedding of what this agent sees is. Never loads a model. */
  async embeddings(): Promise<Embeddings> {
    const { embeddingsOf } = await import('./memory/embedding.ts')
    return embeddingsOf(await this.#searches())
  }

  /** For a model to read: with a query, what it finds; without, world knowledge, the agent's memory and its last days. */
  async recall(options: RecallOptions = {}): Promise<Recalled> {
    requireOptions(options)
    return options.query === undefined ? beginning(this.#view, options) : this.#found(options.query, options)
  }

  async #found(query: string, { query: _, days, ...options }: RecallOptions): Promise<Recalled> {
    if (days !== undefined) throw new InvalidError('days', 'belongs to a recall without a query', 'since instead')
    const found = await this.search(query, { budgetTokens: DEFAULT_BUDGET_TOKENS, ...options })
    const { timezone: zone } = await this.store.settings()
    return { text: hitsText(found, zone), ...found }
  }

  /** What a model is given: the system prompt, and with a message what is found for it. Never writes. */
  async context(options: ContextOptions = {}): Promise<Context> {
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
    return this.#sessions.list(options)
  }

  /** Any batch of operations, all or nothing, on the world and on this agent's own. */
  async apply(
    operations: readonly Operation[],
    options: CallOptions & {
      readonly expect?: Expect
      readonly origin?: Origin
      readonly reverts?: readonly number[]
    } = {},
  ): Promise<{ readonly entries: readonly Entry[]; readonly change?: Change; readonly warnings: readonly string[] }> {
    requireList(operations ?? null, 'operations')
    requireOptions(options)
    for (const operation of operations) await this.#refuseForbidden(operation, options)
    const { expect = {}, ...rest } = options
    return this.#writing.apply(operations, rest, expect)
  }

  /** Changes of what this agent sees, newest first. */
  async log(query: LogQuery = {}): Promise<readonly LoggedChange[]> {
    requireOptions(query)
    const entry = query.ref === undefined ? undefined : await this.get(query.ref, query)
    return this.#past.log(query, entry?.id)
  }

  /** Takes changes back; without a word about which, the newest that is not undone yet. Undoing an undo brings back. */
  async undo(options: UndoOptions = {}): Promise<Undone> {
    requireOptions(options)
    const undone = await this.#past.undo(options, this.#view.now())
    if (options.dryRun) return undone
    const { signal } = options
    const touched = undone.undone.flatMap((logged) => logged.touched)
    const warnings = await this.#sessions.follow(touched, signal ? { signal } : {})
    return { ...undone, warnings: [...undone.warnings, ...warnings] }
  }

  /** The memory as it was: everything that reads works, with the clock at that moment. */
  async asOf(at: string, options: CallOptions = {}): Promise<Memory> {
    const then = requireInstant(at, 'as-of')
    return new Memory(
      await this.#past.storeAt(then, this.#view.now(), options),
      this.agent,
      () => Date.parse(then),
      this.settings,
      { isPast: true },
    )
  }

  /** Which change brought each line of an entry. */
  async blame(ref: string, options: CallOptions = {}): Promise<Blame> {
    return this.#past.blame(await this.find(ref, options), options)
  }

  /** Journals what hands did to the files, so that it is in the log and can be undone; and writes what a crash kept from them. */
  async absorb(options: CallOptions = {}): Promise<Absorbed> {
    return this.store.absorb(options)
  }

  /** Takes in removals that were held back because they were so many at once. */
  async accept(options: CallOptions = {}): Promise<Absorbed> {
    return this.store.absorb({ ...options, acceptRemovals: true })
  }

  /** Forgets an entry with every trace, in files, history, sessions and backups. This can't be undone. */
  async purge(ref: string, options: CallOptions = {}): Promise<PurgedEntry> {
    requireOptions(options)
    const { entry } = await this.findEver(ref, options)
    this.#gate([entry.kind])
    // What was called so before and is gone is purged with it: nobody would think of looking for that one apart.
    const touched = [{ id: entry.id, before: entry }, ...(await this.#past.goneCalled(ref, options))]
    const archives = touched.filter(({ before }) => before?.kind === 'archive').map(({ id }) => id)
    const mirrors = await this.#past.mirrorsOf(new Set(archives), options)
    const untold = await this.#sessions.announcePurge(touched, options)
    const { vectorsBeforePurge } = await import('./memory/embedding.ts')
    const vectors = await vectorsBeforePurge(await this.#searches(), this.store)
    const purged = await this.store.purge([...new Set([...touched.map(({ id }) => id), ...mirrors])], options)
    await vectors?.putBack()
    const cleaned = mirrors.length === 0 ? [] : ['the history, where its entry said the same']
    const warnings = new Set([...untold, ...(await this.#sessions.follow(touched, options))])
    return { entry, ...purged, cleaned: [...cleaned, ...purged.cleaned], warnings: [...warnings] }
  }

  /** As find, and where nothing is called so any more, what was last called so: `gone`. */
  async findEver(ref: string, options: CallOptions = {}): Promise<{ readonly entry: Entry; readonly gone: boolean }> {
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
    return contextOf(this.#view, this.settings, (message, call) => this.#autoRecalled(message, call, shown), options)
  }

  async #autoRecalled(message: string, options: CallOptions, shown?: AlreadyShown): Promise<Found | undefined> {
    const { autoRecall } = await import('./memory/auto-recall.ts')
    return this.#underWay.run(options.signal, async (signal) =>
      autoRecall(await this.#searches(), message, this.settings, { ...options, signal }, shown),
    )
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
      })
    })
    return this.#searching
  }

  async #refuseForbidden(operation: Operation, options: CallOptions): Promise<void> {
    const { scope = this.agent, kind } = operation.op === 'add' ? operation : await this.#headOf(operation.id, options)
    if (!this.#view.scopes.includes(scope)) throw new NotFoundError(operation.op === 'add' ? scope : operation.id)
    this.#gate([kind])
  }

  async #headOf(id: string, options: CallOptions): Promise<Partial<Pick<Entry, 'scope' | 'kind'>>> {
    return (await this.store.get(id, options)) ?? {}
  }
}
