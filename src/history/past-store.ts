/**
 * The memory as it was at some moment, as a store that can only be read. All of it is in RAM: it is asked for by people, one
 * look at a time. Deliberately absent: the history before that moment, and sessions, documents and derived data, which have no history.
 */
import { KeepsakeError } from '../errors.ts'
import { handlesOf, keyHandle } from '../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../model/entry.ts'
import { matchesHead } from '../model/filter.ts'
import type { ScanFilter, Settings, Store } from '../ports/store.ts'

const REASON = 'the past can be read, not changed'

/** `entries`: the result of `stateAt`, in the order of `seq`. `at`: the instant that was asked for. */
export function pastStore(entries: readonly Entry[], at: string, settings: Settings): Store {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const owners = new Map<string, Entry>()
  for (const entry of entries) {
    for (const handle of handlesOf(entry)) {
      const key = `${entry.scope}\0${handle}`
      if (!owners.has(key)) owners.set(key, entry)
    }
  }
  const scan = (filter: ScanFilter = {}): Entry[] => entries.filter((entry) => matchesHead(entry, filter))
  const held = (scope: Scope, handle: string): Entry | undefined => owners.get(`${scope}\0${handle}`)
  return {
    capabilities: {
      durable: REASON,
      atomicBatch: REASON,
      sharedByProcesses: REASON,
      nativeSearch: REASON,
      watch: REASON,
      undo: REASON,
      asOf: REASON,
      expect: REASON,
      uniqueNames: REASON,
      lastingSeq: REASON,
      history: REASON,
      purgePast: REASON,
      moveHistory: REASON,
      sessions: REASON,
      leases: REASON,
      derived: REASON,
    },
    settings: async () => settings,
    get: async (id) => byId.get(id),
    resolve: async (scope, name) => held(scope, name),
    resolveKey: async (scope, key) => held(scope, keyHandle(key)),
    async *scan(filter, { signal } = {}) {
      for (const entry of scan(filter)) {
        signal?.throwIfAborted()
        yield entry
      }
    },
    heads: async (filter) => scan(filter).map(({ content: _, ...head }): EntryHead => head),
    problems: async () => [],
    feed: async () => ({
      changes: [],
      cursor: { epoch: `as of ${at}`, number: 0 },
      restarted: false,
      edits: [],
      problems: [],
    }),
    changes: async () => [],
    stateAt: async (_, filter) => scan(filter),
    versions: async (ids) => scan({ ids: new Set(ids) }).map((entry) => ({ id: entry.id, entry })),
    gone: async () => [],
    absorb: async () => ({ changes: [], heldBack: [], warnings: [] }),
    apply: refuse,
    purge: refuse,
    watch: refuse,
    lease: refuse,
    document: async () => undefined,
    sessions: { append: refuse, read: async () => undefined, readBefore: async () => undefined, list: async () => [] },
    derived: { read: async () => undefined, write: async () => false },
    close: async () => undefined,
  }
}

async function refuse(): Promise<never> {
  throw new KeepsakeError('READ_ONLY', REASON, { hint: 'Leave out the date to change the present.' })
}
