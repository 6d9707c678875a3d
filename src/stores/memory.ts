/**
 * The store in RAM: the reference that the others are tested against, and a memory for agents that are thrown away.
 * Invariant: a batch is worked out on a draft and taken over in one synchronous step, so no reader sees half of it.
 * What it hands out is frozen, so that no caller can reach into the state. Deliberately absent: files and locks.
 */
import { KeepsakeError } from '../errors.ts'
import { entriesAt, findChanges, findGone, versionsOf } from '../history/queries.ts'
import { applyBatch, lastStates, namedEntries } from '../model/apply.ts'
import { Draft, keyHandle } from '../model/draft.ts'
import { newId as newUuid } from '../model/id.ts'
import type { Batch, Expect } from '../model/operation.ts'
import { type OptionNames, requireOptions } from '../model/options.ts'
import {
  backupNotices,
  collectPurged,
  entryOccurrences,
  fileMentions,
  type Occurrence,
  redactedSessionsText,
  redactionsFor,
  redactTranscript,
  shortTextNotice,
  transcriptMentions,
} from '../model/redaction.ts'
import { instant, systemZone } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Applied, Capabilities, Movable, PurgeOptions, Settings, Store } from '../ports/store.ts'
import { deepFreeze } from './memory/deep-freeze.ts'
import { memoryDerived, memoryLeases } from './memory/derived.ts'
import { MemoryFeed } from './memory/feed.ts'
import { imageOf, isEmpty, type KeptFiles, keep, type MemoryParts, readWhole } from './memory/moving.ts'
import { memorySessions } from './memory/sessions.ts'
import { MemoryState } from './memory/state.ts'

export interface MemoryStoreOptions {
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  readonly settings?: Partial<Settings>
  /** What `document` finds, by name. */
  readonly documents?: Readonly<Record<string, string>>
}

const OPTIONS: OptionNames<MemoryStoreOptions> = { clock: true, newId: true, settings: true, documents: true }

const SETTINGS: OptionNames<Settings> = {
  format: true,
  id: true,
  layout: true,
  agent: true,
  timezone: true,
  identityFile: true,
  retentionDays: true,
  retentionMb: true,
}

const CAPABILITIES: Capabilities = Object.freeze({
  durable: 'it lives in RAM and ends with its process',
  atomicBatch: true,
  sharedByProcesses: 'RAM belongs to one process',
  nativeSearch: 'entries are searched by the index on top',
  watch: 'nobody but its own process can change it',
  undo: true,
  asOf: true,
  expect: true,
  uniqueNames: true,
  lastingSeq: true,
  history: true,
  purgePast: true,
  moveHistory: true,
  sessions: true,
  leases: true,
  derived: true,
})

export interface MemoryStore extends Store, Movable {}

export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  requireOptions(options, 'memoryStore', OPTIONS)
  requireOptions(options.settings ?? {}, 'memoryStore: settings', SETTINGS)
  const clock = options.clock ?? Date.now
  const newId = options.newId ?? newUuid
  let settings: Settings = Object.freeze({
    format: 1,
    id: newUuid(Date.now()),
    layout: 'agents',
    timezone: systemZone(),
    identityFile: 'IDENTITY.md',
    retentionDays: 365,
    retentionMb: 512,
    ...options.settings,
  })
  const files: KeptFiles = new Map(
    Object.entries(options.documents ?? {}).map(([path, text]) => [
      path,
      { path, bytes: new TextEncoder().encode(text), entries: [] },
    ]),
  )
  const state = new MemoryState()
  const feed = new MemoryFeed()
  const sessions = memorySessions(clock, enter)
  const parts: MemoryParts = { state, feed, sessions, files }
  const backups = new Set<string>()
  const derived = memoryDerived(enter, () => feed.cursor.epoch)
  let closed = false

  function enter(signal?: AbortSignal): void {
    if (closed) throw new KeepsakeError('CLOSED', 'the store is closed', { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }

  function refuseToReplace(): void {
    if (isEmpty(parts)) return
    throw new KeepsakeError('CONFLICT', 'the memory in RAM is not empty', { hint: 'Move to a new one.' })
  }

  function apply(batch: Batch, expect: Expect | undefined): Applied {
    const ms = clock()
    const now = instant(ms)
    const draft = new Draft(state)
    const context = { now, zone: settings.timezone, newId: () => newId(ms), seqs: state.seqs() }
    const steps = applyBatch(draft, batch, context, expect)
    if (steps.length === 0) return { entries: namedEntries(batch, state), warnings: [] }
    state.take(draft, steps)
    return { change: feed.append(batch, steps, now), entries: lastStates(steps).map(deepFreeze), warnings: [] }
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
    async feed(since, { signal } = {}) {
      enter(signal)
      return feed.read(since)
    },
    async changes(query, { signal } = {}) {
      enter(signal)
      return findChanges(feed.history(), query)
    },
    async stateAt(at, filter, { signal } = {}) {
      enter(signal)
      return entriesAt(feed.history(), at, filter)
    },
    async versions(ids, { signal } = {}) {
      enter(signal)
      return versionsOf(feed.history(), ids)
    },
    async gone(filter, { signal } = {}) {
      enter(signal)
      return findGone(feed.history(), filter)
    },
    async absorb({ signal } = {}) {
      enter(signal)
      return { changes: [], heldBack: [], warnings: [] }
    },
    async purge(ids, { signal, origin = { by: 'user' } }: PurgeOptions = {}) {
      enter(signal)
      const { texts, scopes } = collectPurged(feed.history(), new Set(ids), origin.agent)
      const redactions = redactionsFor(texts)
      const there = ids.filter((id) => state.get(id) !== undefined)
      const batch: Batch = { operations: there.map((id) => ({ op: 'remove', id })), origin }
      if (there.length > 0) apply(batch, undefined)
      else feed.append(batch, [], instant(clock()))
      feed.purge(new Set(ids), scopes)
      for (const { path, entries } of files.values()) {
        if (entries.some(({ id }) => ids.includes(id))) files.delete(path)
      }
      derived.forget()
      const before = sessions.texts()
      const after = before.map((one) => ({ ...one, text: redactTranscript(one.text, one.scope, redactions) }))
      const redacted = after.filter(({ text }, index) => text !== before[index]?.text)
      sessions.adopt(redacted)
      const said = after.filter(({ text }) => transcriptMentions(text, redactions))
      return {
        cleaned: ['the entries and what the history had of them', ...redactedSessionsText(redacted.length)],
        occurrences: [
          ...entryOccurrences(feed.history(), redactions),
          ...said.map(({ scope, key }): Occurrence => ({ in: 'session', scope, key })),
          ...[...files.values()].flatMap(({ path, bytes }): Occurrence[] =>
            fileMentions(bytes, redactions) ? [{ in: 'file', path }] : [],
          ),
        ],
        outOfReach: [...backupNotices([...backups]), ...shortTextNotice(redactions)],
      }
    },
    async watch() {
      enter()
      return { stop: async () => undefined }
    },
    sessions,
    derived,
    async document(name) {
      enter()
      const file = files.get(name)
      return file && file.entries.length === 0 ? new TextDecoder().decode(file.bytes) : undefined
    },
    lease: memoryLeases(enter),
    async image({ signal } = {}) {
      enter(signal)
      return imageOf(parts, settings)
    },
    async adopt(image, { signal, onProgress, check } = {}) {
      enter(signal)
      refuseToReplace()
      const whole = await readWhole(image, signal)
      onProgress?.(whole.entries.length, whole.entries.length)
      if (check) {
        const built = {
          state: new MemoryState(),
          feed: new MemoryFeed(),
          sessions: memorySessions(clock, enter),
          files: new Map(),
        }
        keep(whole, built)
        await check(imageOf(built, image.settings))
      }
      // Others may have written meanwhile.
      refuseToReplace()
      keep(whole, parts)
      settings = Object.freeze({ ...image.settings })
      derived.forget()
      return { warnings: [] }
    },
    async noteBackup(path) {
      enter()
      backups.add(path)
    },
    async close() {
      closed = true
    },
  }
}
