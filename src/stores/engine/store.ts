/** The store port on a SQL database: puts the parts together. */
import { InvalidError, isKeepsakeError } from '../../errors.ts'
import { keyHandle } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, Capabilities, Movable, PurgeOptions, Settings, Store } from '../../ports/store.ts'
import { isDocumentName } from '../disk/documents.ts'
import { applyToTables } from './apply.ts'
import { sqlDerived, sqlLeases } from './derived.ts'
import { getEntry, listEntries, resolveEntry, scanEntries } from './entries.ts'
import { applyRetention, queryChanges, readFeed, readGone, readStateAt, readVersions } from './history.ts'
import { createImage, parseKeptFile } from './image.ts'
import { clearVacuumDue, isVacuumDue, purgeTables } from './purge.ts'
import { damagedRow, parseJson, readSetting, writeSetting } from './schema.ts'
import { sqlSessions } from './sessions.ts'
import { type Database, queryOne, type Sql, write } from './sql.ts'

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  atomicBatch: true,
  sharedByProcesses: true,
  nativeSearch: "search uses Keepsake's own index",
  watch: true,
  undo: true,
  asOf: true,
})

/** Upkeep runs once per this many changes. */
const UPKEEP_INTERVAL = 256

export interface SqlStoreOptions {
  readonly clock?: Clock | undefined
  readonly newId?: ((ms: number) => string) | undefined
  /** The settings of the open memory, or those that the first write will record. */
  readonly settings: () => Settings
  /** Places that a purge can't reach, as sentences. */
  readonly outOfReach?: (backups: readonly string[]) => readonly string[]
}

/** The whole port except `adopt`, which depends on where the database is. */
export type SqlStore = Store & Pick<Movable, 'image' | 'noteBackup'>

export function sqlStore(database: Database, options: SqlStoreOptions): SqlStore {
  const { clock = Date.now, settings, outOfReach = () => [] } = options
  const makeId = options.newId ?? newId
  let isFirstWrite = true
  let upkeep = Promise.resolve()

  const leases = sqlLeases(database, clock)

  /** In the background: finishes an interrupted purge, and removes old changes. */
  async function runUpkeep(number: number): Promise<void> {
    const isDue = number > 0 && number % UPKEEP_INTERVAL === 0
    const isPurgeUnfinished = (isFirstWrite || isDue) && (await database.read(isVacuumDue))
    isFirstWrite = false
    if (isPurgeUnfinished) await finishPurge()
    if (isDue) await write(database, (sql) => applyRetention(sql, settings(), clock()))
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
      const work = (sql: Sql): Promise<Applied> => {
        const nowMs = clock()
        const context = { now: instant(nowMs), newId: () => makeId(nowMs), settings: settings() }
        return applyToTables(sql, batch, expect, context)
      }
      const applied = await write(database, work, { bytes, signal })
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
    problems: () => database.read(async () => []),
    feed: (since, { signal } = {}) => database.read((sql) => readFeed(sql, since), signal),
    changes: (query = {}, { signal } = {}) => database.read((sql) => queryChanges(sql, query), signal),
    stateAt: (at, filter = {}, { signal } = {}) => database.read((sql) => readStateAt(sql, at, filter), signal),
    versions: (ids, { signal } = {}) => database.read((sql) => readVersions(sql, ids), signal),
    gone: (filter = {}, { signal } = {}) => database.read((sql) => readGone(sql, filter), signal),
    absorb: ({ signal } = {}) => database.read(async () => ({ changes: [], heldBack: [], warnings: [] }), signal),
    async purge(ids, { signal, origin = { by: 'user' } }: PurgeOptions = {}) {
      const work = async (sql: Sql) => ({
        ...(await purgeTables(sql, ids, origin, instant(clock()))),
        backups: await readBackups(sql),
      })
      const { backups, ...purged } = await write(database, work, { signal })
      const remaining = await finishPurge()
      return { ...purged, outOfReach: [...remaining, ...purged.outOfReach, ...outOfReach(backups)] }
    },
    async watch(changed) {
      const stop = database.watch(changed)
      return { stop: async () => stop() }
    },
    sessions: sqlSessions(database, clock, () => startUpkeep(0)),
    derived: sqlDerived(database),
    async document(name, { signal } = {}) {
      const statement = "SELECT * FROM files WHERE path = ? AND entries = '[]'"
      const row = await database.read((sql) => queryOne(sql, statement, [name]), signal)
      if (!isDocumentName(name)) {
        throw new InvalidError('document', `"${name}"`, 'a path of lower-case words that ends in .md')
      }
      return row && new TextDecoder().decode(parseKeptFile(row).bytes)
    },
    lease: leases.lease,
    image: ({ signal } = {}) => database.snapshot((sql, close) => createImage(sql, settings(), close), signal),
    async noteBackup(path) {
      if (!(await database.exists())) return
      await write(database, async (sql) => {
        const paths = new Set([...(await readBackups(sql)), path])
        await writeSetting(sql, 'backups', JSON.stringify([...paths]))
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

async function readBackups(sql: Sql): Promise<readonly string[]> {
  const paths = parseJson((await readSetting(sql, 'backups')) ?? '[]', 'the list of backups')
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) throw damagedRow('the list of backups')
  return paths
}
