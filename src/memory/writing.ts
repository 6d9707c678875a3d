/**
 * Writing as an agent means it: create or overwrite by name, set by key, append to the log. Each becomes one batch of
 * operations on the store; two writers that mean the same name at once are sorted out here.
 */
import { ConflictError, InvalidError, isKeepsakeError, KeepsakeError } from '../errors.ts'
import { normalizeText } from '../model/content.ts'
import { type Entry, type Metadata, type Origin, WORLD } from '../model/entry.ts'
import { isExpired, parseTtl } from '../model/expiry.ts'
import { aKind, KINDS, type Kind, parseKind } from '../model/kinds.ts'
import { normalizeName } from '../model/name.ts'
import type { AddOperation, Change, Operation } from '../model/operation.ts'
import { instant, localTime } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Applied, CallOptions, Store } from '../ports/store.ts'
import { applyAs } from './apply-as.ts'
import type { IdentityGate } from './identity-gate.ts'
import { topicCalled } from './topic.ts'

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

/** More often is not chance. */
const NAME_RACES = 3

export class Writing {
  readonly #store: Store
  readonly #agent: string
  readonly #clock: Clock
  readonly #gate: IdentityGate

  constructor(store: Store, agent: string, clock: Clock, gate: IdentityGate) {
    this.#store = store
    this.#agent = agent
    this.#clock = clock
    this.#gate = gate
  }

  /** With a name: creates or overwrites that note. With a key: sets that context. Without: appends to today's log. */
  async remember(content: string, options: RememberOptions = {}): Promise<Written> {
    const kind = parseKind(options.kind ?? defaultKind(options))
    refuseIdleOptions(kind, options)
    if (kind === 'topic') return this.learnFact(requireName(options, kind), content, options)
    if (kind === 'memory') return this.reflect(content, options)
    if (kind === 'identity') return this.#putNamed(kind, content, { ...options, name: 'IDENTITY' })
    if (kind === 'context') return this.#despiteRaces(options, () => this.#setContext(content, options))
    if (KINDS[kind].naming === 'given' && options.name !== undefined) return this.#putNamed(kind, content, options)
    return this.write([this.#addition(kind, content, options)], options)
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

  /** One batch; `existing`: the entry that it is about. */
  async write(operations: readonly Operation[], options: WriteOptions, existing?: Entry): Promise<Written> {
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

  origin({ session }: WriteOptions): Origin {
    return { by: 'agent', agent: this.#agent, ...(session === undefined ? {} : { session }) }
  }

  #now(): string {
    return instant(this.#clock())
  }

  /** Creates or overwrites by name. Another process may make or remove the same name meanwhile: then it is the other case. */
  async #putNamed(
    kind: Kind,
    content: string,
    options: RememberOptions & { readonly name?: string },
  ): Promise<Written> {
    this.#gate([kind])
    const name = normalizeName(options.name)
    return this.#despiteRaces(options, async () => {
      const existing =
        kind === 'topic'
          ? await topicCalled(this.#store, name, options)
          : await this.#store.resolve(this.#agent, name, options)
      if (existing && !isExpired(existing, this.#now())) return this.#overwrite(existing, kind, content, options)
      if (typeof options.expect === 'string') throw new ConflictError(name, options.expect, null)
      return this.write([...removal(existing), this.#addition(kind, content, options)], options)
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

  async #overwrite(existing: Entry, kind: Kind, content: string, options: RememberOptions): Promise<Written> {
    if (options.expect === null) await this.#refuseExisting(existing)
    if (existing.kind !== kind || KINDS[kind].rewritten === 'no') {
      const isFixed = KINDS[existing.kind].rewritten === 'no'
      const problem = isFixed ? "can't be overwritten" : `can't become ${aKind(kind)}`
      throw new KeepsakeError('NAME_TAKEN', `"${existing.name}" is ${aKind(existing.kind)} and ${problem}`, {
        hint: 'Choose another name.',
        data: { name: existing.name, owner: existing.id },
      })
    }
    const { description, metadata, aliases = [] } = options
    // A new text is not lost for the sake of a life that was given to the old one.
    const expiresAt = this.#expiresAt(options) ?? (KINDS[kind].expires === 'never' ? null : undefined)
    const write: Operation = {
      op: 'write',
      id: existing.id,
      content,
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    const bound = aliases.map((alias): Operation => ({ op: 'alias', id: existing.id, alias }))
    return this.write([write, ...bound], options, existing)
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
    const existing = await this.#store.resolveKey(this.#agent, key, options)
    const current = existing && !isExpired(existing, this.#now()) ? existing : undefined
    const { timezone: zone } = await this.#store.settings()
    const today = localTime(this.#now(), zone).day
    if (current && localTime(current.createdAt, zone).day === today) {
      return this.#overwrite(current, 'context', content, rest)
    }
    if (current && options.expect === null) await this.#refuseExisting(current)
    if (!current && typeof options.expect === 'string') throw new ConflictError(key, options.expect, null)
    const addition = this.#addition('context', content, { ...rest, key })
    return this.write([...removal(existing), addition], options, current)
  }

  #addition(kind: Kind, content: string, options: RememberOptions): AddOperation {
    const { name, key, aliases, description, metadata } = options
    const expiresAt = this.#expiresAt(options)
    return {
      op: 'add',
      scope: KINDS[kind].scope === 'world' ? WORLD : this.#agent,
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

  async #applied(
    operations: readonly Operation[],
    options: WriteOptions,
    existing: Entry | undefined,
  ): Promise<Applied> {
    this.#gate([existing?.kind])
    const { signal, expect } = options
    if (expect !== undefined && expect !== null && typeof expect !== 'string') {
      throw new InvalidError(
        'expect',
        `${JSON.stringify(expect)} is no revision`,
        'a revision, or null for "must be new"',
      )
    }
    if (existing && expect === null) await this.#refuseExisting(existing)
    const call = {
      ...(signal ? { signal } : {}),
      ...(existing && typeof expect === 'string' ? { expect: { [existing.id]: expect } } : {}),
    }
    const origin = this.origin(options)
    try {
      return await applyAs(this.#store, this.#agent, { operations, origin }, call)
    } catch (error) {
      // A name whose owner has expired belongs to nobody whom anyone can see: that one makes room.
      const expired = await this.#expiredOwner(error, options)
      if (!expired) throw error
      return applyAs(this.#store, this.#agent, { operations: [...removal(expired), ...operations], origin }, call)
    }
  }

  async #expiredOwner(error: unknown, options: CallOptions): Promise<Entry | undefined> {
    if (!isKeepsakeError(error) || error.code !== 'NAME_TAKEN' || typeof error.data['owner'] !== 'string')
      return undefined
    const owner = await this.#store.get(error.data['owner'], options)
    return owner && isExpired(owner, this.#now()) ? owner : undefined
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

function requireName({ name }: RememberOptions, kind: Kind): string {
  if (name === undefined) throw new InvalidError('name', `a ${kind} needs one`, 'a name of 1 to 200 characters')
  return name
}
