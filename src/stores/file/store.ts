/** A memory in one SQLite file, shared by processes: entries, history, transcripts, documents, index snapshot and vectors. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DamagedError, KeepsakeError } from '../../errors.ts'
import { newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { backupNotices, elsewhereNotices } from '../../model/redaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Movable, Settings, Store } from '../../ports/store.ts'
import { checkedSettings } from '../disk/checked-settings.ts'
import { expandPath } from '../disk/expand-path.ts'
import { gitFolder, namesIn } from '../disk/list-folder.ts'
import { type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { refuseOtherAgent, refuseOtherWish } from '../disk/pinned-settings.ts'
import { createImage, fillTables, initTables } from '../engine/image.ts'
import { write } from '../engine/sql.ts'
import { type Connection, REPAIR_HINT } from '../engine/sqlite.ts'
import { SqliteDatabase } from '../engine/sqlite-database.ts'
import { buildFile, findFile } from '../engine/sqlite-file.ts'
import { sqlStore } from '../engine/store.ts'

export { CAPABILITIES } from '../engine/store.ts'

export interface FileStoreOptions extends SettingsWish {
  /** The file; `~` is the home folder. The first write creates it. */
  readonly path: string
  /** The one agent of a flat memory. */
  readonly agent?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  /** How long a writer waits for another one before it gives up. Default: 10 seconds. */
  readonly lockWaitMs?: number
  /** Called after this store has created the file, before anything else is written to it. */
  readonly onCreated?: (settings: Settings) => void
}

export interface FileStore extends Store, Movable {
  /** Absolute. */
  readonly path: string
  /** Creates the file, if there is none. */
  init(): Promise<void>
}

const LOCK_WAIT_MS = 10_000
const OLD_COPY_SUFFIXES = ['.before', '.damaged-', '.saved']

/** Opens a memory in one file. Nothing is written until the first write. A path that can't be a memory is refused at once. */
export function fileStore(options: FileStoreOptions): FileStore {
  const path = expandPath(options.path)
  const { clock = Date.now, lockWaitMs = LOCK_WAIT_MS } = options
  const newSettings = settingsFor(newId(clock()), normalizeAgentId(options.agent ?? 'main'), options)
  let pinned: Settings | undefined
  const checkWish = (found: Settings): void => {
    refuseOtherWish(found, options, `${path} was made with`)
    if (options.agent !== undefined) refuseOtherAgent(found, normalizeAgentId(options.agent), path)
  }
  findFile(path)
  const database = new SqliteDatabase(path, {
    lockWaitMs,
    initialize: (sql) => initTables(sql, newSettings),
    onCreated: () => options.onCreated?.(newSettings),
    onOpened: (connection) => {
      pinned = readSettings(connection, path)
      checkWish(pinned)
    },
  })
  const store = sqlStore(database, {
    clock,
    newId: options.newId,
    settings: () => pinned ?? newSettings,
    outOfReach: (backups) => outOfReach(path, backups),
  })
  return {
    ...store,
    path,
    async init() {
      await write(database, async () => undefined)
    },
    async adopt(image, { signal, onProgress, check } = {}) {
      await store.settings()
      checkWish(image.settings)
      const total = image.cursor.number + image.nextSeq - 1
      let done = 0
      const onItem = (): void => {
        signal?.throwIfAborted()
        onProgress?.(++done, Math.max(done, total))
      }
      const isBuilt = await buildFile(path, (sql) => fillTables(sql, image, onItem), {
        lockWaitMs,
        signal,
        check: check && (async (sql) => check(await createImage(sql, image.settings))),
      })
      if (isBuilt) return { warnings: [] }
      throw new KeepsakeError('CONFLICT', `${path} holds a memory already`, {
        hint: 'Nothing was changed. Name a file that is not there yet.',
        data: { path },
      })
    },
  }
}

function readSettings(connection: Connection, path: string): Settings {
  const value = connection.allNow("SELECT value FROM settings WHERE key = 'settings'")[0]?.['value']
  const refuse = (problem: string): DamagedError => new DamagedError(path, `its settings: ${problem}`, REPAIR_HINT)
  if (typeof value !== 'string') throw refuse('there are none')
  return checkedSettings(path, JSON.parse(value), refuse)
}

/** Places where a purge can't reach copies, and how to remove the known ones. */
function outOfReach(path: string, backups: readonly string[]): string[] {
  const folder = dirname(path)
  const earlier = namesIn(folder).filter((name) =>
    OLD_COPY_SUFFIXES.some((end) => name.startsWith(basename(path) + end)),
  )
  return [
    ...earlier.map((name) => `${join(folder, name)}, an earlier state of the file: delete it if you no longer need it`),
    ...backupNotices(
      backups.filter((backup) => existsSync(backup)),
      path,
    ),
    ...elsewhereNotices(gitFolder(folder)),
  ]
}
