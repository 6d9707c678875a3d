/**
 * The store in RAM: the reference that the others are tested against, and a memory for agents that are thrown away.
 * Invariant: a batch is worked out on a draft and taken over in one synchronous step, so no reader sees half of it.
 * What it hands out is frozen, so that no caller can reach into the state. Deliberately absent: files and locks.
 */
import { InvalidError, KeepsakeError } from '../errors.ts'
import { applyBatch, normalizeOrigin } from '../model/apply.ts'
import { Draft, handlesOf, keyHandle, type StateView } from '../model/draft.ts'
import type { Entry, Scope } from '../model/entry.ts'
import { matchesHead } from '../model/filter.ts'
import { newId as newUuid } from '../model/id.ts'
import { normalizeAgentId } from '../model/name.ts'
import type { Batch, Change, Expect, Step } from '../model/operation.ts'
import { SeqCounter } from '../model/seq.ts'
import { instant, systemZone } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type {
  Applied,
  Capabilities,
  ChangeFeed,
  Cursor,
  Derived,
  History,
  Lease,
  Recorded,
  ScanFilter,
  SessionRecord,
  Sessions,
  Settings,
  Store,
  Touched,
} from '../ports/store.ts'

export interface MemoryStoreOptions {
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  readonly settings?: Partial<Settings>
  /** What `document` finds, by name. */
  readonly documents?: Readonly<Record<string, string>>
}

const CAPABILITIES: Capabilities = Object.freeze({
  durable: 'it lives in RAM and ends with its process',
  atomicBatch: true,
  sharedByProcesses: 'RAM belongs to one process',
  nativeSearch: 'entries are searched by the index on top',
  watch: 'nobody but its own process can change it',
  undo: true,
  asOf: true,
})

export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const clock = options.clock ?? Date.now
  const newId = options.newId ?? newUuid
  const settings: Settings = Object.freeze({
    format: 1,
    id: newUuid(Date.now()),
    layout: 'agents',
    timezone: systemZone(),
    identityFile: 'IDENTITY.md',
    retentionDays: 365,
    retentionMb: 512,
    ...options.settings,
  })
  const documents = new Map(Object.entries(options.documents ?? {}))
  const state = new MemoryState()
  const feed = new MemoryFeed()
  const derived = memoryDerived(enter, () => feed.epoch)
  let closed = false

  function enter(signal?: AbortSignal): void {
    if (closed) throw new KeepsakeError('CLOSED', 'the store is closed', { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }

  function apply(batch: Batch, expect: Expect | undefined): Applied {
    const ms = clock()
    const now = instant(ms)
    const draft = new Draft(state)
    const context = { now, zone: settings.timezone, newId: () => newId(ms), seqs: state.seqs() }
    const steps = applyBatch(draft, batch, context, expect)
    if (steps.length === 0) return { entries: named(batch, state), warnings: [] }
    state.take(draft, steps)
    return { change: feed.append(batch, steps, now), entries: touched(steps), warnings: [] }
  }

  return {
    capabilities: CAPABILITIES,
    async settings() {
      enter()
      return settings
    },
    async apply(batch, { expect, signal } = {}) {
      enter(signal)
      return apply(batch, expect)
    },
    async get(id, { signal } = {}) {
      enter(signal)
      return state.get(id)
    },
    async resolve(scope, name, { signal } = {}) {
      enter(signal)
      return state.held(scope, name)
    },
    async resolveKey(scope, key, { signal } = {}) {
      enter(signal)
      return state.held(scope, keyHandle(key))
    },
    async *scan(filter = {}, { signal } = {}) {
      enter(signal)
      for (const entry of state.scan(filter)) {
        signal?.throwIfAborted()
        yield entry
      }
    },
    async heads(filter = {}, { signal } = {}) {
      enter(signal)
      return state.scan(filter).map(({ content: _, ...head }) => head)
    },
    async problems() {
      enter()
      return []
    },
    async changes(since, { signal } = {}) {
      enter(signal)
      return feed.read(since)
    },
    async history({ signal } = {}) {
      enter(signal)
      return feed.history()
    },
    async absorb({ signal } = {}) {
      enter(signal)
      return { changes: [], heldBack: [] }
    },
    async purge(ids, { signal } = {}) {
      enter(signal)
      const there = ids.filter((id) => state.get(id) !== undefined)
      if (there.length > 0) {
        apply({ operations: there.map((id) => ({ op: 'remove', id })), origin: { by: 'agent' } }, undefined)
      }
      feed.purge(new Set(ids))
      derived.forget()
      return { cleaned: ['the entries and what the history had of them'], outOfReach: [] }
    },
    async watch() {
      enter()
      return { stop: async () => undefined }
    },
    sessions: memorySessions(clock, enter),
    derived,
    async document(name) {
      enter()
      return documents.get(name)
    },
    lease: memoryLeases(enter),
    async close() {
      closed = true
    },
  }
}

class MemoryState implements StateView {
  readonly #entries = new Map<string, Entry>()
  readonly #owners = new Map<string, string>()
  readonly #seqs = new Map<number, string>()
  #lastSeq = 0

  get(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  head(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  owner(scope: Scope, handle: string): string | undefined {
    return this.#owners.get(`${scope}\0${handle}`)
  }

  held(scope: Scope, handle: string): Entry | undefined {
    const id = this.owner(scope, handle)
    return id === undefined ? undefined : this.#entries.get(id)
  }

  scan(filter: ScanFilter): Entry[] {
    return [...this.#entries.values()].filter((entry) => matchesHead(entry, filter)).sort((a, b) => a.seq - b.seq)
  }

  seqs(): SeqCounter {
    return new SeqCounter(this.#lastSeq + 1, (seq) => this.#seqs.get(seq))
  }

  /** All that is given up goes before anything is put, since a batch may hand a name from one entry to another. */
  take(draft: Draft, steps: readonly Step[]): void {
    const changed = [...draft.changed()]
    for (const [id] of changed) this.#drop(id)
    for (const [, entry] of changed) if (entry) this.#put(deepFreeze(entry))
    // By the steps, because the seq of what the batch added and removed again is used up too.
    for (const { after } of steps) this.#lastSeq = Math.max(this.#lastSeq, after?.seq ?? 0)
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    for (const handle of handlesOf(entry)) this.#owners.delete(`${entry.scope}\0${handle}`)
    this.#entries.delete(id)
    this.#seqs.delete(entry.seq)
  }

  #put(entry: Entry): void {
    for (const handle of handlesOf(entry)) this.#owners.set(`${entry.scope}\0${handle}`, entry.id)
    this.#entries.set(entry.id, entry)
    this.#seqs.set(entry.seq, entry.id)
  }
}

class MemoryFeed {
  #epoch = crypto.randomUUID()
  readonly #recorded: Recorded[] = []

  append(batch: Batch, steps: readonly Step[], at: string): Change {
    const change: Change = {
      number: this.#recorded.length + 1,
      at,
      origin: normalizeOrigin(batch.origin),
      operations: steps.map((step) => step.operation),
      ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
    }
    this.#recorded.push(deepFreeze({ change, touched: touchedBy(steps) }))
    return change
  }

  /** A copy: what comes later is not part of what was asked for. */
  history(): History {
    return { entries: [], changes: [...this.#recorded] }
  }

  get epoch(): string {
    return this.#epoch
  }

  /** The numbers stay, so that the feed has no gap; what they did to these entries is gone, and who has read it starts over. */
  purge(ids: ReadonlySet<string>): void {
    this.#epoch = crypto.randomUUID()
    for (const [index, { change, touched }] of this.#recorded.entries()) {
      const operations = change.operations.filter(({ id }) => id === undefined || !ids.has(id))
      this.#recorded[index] = deepFreeze({
        change: { ...change, operations },
        touched: touched.filter(({ id }) => !ids.has(id)),
      })
    }
  }

  read(since: Cursor | 'now' | undefined): ChangeFeed {
    const last = this.#recorded.length
    if (since === 'now')
      return { changes: [], cursor: { epoch: this.#epoch, number: last }, restarted: false, edits: [], problems: [] }
    const restarted = since !== undefined && (since.epoch !== this.#epoch || since.number > last)
    const from = since === undefined || restarted ? 0 : since.number
    const changes = this.#recorded.slice(from).map(({ change }) => change)
    return { changes, cursor: { epoch: this.#epoch, number: last }, restarted, edits: [], problems: [] }
  }
}

/** Each entry once: as it was before the first step that touched it, and after the last. */
function touchedBy(steps: readonly Step[]): Touched[] {
  const touched = new Map<string, Touched>()
  for (const { before, after } of steps) {
    const id = (after ?? before)?.id ?? ''
    const first = touched.has(id) ? touched.get(id)?.before : before
    touched.set(id, { id, ...(first ? { before: first } : {}), ...(after ? { after } : {}) })
  }
  return [...touched.values()]
}

/** Each entry once, where it was first touched, as it is after the batch; a removed one as it was last. */
function touched(steps: readonly Step[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const { before, after } of steps) {
    const entry = after ?? before
    if (entry) entries.set(entry.id, deepFreeze(entry))
  }
  return [...entries.values()]
}

/** What a batch that changed nothing was about, each entry once. */
function named(batch: Batch, state: MemoryState): Entry[] {
  const ids = batch.operations.flatMap((operation) => (operation.op === 'add' ? [] : operation.id))
  return [...new Set(ids)].flatMap((id) => state.get(id) ?? [])
}

type Enter = (signal?: AbortSignal) => void

interface MemorySession {
  readonly createdAt: string
  /** JSON, as a transcript would hold them: a copy in, a copy out. */
  readonly lines: string[]
}

function memorySessions(clock: Clock, enter: Enter): Sessions {
  const scopes = new Map<Scope, Map<string, MemorySession>>()

  function sessionsOf(scope: Scope): Map<string, MemorySession> {
    const agent = normalizeAgentId(scope)
    const sessions = scopes.get(agent) ?? new Map<string, MemorySession>()
    scopes.set(agent, sessions)
    return sessions
  }

  return {
    async append(scope, key, records, { signal } = {}) {
      enter(signal)
      const sessions = sessionsOf(scope)
      if (key === '') throw new InvalidError('session', 'is empty', 'a key of any characters')
      const lines = records.map(recordLine)
      const session = sessions.get(key) ?? { createdAt: instant(clock()), lines: [] }
      for (const line of lines) session.lines.push(line)
      sessions.set(key, session)
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      const session = sessionsOf(scope).get(key)
      if (!session) return undefined
      const { createdAt, lines } = session
      const records = lines.slice(from).map((line): SessionRecord => JSON.parse(line))
      return { meta: { key, createdAt }, records, next: lines.length, broken: [] }
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      return [...sessionsOf(scope)].map(([key, { createdAt }]) => ({ key, createdAt }))
    },
  }
}

function recordLine(record: SessionRecord): string {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new InvalidError('record', 'is not an object', 'a JSON object')
  }
  try {
    return JSON.stringify(record)
  } catch (cause) {
    throw new InvalidError('record', `is not JSON: ${String(cause)}`, 'a JSON object')
  }
}

function memoryDerived(enter: Enter, epoch: () => string): Derived & { forget(): void } {
  const kept = new Map<string, Uint8Array>()
  return {
    async read(key) {
      enter()
      return kept.get(key)?.slice()
    },
    async write(key, bytes, madeFrom) {
      enter()
      if (madeFrom && madeFrom.epoch !== epoch()) return false
      kept.set(key, bytes.slice())
      return true
    },
    forget: () => kept.clear(),
  }
}

function memoryLeases(enter: Enter): (name: string) => Promise<Lease | undefined> {
  const holders = new Map<string, Lease>()
  return async (name) => {
    enter()
    if (holders.has(name)) return undefined
    const lease: Lease = {
      async release() {
        // A second release must not end the lease of whoever holds it by now.
        if (holders.get(name) === lease) holders.delete(name)
      },
    }
    holders.set(name, lease)
    return lease
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const item of Object.values(value)) deepFreeze(item)
  return Object.freeze(value)
}
