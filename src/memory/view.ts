/**
 * What one agent sees of a store at a moment: the world and its own, and nothing that has expired. Whatever reads for an
 * agent reads through this, so that there is one rule and no way past it.
 */
import { NotFoundError } from '../errors.ts'
import { type Entry, type EntryHead, type Scope, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { findByRef } from '../model/find.ts'
import { isId } from '../model/id.ts'
import { normalizeName } from '../model/name.ts'
import { oneQuestion } from '../model/one-question.ts'
import { instant } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { CallOptions, ScanFilter, Store } from '../ports/store.ts'

export class View {
  readonly store: Store
  readonly agent: string
  readonly scopes: readonly Scope[]
  readonly clock: Clock

  constructor(store: Store, agent: string, clock: Clock) {
    this.store = store
    this.agent = agent
    this.scopes = [WORLD, agent]
    this.clock = clock
  }

  now(): string {
    return instant(this.clock())
  }

  /** By id, name or alias. An agent's own name shadows the world's, for as long as it has not expired. */
  async get(ref: string, asked: CallOptions): Promise<Entry | undefined> {
    const options = oneQuestion(asked)
    if (isId(ref)) return this.#visible(await this.store.get(ref, options))
    const name = normalizeName(ref, 'name')
    const own = await this.own(name, options)
    return own ?? this.#visible(await this.store.resolve(WORLD, name, options))
  }

  /** By name or alias, of this agent's own alone. */
  async own(name: string, options: CallOptions): Promise<Entry | undefined> {
    return this.#visible(await this.store.resolve(this.agent, name, options))
  }

  /** As get, but a near miss counts when only one is meant; else an error that suggests. */
  async find(ref: string, asked: CallOptions): Promise<Entry> {
    const options = oneQuestion(asked)
    const exact = await this.get(ref, options)
    if (exact) return exact
    const found = findByRef(ref, await this.heads({}, options), this.agent)
    const entry = found.id === undefined ? undefined : this.#visible(await this.store.get(found.id, options))
    if (!entry) throw new NotFoundError(ref, found.near)
    return entry
  }

  /** The context of a key that counts, and all that have the key: what has expired, and what hands made twice. */
  async contexts(
    key: string,
    asked: CallOptions,
  ): Promise<{ readonly current: Entry | undefined; readonly all: readonly EntryHead[] }> {
    const options = oneQuestion(asked)
    const held = this.#visible(await this.store.resolveKey(this.agent, key, options))
    if (held) return { current: held, all: [held] }
    const contexts = await this.store.heads({ scopes: [this.agent], kinds: ['context'] }, options)
    const all = contexts.filter((head) => head.key === key)
    const [newest] = all
      .filter((head) => !isExpired(head, this.now()))
      .sort((a, b) => (a.updatedAt === b.updatedAt ? b.seq - a.seq : a.updatedAt < b.updatedAt ? 1 : -1))
    return { current: newest && this.#visible(await this.store.get(newest.id, options)), all }
  }

  /** In the order they came; scopes that are not this agent's to see are passed over. */
  async collect(filter: ScanFilter, options: CallOptions): Promise<Entry[]> {
    const now = this.now()
    const out: Entry[] = []
    for await (const entry of this.store.scan(this.#seen(filter), options)) {
      if (!isExpired(entry, now)) out.push(entry)
    }
    return out
  }

  /** As collect, without the texts. */
  async heads(filter: ScanFilter, options: CallOptions): Promise<readonly EntryHead[]> {
    const now = this.now()
    const heads = await this.store.heads(this.#seen(filter), options)
    return heads.filter((head) => !isExpired(head, now))
  }

  #seen(filter: ScanFilter): ScanFilter {
    return { ...filter, scopes: filter.scopes?.filter((scope) => this.scopes.includes(scope)) ?? this.scopes }
  }

  #visible(entry: Entry | undefined): Entry | undefined {
    return entry && this.scopes.includes(entry.scope) && !isExpired(entry, this.now()) ? entry : undefined
  }
}
