/**
 * The memory as it was at some moment, as a store that can only be read. All of it is in RAM: it is asked for by people, one
 * look at a time. Deliberately absent: sessions, documents and derived data, which have no past.
 */
import { KeepsakeError } from '../errors.ts'
import { handlesOf, keyHandle } from '../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../model/entry.ts'
import { matchesHead } from '../model/filter.ts'
import type { History, ScanFilter, Settings, Store, Touched } from '../ports/store.ts'

const REASON = 'the past can be read, not changed'

/** `at`: an instant; what happened at it is seen. `unjournaled`: what hands have done since the last change. */
export function pastStore(
  history: History,
  at: string,
  settings: Settings,
  unjournaled: readonly Touched[] = [],
): Store {
  const entries = entriesAt(history, at)
  for (const { id, after } of unjournaled) {
    if (!after) entries.delete(id)
    else if (after.updatedAt <= at) entries.set(id, after)
  }
  const ordered = [...entries.values()].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
  const owners = new Map<string, Entry>()
  for (const entry of ordered) {
    for (const handle of handlesOf(entry)) {
      const key = `${entry.scope}\0${handle}`
      if (!owners.has(key)) owners.set(key, entry)
    }
  }
  const scan = (filter: ScanFilter = {}): Entry[] => ordered.filter((entry) => matchesHead(entry, filter))
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
    },
    settings: async () => settings,
    get: async (id) => entries.get(id),
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
    changes: async () => ({
      changes: [],
      cursor: { epoch: `as of ${at}`, number: 0 },
      restarted: false,
      edits: [],
      problems: [],
    }),
    history: async () => ({ entries: ordered, changes: [], since: at }),
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

function entriesAt(history: History, at: string): Map<string, Entry> {
  const { since } = history
  if (since !== undefined && at < since) {
    throw new KeepsakeError('NOT_FOUND', `what was there at ${at} is not known any more`, {
      hint: `The earliest that is known is ${since}.`,
      data: { at, earliest: since },
    })
  }
  const entries = new Map(history.entries.map((entry) => [entry.id, entry]))
  let isOver = false
  for (const { change, touched } of history.changes) {
    // By the journal's order: a clock that went back must not tear a change out of it.
    isOver ||= change.origin.by !== 'hand' && change.at > at
    for (const { id, after } of touched) {
      if (change.origin.by === 'hand' ? savedAt(change.at, after) > at : isOver) continue
      if (after) entries.set(id, after)
      else entries.delete(id)
    }
  }
  return entries
}

/** A hand's edit is journaled when somebody next looks; its file tells when it was made. */
function savedAt(journaledAt: string, after: Entry | undefined): string {
  return after && after.updatedAt < journaledAt ? after.updatedAt : journaledAt
}

async function refuse(): Promise<never> {
  throw new KeepsakeError('READ_ONLY', REASON, { hint: 'Leave out the date to change the present.' })
}
