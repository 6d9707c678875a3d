/** The store port on a SQL database: puts the parts together. */
import { InvalidError, isKeepsakeError } from '../../errors.ts'
import { lastStates, normalizeOrigin, touchedBy } from '../../model/apply.ts'
import { keyHandle } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import type { Batch, Change, Expect } from '../../model/operation.ts'
import { planBatch } from '../../model/plan-batch.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, Capabilities, Movable, PurgeOptions, Settings, Store } from '../../ports/store.ts'
import { isDocumentName } from '../disk/documents.ts'
import { refuseOtherScope } from '../disk/pinned-settings.ts'
import { sqlDerived, sqlLeases } from './derived.ts'
import {
  deleteEntry,
  getEntry,
  listEntries,
  listScopes,
  loadForPlanning,
  putEntry,
  resolveEntry,
  scanEntries,
} from './entries.ts'
import {
  appendChange,
  applyRetention,
  hasChange,
  isRetentionDue,
  queryChanges,
  readFeed,
  readGone,
  readStateAt,
  readVersions,
} from './history.ts'
import { createImage, parseKeptFile } from './image.ts'
import { clearVacuumDue, isVacuumDue, purgeTables } from './purge.ts'
import { markWritten, readCounters, upsert, writeCounters } from './schema.ts'
import { sqlSessions } from './sessions.ts'
import { type Database, queryOne, refuseHiddenRows, type Sql, write } from './sql.ts'

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  atomicBatch: true,
  sharedByProcesses: true,
  nativeSearch: "search uses Keepsake's own index",
  watch: true,
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

/** Upkeep runs once per this many changes. */
const UPKEEP_INTERVAL = 256

export interface SqlStoreOptions {
  readonly clock?: Clock | undefined
  readonly newId?: ((ms: number) => string) | undefined
  /** The settings of the open memory, or those that the first write will record. */
  readonly settings: () => Settings
  /** Runs in the transaction of a purge, to delete what the store derives from entries in tables of its own. */
  readonly onPurge?: (sql: Sql, ids: readonly string[]) => Promise<void>
  /** Places that a purge can't reach, as sentences. */
  readonly outOfReach?: (backups: readonly string[]) => readonly string[]
}

/** The whole port except `adopt`, which depends on where the database is. */
export type SqlStore = Store & Pick<Movable, 'image' | 'noteBackup'>

export function sqlStore(database: Database, options: SqlStoreOptions): SqlStore {
  const { clock = Date.now, settings, onPurge, outOfReach = () => [] } = options
  const makeId = options.newId ?? newId
  let isFirstWrite = true
  let upkeep = Promise.resolve()

  const leases = sqlLeases(database, clock)

  /** Plans a batch with the model's rules, then writes the change and every new state. */
  async function applyToTables(sql: Sql, batch: Batch, expect?: Expect): Promise<Applied> {
    const [counters, nowMs, { timezone: zone }] = [readCounters(sql), clock(), settings()]
    const now = instant(nowMs)
    const context = counters.then(({ nextSeq }) => ({ now, newId: () => makeId(nowMs), zone, nextSeq }))
    const { steps, named } = await planBatch((wanted) => loadForPlanning(sql, wanted), batch, expect, context)
    const last = await counters
    if (steps.length === 0) return { entries: named, warnings: [] }
    for (const { before, after } of steps) if (!before && after) refuseOtherScope(settings(), after.scope)
    const change: Change = {
      number: last.number + 1,
      at: now,
      origin: normalizeOrigin(batch.origin),
      operations: steps.map(({ operation }) => operation),
      ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
    }
    const touched = touchedBy(steps)
    // Delete before inserting: a batch may move a name or a seq between entries.
    for (const { before } of touched) if (before) await deleteEntry(sql, before)
    for (const { after } of touched) if (after) await putEntry(sql, after)
    await appendChange(sql, change, touched)
    const seqs = steps.map(({ after }) => after?.seq ?? 0)
    await writeCounters(sql, { number: change.number, nextSeq: Math.max(last.nextSeq, ...seqs.map((seq) => seq + 1)) })
    return { change, entries: lastStates(steps), warnings: [] }
  }

  /** In the background: finishes an interrupted purge, and removes old changes. */
  async function runUpkeep(number: number): Promise<void> {
    const isInterval = number > 0 && number % UPKEEP_INTERVAL === 0
    if (!isFirstWrite && !isInterval) return
    isFirstWrite = false
    const [isPurgeUnfinished, isOverdue] = await database.read((sql) =>
      Promise.all([isVacuumDue(sql), isRetentionDue(sql)]),
    )
    if (isPurgeUnfinished) await finishPurge()
    if (isInterval || isOverdue) await write(database, (sql) => applyRetention(sql, settings(), clock()))
  }

  function startUpkeep(number: number): void {
    upkeep = upkeep.then(() => runUpkeep(number)).catch(() => undefined)
  }

  async function finishPurge(signal?: AbortSignal): Promise<readonly string[]> {
    try {
      const remaining = await database.vacuum(signal)
      if (remaining.length === 0) await write(database, clearVacuumDue)
      return remaining
    } catch (error) {
      // The entries are gone; a later write removes their bytes.
      if (!isKeepsakeError(error)) throw error
      return [`deleted text may remain in ${database.path} until a later write can remove it: ${error.message}`]
    }
  }

  return {
    capabilities: CAPABILITIES,
    async settings() {
      // The file may have appeared or been replaced since.
      await database.exists()
      return settings()
    },
    async apply(batch, { expect, signal } = {}) {
      const bytes = batch.operations.reduce((sum, one) => sum + ('content' in one ? (one.content?.length ?? 0) : 0), 0)
      let planned: Applied | undefined
      const work = async (sql: Sql): Promise<Applied> => {
        // It may have been planned before, in a transaction that failed.
        planned = undefined
        planned = await applyToTables(sql, batch, expect)
        return planned
      }
      const isCommitted = async (sql: Sql) => planned?.change && hasChange(sql, planned.change)
      const applied = await write(database, work, { bytes, signal, isCommitted })
      startUpkeep(applied.change?.number ?? 0)
      return applied
    },
    get: (id, { signal } = {}) => database.read((sql) => getEntry(sql, id), signal),
    resolve: (scope, name, { signal } = {}) => database.read((sql) => resolveEntry(sql, scope, name), signal),
    resolveKey: (scope, key, { signal } = {}) =>
      database.read((sql) => resolveEntry(sql, scope, keyHandle(key)), signal),
    async *scan(filter = {}, { signal } = {}) {
      for await (const entry of scanEntries((work) => database.read(work, signal), filter)) {
        signal?.throwIfAborted()
        yield entry
      }
    },
    heads: (filter = {}, { signal } = {}) => database.read((sql) => listEntries(sql, filter), signal),
    scopes: ({ signal } = {}) => database.read(listScopes, signal),
    problems: () => database.read(async () => []),
    feed: (since, { signal, scopes } = {}) => database.read((sql) => readFeed(sql, since, scopes), signal),
    changes: (query = {}, { signal } = {}) => database.read((sql) => queryChanges(sql, query), signal),
    stateAt: (at, filter = {}, { signal } = {}) => database.read((sql) => readStateAt(sql, at, filter), signal),
    versions: (ids, { signal } = {}) => database.read((sql) => readVersions(sql, ids), signal),
    gone: (filter = {}, { signal } = {}) => database.read((sql) => readGone(sql, filter), signal),
    absorb: ({ signal } = {}) => database.read(async () => ({ changes: [], heldBack: [], warnings: [] }), signal),
    async purge(ids, { signal, origin = { by: 'user' } }: PurgeOptions = {}) {
      const work = async (sql: Sql) => {
        await refuseHiddenRows(sql, database.path, 'A purge')
        await onPurge?.(sql, ids)
        const purged = await purgeTables(sql, ids, origin, instant(clock()))
        return { ...purged, backups: await sql.all('SELECT path FROM backups ORDER BY path') }
      }
      const { backups, ...purged } = await write(database, work, { signal })
      const remaining = await finishPurge()
      return {
        ...purged,
        outOfReach: [...remaining, ...purged.outOfReach, ...outOfReach(backups.map(({ path }) => String(path)))],
      }
    },
    async watch(changed) {
      const stop = await database.watch(changed)
      return { stop: async () => stop() }
    },
    sessions: sqlSessions(database, clock, () => startUpkeep(0)),
    derived: sqlDerived(database),
    async document(name, { signal } = {}) {
      const statement = "SELECT * FROM files WHERE path = ? AND entries = '[]'"
      const row = await database.read((sql) => queryOne(sql, statement, [name]), signal)
      const allowed = 'a path of lower-case words that ends in .md'
      if (!isDocumentName(name)) throw new InvalidError('document', `"${name}"`, allowed)
      return row && new TextDecoder().decode(parseKeptFile(row).bytes)
    },
    lease: leases.lease,
    image: ({ signal } = {}) =>
      database.snapshot(async (sql, close) => {
        await refuseHiddenRows(sql, database.path, 'A copy')
        return createImage(sql, settings(), close)
      }, signal),
    async noteBackup(path) {
      if (!(await database.exists())) return
      await write(database, async (sql) => {
        await upsert(sql, 'backups', { path })
        await markWritten(sql)
      })
    },
    async close() {
      try {
        await upkeep
        await leases.releaseAll()
      } finally {
        await database.close()
      }
    },
  }
}
