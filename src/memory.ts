/**
 * The one door: a memory as one agent has it. Each method turns what it is asked for into a batch of operations on the
 * store, or reads. What the agent may see is the world and its own; nothing expired is ever returned.
 * Deliberately absent: anything that runs on its own, prints, or reads the environment.
 */
import { ConflictError, InvalidError, isKeepsakeError, KeepsakeError, NotFoundError } from './errors.ts'
import { type Blame, blameOf } from './history/blame.ts'
import {
  type ChangeFilter,
  idInHistory,
  type LoggedChange,
  matchesFilter,
  parseOriginBy,
  visibleChanges,
} from './history/log.ts'
import { pastStore } from './history/past-store.ts'
import { planUndo, type UndoRequest } from './history/undo.ts'
import { normalizeText } from './model/content.ts'
import { type Entry, type Metadata, type Origin, WORLD } from './model/entry.ts'
import { isExpired, parseTtl } from './model/expiry.ts'
import { findByRef } from './model/find.ts'
import { isId } from './model/id.ts'
import { aKind, KINDS, type Kind, parseKind } from './model/kinds.ts'
import { normalizeAgentId, normalizeName } from './model/name.ts'
import { wholeNumber } from './model/number.ts'
import type { AddOperation, Batch, Change, Expect, Operation } from './model/operation.ts'
import { addDays, instant, localTime, parseInstant, startOfDay } from './model/time.ts'
import type { Clock } from './ports/clock.ts'
import type { Absorbed, Applied, CallOptions, Purged, ScanFilter, Settings, Store, Watch } from './ports/store.ts'
import { contextLoad } from './prompt/context-load.ts'

export interface MemoryOptions {
  /** A folder. Left out: the nearest `.keepsake` upward from `from`, else the one in the home folder. */
  readonly workspace?: string
  /** Where the search for a workspace begins. */
  readonly from?: string
  /** Default `main`. */
  readonly agent?: string
  /** A store that is open already; then `workspace` and what belongs to it are not looked at. */
  readonly store?: Store
  readonly clock?: Clock
  /** Count only when the workspace is made; see docs/format.md. */
  readonly layout?: Settings['layout']
  readonly timezone?: string
  readonly lockWaitMs?: number
}

export interface WriteOptions extends CallOptions {
  /** The revision that the writer has read; the write fails with CONFLICT when it is no longer current. `null`: must be new. */
  readonly expect?: string | null
  /** The session that this comes from. */
  readonly session?: string
}

export interface RememberOptions extends WriteOptions {
  readonly name?: string
  readonly description?: string
  readonly kind?: Kind
  readonly key?: string
  readonly aliases?: readonly string[]
  readonly metadata?: Metadata
  /** `30d`, `12h`, `90m`, `45s`. */
  readonly ttl?: string
}

export interface Written {
  readonly entry: Entry
  /** Missing when it was so already. */
  readonly change?: Change
  /** The revision that was replaced. */
  readonly replaced?: string
  readonly warnings: readonly string[]
}

export interface RecallOptions extends CallOptions {
  /** Calendar days of the log, today included; default 3. */
  readonly days?: number
  /** Default 8,000. */
  readonly budgetTokens?: number
}

export interface Recalled {
  readonly text: string
  readonly warnings: readonly string[]
}

export interface ListFilter extends CallOptions {
  readonly kinds?: readonly Kind[]
  readonly since?: string
  readonly until?: string
}

export interface LogQuery extends ChangeFilter, CallOptions {
  /** Default 20. */
  readonly limit?: number
  /** Only changes of this entry, by id, name or alias; also of one that is gone. */
  readonly ref?: string
}

export interface Undone {
  /** Missing when it was only tried. */
  readonly change?: Change
  /** Oldest first. */
  readonly undone: readonly LoggedChange[]
  /** What was touched, as it is now. */
  readonly entries: readonly Entry[]
  readonly warnings: readonly string[]
}

export interface PurgedEntry extends Purged {
  readonly entry: Entry
}

const DEFAULT_LOG = 20
const MOST_LOGGED = 1_000_000
const DEFAULT_DAYS = 3
const MOST_DAYS = 3660
const DEFAULT_BUDGET_TOKENS = 8000
/** More often is not chance. */
const NAME_RACES = 3

export async function openMemory(options: MemoryOptions = {}): Promise<Memory> {
  const agent = normalizeAgentId(options.agent ?? 'main')
  const clock = options.clock ?? Date.now
  const store = options.store ?? (await openWorkspace(options, agent, clock))
  return new Memory(store, agent, clock)
}

/** Loaded only when it is wanted, so that the package's root stays free of Node's own modules. */
async function openWorkspace(options: MemoryOptions, agent: string, clock: Clock): Promise<Store> {
  const [{ filesystemStore }, { findWorkspace }] = await Promise.all([
    import('./stores/filesystem/store.ts'),
    import('./config/find-workspace.ts'),
  ])
  const { layout, timezone, lockWaitMs } = options
  return filesystemStore({
    root: options.workspace ?? findWorkspace(options.from ?? '.'),
    agent,
    clock,
    ...(layout === undefined ? {} : { layout }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(lockWaitMs === undefined ? {} : { lockWaitMs }),
  })
}

export class Memory {
  readonly store: Store
  readonly agent: string
  readonly #clock: Clock

  constructor(store: Store, agent: string, clock: Clock) {
    this.store = store
    this.agent = agent
    this.#clock = clock
  }

  /** With a name: creates or overwrites that note. With a key: sets that context. Without: appends to today's log. */
  async remember(content: string, options: RememberOptions = {}): Promise<Written> {
    const kind = parseKind(options.kind ?? defaultKind(options))
    refuseIdleOptions(kind, options)
    if (kind === 'topic') return this.learnFact(requireName(options, kind), content, options)
    if (kind === 'memory') return this.reflect(content, options)
    if (KINDS[kind].rewritten === 'gated') throw gated(kind)
    if (kind === 'context') return this.#despiteRaces(options, () => this.#setContext(content, options))
    if (KINDS[kind].naming === 'given' && options.name !== undefined) return this.#putNamed(kind, content, options)
    return this.#write([this.#addition(kind, content, options)], options)
  }

  /** Rewrites MEMORY.md. Blank content erases it only when that is asked for in so many words. */
  async reflect(content: string, options: WriteOptions & { readonly erase?: boolean } = {}): Promise<Written> {
    const text = normalizeText(content, 'content')
    if (text.trim() === '' && options.erase !== true) {
      throw new InvalidError('content', 'is empty', 'text; or { erase: true } (--erase) to empty the memory')
    }
    return this.#putNamed('memory', text, { ...options, name: 'MEMORY' })
  }

  /** Writes a topic that every agent sees. */
  async learnFact(topic: string, content: string, options: RememberOptions = {}): Promise<Written> {
    return this.#putNamed('topic', content, { ...options, name: normalizeName(topic, 'topic') })
  }

  async forget(ref: string, options: WriteOptions = {}): Promise<Written> {
    const entry = await this.find(ref, options)
    return this.#write([{ op: 'remove', id: entry.id }], options, entry)
  }

  async rename(ref: string, name: string, options: WriteOptions = {}): Promise<Written> {
    const entry = await this.find(ref, options)
    return this.#write([{ op: 'rename', id: entry.id, name }], options, entry)
  }

  /** `take` moves an alias over from another entry, `drop` gives one up. */
  async alias(
    ref: string,
    alias: string,
    options: WriteOptions & { readonly mode?: 'bind' | 'take' | 'drop' } = {},
  ): Promise<Written> {
    const entry = await this.find(ref, options)
    const operation = { op: 'alias', id: entry.id, alias, mode: options.mode ?? 'bind' } as const
    return this.#write([operation], options, entry)
  }

  /** By id, name or alias; `undefined` when there is none. */
  async get(ref: string, options: CallOptions = {}): Promise<Entry | undefined> {
    return this.#visible(await this.#lookUp(ref, options))
  }

  /** As get, but a near miss counts when only one is meant; else an error that suggests. */
  async find(ref: string, options: CallOptions = {}): Promise<Entry> {
    const exact = await this.get(ref, options)
    if (exact) return exact
    const now = this.#now()
    const heads = await this.store.heads({ scopes: this.#scopes }, options)
    const found = findByRef(
      ref,
      heads.filter((head) => !isExpired(head, now)),
      this.agent,
    )
    const entry = found.id === undefined ? undefined : this.#visible(await this.store.get(found.id, options))
    if (!entry) throw new NotFoundError(ref, found.near)
    return entry
  }

  /** In the order they came. */
  async list(filter: ListFilter = {}): Promise<Entry[]> {
    const { signal, kinds, since, until } = filter
    const wanted: ScanFilter = {
      scopes: this.#scopes,
      ...(kinds ? { kinds: kinds.map(parseKind) } : {}),
      ...(since === undefined ? {} : { since: requireInstant(since, 'since') }),
      ...(until === undefined ? {} : { until: requireInstant(until, 'until') }),
    }
    return this.#collect(wanted, signal ? { signal } : {})
  }

  /** World knowledge, the agent's memory and the last days of its log, as one text. */
  async recall(options: RecallOptions = {}): Promise<Recalled> {
    const days = wholeNumber(options.days ?? DEFAULT_DAYS, 'days', 0, MOST_DAYS)
    const budgetTokens = wholeNumber(options.budgetTokens ?? DEFAULT_BUDGET_TOKENS, 'budget', 1, 10_000_000)
    const { timezone: zone } = await this.store.settings()
    const [topics, memory, experiences, problems] = [
      await this.#collect({ scopes: [WORLD], kinds: ['topic'] }, options),
      await this.get('MEMORY', options),
      await this.#lastDays(days, zone, options),
      await this.store.problems({ scopes: this.#scopes, kinds: ['topic', 'memory', 'experience'] }),
    ]
    const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
    const lastDay = days > 0 && experiences.length === 0 ? await this.#lastDay(zone, options) : undefined
    const shownMemory = memory && memory.content.trim() !== '' ? memory : undefined
    const { text } = contextLoad({ topics, memory: shownMemory, experiences, lastDay, zone, budgetTokens, warnings })
    return { text, warnings }
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
    for (const operation of operations) await this.#refuseForeign(operation, options)
    const { expect, signal, origin, reverts } = options
    const batch: Batch = {
      operations,
      origin: origin ?? this.#origin({}),
      ...(reverts === undefined ? {} : { reverts }),
    }
    return this.store.apply(batch, { ...(expect ? { expect } : {}), ...(signal ? { signal } : {}) })
  }

  /** Changes of what this agent sees, newest first. */
  async log(query: LogQuery = {}): Promise<readonly LoggedChange[]> {
    const limit = wholeNumber(query.limit ?? DEFAULT_LOG, 'limit', 1, MOST_LOGGED)
    const changes = await this.#history(query)
    const { ref } = query
    const entry = ref === undefined ? query.entry : ((await this.get(ref, query))?.id ?? idInHistory(changes, ref))
    if (ref !== undefined && entry === undefined) throw new NotFoundError(ref)
    const filter = checkedFilter({ ...query, ...(entry === undefined ? {} : { entry }) })
    return changes
      .filter((logged) => matchesFilter(logged, filter))
      .slice(-limit)
      .reverse()
  }

  /** Takes changes back; without a word about which, the newest that is not undone yet. Undoing an undo brings back. */
  async undo(
    request: UndoRequest & CallOptions & { readonly dryRun?: boolean; readonly session?: string } = {},
  ): Promise<Undone> {
    const { dryRun, signal, changes: numbers, last, withLater, ...filter } = request
    const call = signal ? { signal } : {}
    const asked: UndoRequest = {
      ...checkedFilter(filter),
      ...(numbers === undefined ? {} : { changes: numbers }),
      ...(last === undefined ? {} : { last: wholeNumber(last, 'last', 1, MOST_LOGGED) }),
      ...(withLater === undefined ? {} : { withLater }),
    }
    for (let tries = 1; ; tries++) {
      const { undone, operations, expect } = planUndo(await this.#history(call), asked)
      if (dryRun) return { undone, entries: [], warnings: [] }
      const reverts = undone.map(({ change }) => change.number)
      const batch: Batch = { operations, origin: { by: 'undo', agent: this.agent }, reverts }
      try {
        const { change, entries, warnings } = await this.store.apply(batch, { expect, ...call })
        return { ...(change ? { change } : {}), undone, entries, warnings }
      } catch (error) {
        // Someone wrote between the plan and its turn: plan again on what is there now.
        if (!isKeepsakeError(error) || error.code !== 'CONFLICT' || tries >= NAME_RACES) throw error
      }
    }
  }

  /** The memory as it was: everything that reads works, with the clock at that moment. */
  async asOf(at: string): Promise<Memory> {
    const instantAsked = requireInstant(at, 'as-of')
    const settings = await this.store.settings()
    const past = pastStore(await this.store.history(), instantAsked, settings)
    return new Memory(past, this.agent, () => Date.parse(instantAsked))
  }

  /** Which change brought each line of an entry. */
  async blame(ref: string, options: CallOptions = {}): Promise<Blame> {
    const changes = await this.#history(options)
    return blameOf(await this.find(ref, options), changes)
  }

  /** Journals what hands did to the files, so that it is in the log and can be undone. */
  async absorb(options: CallOptions = {}): Promise<Absorbed> {
    return this.store.absorb(options)
  }

  /** Takes in removals that were held back because they were so many at once. */
  async accept(options: CallOptions = {}): Promise<Absorbed> {
    return this.store.absorb({ ...options, acceptRemovals: true })
  }

  /** Forgets an entry with every trace, in files, history, sessions and backups. This can't be undone. */
  async purge(ref: string, options: CallOptions = {}): Promise<PurgedEntry> {
    const entry = await this.find(ref, options)
    return { entry, ...(await this.store.purge([entry.id], options)) }
  }

  /** Calls back after another process or a hand has changed something, until it is stopped. */
  async watch(changed: () => void): Promise<Watch> {
    return this.store.watch(changed)
  }

  async close(): Promise<void> {
    await this.store.close()
  }

  async #history(options: CallOptions): Promise<LoggedChange[]> {
    await this.store.absorb(options)
    return visibleChanges(await this.store.history(options), this.#scopes)
  }

  get #scopes(): string[] {
    return [WORLD, this.agent]
  }

  #now(): string {
    return instant(this.#clock())
  }

  #origin({ session }: WriteOptions): Origin {
    return { by: 'agent', agent: this.agent, ...(session === undefined ? {} : { session }) }
  }

  #visible(entry: Entry | undefined): Entry | undefined {
    if (!entry || !this.#scopes.includes(entry.scope) || isExpired(entry, this.#now())) return undefined
    return entry
  }

  /** An agent's own name shadows the world's. */
  async #lookUp(ref: string, options: CallOptions): Promise<Entry | undefined> {
    if (isId(ref)) return this.store.get(ref, options)
    const name = normalizeName(ref, 'name')
    return (await this.store.resolve(this.agent, name, options)) ?? (await this.store.resolve(WORLD, name, options))
  }

  async #collect(filter: ScanFilter, options: CallOptions): Promise<Entry[]> {
    const now = this.#now()
    const out: Entry[] = []
    for await (const entry of this.store.scan(filter, options)) if (!isExpired(entry, now)) out.push(entry)
    return out
  }

  async #lastDays(days: number, zone: string, options: CallOptions): Promise<Entry[]> {
    if (days === 0) return []
    const first = addDays(localTime(this.#now(), zone).day, 1 - days)
    const since = startOfDay(first, zone)
    return this.#collect({ scopes: [this.agent], kinds: ['experience'], since }, options)
  }

  async #lastDay(zone: string, options: CallOptions): Promise<string | undefined> {
    const now = this.#now()
    const heads = await this.store.heads({ scopes: [this.agent], kinds: ['experience'] }, options)
    const times = heads.filter((head) => !isExpired(head, now)).map((head) => head.createdAt)
    const last = times.sort().at(-1)
    return last === undefined ? undefined : localTime(last, zone).day
  }

  /** Creates or overwrites by name. Another process may make or remove the same name meanwhile: then it is the other case. */
  async #putNamed(
    kind: Kind,
    content: string,
    options: RememberOptions & { readonly name?: string },
  ): Promise<Written> {
    const scope = KINDS[kind].scope === 'world' ? WORLD : this.agent
    const name = normalizeName(options.name)
    return this.#despiteRaces(options, async () => {
      const existing = await this.#existing(scope, name, kind, options)
      if (existing && !isExpired(existing, this.#now())) return this.#overwrite(existing, kind, content, options)
      if (typeof options.expect === 'string') throw new ConflictError(name, options.expect, null)
      return this.#write([...removal(existing), this.#addition(kind, content, options)], options)
    })
  }

  /** Two writers that make one name at once: the second one finds it and overwrites. Who expects something is told instead. */
  async #despiteRaces(options: WriteOptions, write: () => Promise<Written>): Promise<Written> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        const raced = isKeepsakeError(error) && (error.code === 'NAME_TAKEN' || error.code === 'NOT_FOUND')
        if (!raced || tries >= NAME_RACES || options.expect !== undefined) throw error
      }
    }
  }

  /** The entry of this name, also one that differs only in case, dashes and blanks where it is a topic's. */
  async #existing(scope: string, name: string, kind: Kind, options: CallOptions): Promise<Entry | undefined> {
    const exact = await this.store.resolve(scope, name, options)
    if (exact || kind !== 'topic') return exact
    const heads = await this.store.heads({ scopes: [scope], kinds: [kind] }, options)
    const alike = heads.filter((head) =>
      [head.name ?? '', ...head.aliases].some((other) => spelling(other) === spelling(name)),
    )
    return alike.length === 1 && alike[0] ? this.store.get(alike[0].id, options) : undefined
  }

  async #overwrite(existing: Entry, kind: Kind, content: string, options: RememberOptions): Promise<Written> {
    if (options.expect === null) await this.#refuseExisting(existing)
    if (existing.kind !== kind || KINDS[kind].rewritten === 'no') {
      throw new KeepsakeError('NAME_TAKEN', `"${existing.name}" is ${aKind(existing.kind)} and can't be overwritten`, {
        hint: 'Choose another name.',
        data: { name: existing.name, owner: existing.id },
      })
    }
    const { description, metadata, aliases = [] } = options
    const expiresAt = this.#expiresAt(options)
    const write: Operation = {
      op: 'write',
      id: existing.id,
      content,
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    const bound = aliases.map((alias): Operation => ({ op: 'alias', id: existing.id, alias }))
    return this.#write([write, ...bound], options, existing)
  }

  async #refuseExisting(existing: Entry): Promise<never> {
    const name = existing.name ?? existing.key ?? existing.id
    throw new KeepsakeError('CONFLICT', `"${name}" exists already, at revision ${existing.revision}`, {
      hint: 'It was expected to be new. Read it, or choose another name.',
      data: { id: existing.id, actual: existing.revision },
    })
  }

  /** Replaces by key; a value of an earlier day makes room for one of today. */
  async #setContext(content: string, options: RememberOptions): Promise<Written> {
    const key = normalizeName(options.key ?? options.name, 'key')
    const { name: _, ...rest } = options
    const existing = await this.store.resolveKey(this.agent, key, options)
    const current = existing && !isExpired(existing, this.#now()) ? existing : undefined
    const { timezone: zone } = await this.store.settings()
    const today = localTime(this.#now(), zone).day
    if (current && localTime(current.createdAt, zone).day === today) {
      return this.#overwrite(current, 'context', content, rest)
    }
    if (current && options.expect === null) await this.#refuseExisting(current)
    if (!current && typeof options.expect === 'string') throw new ConflictError(key, options.expect, null)
    const addition = this.#addition('context', content, { ...rest, key })
    return this.#write([...removal(existing), addition], options, current)
  }

  #addition(kind: Kind, content: string, options: RememberOptions): AddOperation {
    const { name, key, aliases, description, metadata } = options
    const expiresAt = this.#expiresAt(options)
    return {
      op: 'add',
      scope: KINDS[kind].scope === 'world' ? WORLD : this.agent,
      kind,
      content,
      ...(name === undefined ? {} : { name }),
      ...(key === undefined ? {} : { key }),
      ...(aliases === undefined ? {} : { aliases }),
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
  }

  #expiresAt({ ttl }: RememberOptions): string | undefined {
    return ttl === undefined ? undefined : instant(this.#clock() + parseTtl(ttl))
  }

  async #write(operations: readonly Operation[], options: WriteOptions, existing?: Entry): Promise<Written> {
    const applied = await this.#applied(operations, options, existing)
    // Of several, the one that was meant; where that made room for a new one, the new one.
    const made = operations.some((operation) => operation.op === 'add')
    const entry =
      (made ? undefined : applied.entries.find((touched) => touched.id === existing?.id)) ?? applied.entries.at(-1)
    if (!entry) throw new Error('unreachable: a batch that was applied touched an entry')
    return {
      entry,
      ...(applied.change ? { change: applied.change } : {}),
      ...(existing && applied.change ? { replaced: existing.revision } : {}),
      warnings: applied.warnings,
    }
  }

  async #applied(
    operations: readonly Operation[],
    options: WriteOptions,
    existing: Entry | undefined,
  ): Promise<Applied> {
    const { signal, expect } = options
    const call = {
      ...(signal ? { signal } : {}),
      ...(existing && typeof expect === 'string' ? { expect: { [existing.id]: expect } } : {}),
    }
    const origin = this.#origin(options)
    try {
      return await this.store.apply({ operations, origin }, call)
    } catch (error) {
      // A name whose owner has expired belongs to nobody whom anyone can see: that one makes room.
      const expired = await this.#expiredOwner(error, options)
      if (!expired) throw error
      return this.store.apply({ operations: [...removal(expired), ...operations], origin }, call)
    }
  }

  async #expiredOwner(error: unknown, options: CallOptions): Promise<Entry | undefined> {
    if (!isKeepsakeError(error) || error.code !== 'NAME_TAKEN' || typeof error.data['owner'] !== 'string')
      return undefined
    const owner = await this.store.get(error.data['owner'], options)
    return owner && isExpired(owner, this.#now()) ? owner : undefined
  }

  async #refuseForeign(operation: Operation, options: CallOptions): Promise<void> {
    const scope =
      operation.op === 'add' ? operation.scope : ((await this.store.get(operation.id, options))?.scope ?? this.agent)
    if (!this.#scopes.includes(scope)) throw new NotFoundError(operation.op === 'add' ? scope : operation.id)
  }
}

function checkedFilter({ since, until, by, agent, session, entry }: ChangeFilter): ChangeFilter {
  return {
    ...(since === undefined ? {} : { since: requireInstant(since, 'since') }),
    ...(until === undefined ? {} : { until: requireInstant(until, 'until') }),
    ...(by === undefined ? {} : { by: parseOriginBy(by) }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(entry === undefined ? {} : { entry }),
  }
}

function defaultKind({ name, key }: RememberOptions): Kind {
  if (key !== undefined) return 'context'
  return name === undefined ? 'experience' : 'note'
}

/** What an option would have no effect on must not look as if it had one. */
function refuseIdleOptions(kind: Kind, { name, key, ttl, expect }: RememberOptions): void {
  const { naming, fixedName, ttl: mayExpire } = KINDS[kind]
  if (key !== undefined && naming !== 'key') {
    throw new InvalidError('key', `${aKind(kind)} has no key`, 'a key for context only')
  }
  if (key !== undefined && name !== undefined) {
    throw new InvalidError('name', 'a context has a key and no name besides', 'one of name and key')
  }
  if (name !== undefined && fixedName !== undefined && name !== fixedName) {
    throw new InvalidError('name', `the ${kind} of an agent is called ${fixedName}`, fixedName)
  }
  if (ttl !== undefined && !mayExpire) throw new InvalidError('ttl', `${aKind(kind)} never expires`, 'no ttl')
  if (typeof expect === 'string' && (naming === 'none' || (naming === 'given' && name === undefined))) {
    throw new InvalidError('expect', `a new ${kind} has no earlier revision`, 'a revision where a name or key is given')
  }
}

function removal(entry: Entry | undefined): Operation[] {
  return entry ? [{ op: 'remove', id: entry.id }] : []
}

function requireInstant(value: string, field: string): string {
  const at = parseInstant(value)
  if (at === undefined) throw new InvalidError(field, `"${value}" is not a time`, 'ISO-8601 with a zone')
  return at
}

function requireName({ name }: RememberOptions, kind: Kind): string {
  if (name === undefined) throw new InvalidError('name', `a ${kind} needs one`, 'a name of 1 to 200 characters')
  return name
}

function gated(kind: Kind): KeepsakeError {
  return new KeepsakeError('READ_ONLY', `the ${kind} is not written by this command`, {
    hint: 'Edit its file by hand.',
    data: { kind },
  })
}

/** Names that a person would call the same: case, dashes, underscores and blanks do not tell them apart. */
function spelling(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '-')
}
