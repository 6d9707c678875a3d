/**
 * Writing as an agent means it: create or overwrite by name, set by key, append to the log, keep one of a fact. Each becomes one
 * batch of operations on the store; writers that mean the same thing at once are sorted out here.
 */
import { ConflictError, InvalidError, isKeepsakeError, KeepsakeError } from '../errors.ts'
import { normalizeContent, normalizeText } from '../model/content.ts'
import { type Entry, type Origin, WORLD } from '../model/entry.ts'
import { defaultExpiry, isExpired, parseTtl } from '../model/expiry.ts'
import { normalizeMetadata } from '../model/json.ts'
import { aKind, KINDS, type Kind, parseKind } from '../model/kinds.ts'
import { type MemoryType, parseMemoryType } from '../model/memory-types.ts'
import { normalizeName } from '../model/name.ts'
import type { AddOperation, Change, Expect, Operation } from '../model/operation.ts'
import { instant, localTime } from '../model/time.ts'
import type { Applied } from '../ports/store.ts'
import { factPlace } from './facts.ts'
import type { IdentityGate } from './identity-gate.ts'
import { applyMakingRoom } from './make-room.ts'
import {
  defaultKind,
  type RememberOptions,
  refuseIdleOptions,
  requireExpect,
  requireName,
  type StoreOptions,
  type WriteOptions,
} from './remember-options.ts'
import { asRead, refuseWithoutCompare, removals } from './removals.ts'
import { topicCalled } from './topic.ts'
import type { View } from './view.ts'

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
/** Who adds to what others add to at the same moment comes too late once for each of them. */
const MOST_RACES = 100

export class Writing {
  readonly #view: View
  readonly #gate: IdentityGate

  constructor(view: View, gate: IdentityGate) {
    this.#view = view
    this.#gate = gate
  }

  /** With a name: creates or overwrites that note. With a key: sets that context. Without: appends to today's log. */
  async remember(content: string, options: RememberOptions = {}): Promise<Written> {
    const kind = parseKind(options.kind ?? defaultKind(options))
    refuseIdleOptions(kind, options)
    if (kind === 'topic') return this.learnFact(requireName(options, kind), content, options)
    if (kind === 'memory') return this.reflect(content, options)
    if (kind === 'identity') return this.#putNamed(kind, content, { ...options, name: 'IDENTITY' })
    const key = options.key ?? options.name
    if (kind === 'context' && key !== undefined) {
      return this.#despiteRaces(options, () => this.#setContext(normalizeName(key, 'key'), content, options))
    }
    if (KINDS[kind].naming === 'given' && options.name !== undefined) return this.#putNamed(kind, content, options)
    if (kind === 'fact') return this.#despiteRaces(options, () => this.#keepFact(content, options))
    return this.write([this.#addition(kind, content, options)], options)
  }

  async store(content: string, type: MemoryType, options: StoreOptions): Promise<Written> {
    return this.remember(content, { ...options, kind: parseMemoryType(type) })
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

  /** One batch; `existing`: the entry that it is about. `expect`: what it was planned on, beside what the caller expects. */
  async write(
    operations: readonly Operation[],
    options: WriteOptions,
    existing?: Entry,
    expect: Expect = {},
  ): Promise<Written> {
    requireExpect(options.expect)
    if (options.expect !== undefined) refuseWithoutCompare(this.#view.store)
    this.#gate([existing?.kind])
    if (existing && options.expect === null) refuseExisting(existing)
    const asked = existing && typeof options.expect === 'string' ? { [existing.id]: options.expect } : {}
    const applied = await this.apply(operations, options, { ...expect, ...asked })
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

  async apply(
    operations: readonly Operation[],
    options: WriteOptions & { readonly origin?: Origin; readonly reverts?: readonly number[] },
    expect: Expect,
  ): Promise<Applied> {
    const { origin = this.origin(options), reverts, signal } = options
    const batch = { operations, origin, ...(reverts === undefined ? {} : { reverts }) }
    return applyMakingRoom(this.#view, batch, expect, signal ? { signal } : {})
  }

  origin({ session }: WriteOptions): Origin {
    return { by: 'agent', agent: this.#view.agent, ...(session === undefined ? {} : { session }) }
  }

  /** Creates or overwrites by name. Another process may make or remove the same name meanwhile: then it is the other case. */
  async #putNamed(
    kind: Kind,
    content: string,
    options: RememberOptions & { readonly name?: string },
  ): Promise<Written> {
    this.#gate([kind])
    const name = normalizeName(options.name)
    const { store, agent } = this.#view
    return this.#despiteRaces(options, async () => {
      const held =
        kind === 'topic' ? await topicCalled(store, name, options) : await store.resolve(agent, name, options)
      if (held && !isExpired(held, this.#view.now())) return this.#overwrite(held, kind, content, options)
      if (typeof options.expect === 'string') throw new ConflictError(name, options.expect, null)
      return this.write([this.#addition(kind, content, options)], options)
    })
  }

  /**
   * Two writers that make one thing at once: the second one finds it, and begins again on what is there by then. Who expects
   * something is told instead.
   */
  async #despiteRaces(options: WriteOptions, write: () => Promise<Written>): Promise<Written> {
    if (options.expect !== undefined) refuseWithoutCompare(this.#view.store)
    let names = 0
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (!isRace(error) || tries >= MOST_RACES || options.expect !== undefined) throw error
        if (error.code !== 'CONFLICT' && ++names >= NAME_RACES) throw error
      }
    }
  }

  async #overwrite(
    existing: Entry,
    kind: Kind,
    content: string,
    options: RememberOptions,
    expect: Expect = {},
  ): Promise<Written> {
    if (options.expect === null) refuseExisting(existing)
    if (existing.kind !== kind || KINDS[kind].rewritten === 'no') {
      const isFixed = KINDS[existing.kind].rewritten === 'no'
      const problem = isFixed ? "can't be overwritten" : `can't become ${aKind(kind)}`
      throw new KeepsakeError('NAME_TAKEN', `"${existing.name}" is ${aKind(existing.kind)} and ${problem}`, {
        hint: 'Choose another name.',
        data: { name: existing.name, owner: existing.id },
      })
    }
    const { description, metadata, aliases = [] } = options
    const write: Operation = {
      op: 'write',
      id: existing.id,
      content,
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
      // A new text is not lost for the sake of a life that was given to the old one.
      expiresAt: this.#expiresAt(options) ?? defaultExpiry(kind, this.#view.now(), await this.#zoneFor(kind)),
    }
    const bound = aliases.map((alias): Operation => ({ op: 'alias', id: existing.id, alias }))
    return this.write([write, ...bound], options, existing, expect)
  }

  /** Replaces the value of a key; a value of an earlier day is replaced too. */
  async #setContext(key: string, content: string, options: RememberOptions): Promise<Written> {
    const { name: _, ...rest } = options
    const { current, all } = await this.#view.contexts(key, options)
    const zone = await this.#zoneFor('context')
    const today = localTime(this.#view.now(), zone).day
    if (current && localTime(current.createdAt, zone).day === today) {
      return this.#overwrite(current, 'context', content, rest)
    }
    if (!current && typeof options.expect === 'string') throw new ConflictError(key, options.expect, null)
    const addition = this.#addition('context', content, { ...rest, key })
    return this.write([...removals(all), addition], options, current, asRead(this.#view.store, all))
  }

  /** A field of the user's profile has one value and keeps its other metadata; an equal text with equal metadata is one entry. */
  async #keepFact(content: string, options: RememberOptions): Promise<Written> {
    const fact = { content: normalizeContent(content), metadata: normalizeMetadata(options.metadata) }
    const { same, free } = await factPlace(this.#view, fact, options)
    if (same) {
      const metadata = { ...same.metadata, ...fact.metadata }
      return this.#overwrite(same, 'fact', content, { ...options, metadata }, asRead(this.#view.store, [same]))
    }
    if (typeof options.expect === 'string') throw new ConflictError(fact.content, options.expect, null)
    const named = free === undefined ? {} : { name: free }
    return this.write([this.#addition('fact', content, { ...options, ...named })], options)
  }

  #addition(kind: Kind, content: string, options: RememberOptions): AddOperation {
    const { name, key, aliases, description, metadata } = options
    const expiresAt = this.#expiresAt(options)
    return {
      op: 'add',
      scope: KINDS[kind].scope === 'world' ? WORLD : this.#view.agent,
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
    return ttl === undefined ? undefined : instant(this.#view.clock() + parseTtl(ttl))
  }

  /** Only a day has one; most kinds do without opening the settings. */
  async #zoneFor(kind: Kind): Promise<string> {
    return KINDS[kind].expires === 'day-end' ? (await this.#view.store.settings()).timezone : 'UTC'
  }
}

function isRace(error: unknown): error is KeepsakeError {
  return isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN', 'NOT_FOUND'].includes(error.code)
}

function refuseExisting(existing: Entry): never {
  const name = existing.name ?? existing.key ?? existing.id
  throw new KeepsakeError('CONFLICT', `"${name}" exists already, at revision ${existing.revision}`, {
    hint: 'It was expected to be new. Read it, or choose another name.',
    data: { id: existing.id, actual: existing.revision },
  })
}
