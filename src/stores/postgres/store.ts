/** A memory in one schema of a PostgreSQL database, shared by machines. Database roles decide who may read and write. */
import { KeepsakeError } from '../../errors.ts'
import { newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { type PostgresPlace, postgresAddress } from '../../model/postgres-address.ts'
import { backupNotices } from '../../model/redaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Capabilities, Movable, Settings, Store } from '../../ports/store.ts'
import { checkedSettings } from '../disk/checked-settings.ts'
import { type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { refuseOtherAgent, refuseOtherWish } from '../disk/pinned-settings.ts'
import { createImage, fillTables, initTables } from '../engine/image.ts'
import { PostgresDatabase } from '../engine/postgres-database.ts'
import { write } from '../engine/sql.ts'
import { CAPABILITIES as ENGINE_CAPABILITIES, sqlStore } from '../engine/store.ts'
import { deleteVectors } from '../engine/vector-table.ts'
import { sqlVectors } from '../engine/vectors.ts'

export const CAPABILITIES: Capabilities = Object.freeze({ ...ENGINE_CAPABILITIES, nativeSearch: true })

export interface PostgresStoreOptions extends SettingsWish {
  readonly place: PostgresPlace
  /** The one agent of a flat memory. */
  readonly agent?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  /** How long a writer waits for another one before it gives up. Default: 10 seconds. */
  readonly lockWaitMs?: number
  /** How long the server may take for one request. Default: 10 seconds. */
  readonly requestMs?: number
  /** Called after this store has created the memory. */
  readonly onCreated?: (settings: Settings) => void
}

export interface PostgresStore extends Store, Movable {
  /** The address, without a password. */
  readonly path: string
  /** Whether there is a memory. */
  isMade(): Promise<boolean>
  /** Creates the schema, if there is no memory in it. */
  init(): Promise<void>
}

const DEFAULT_MS = 10_000

/** Opens a memory on a server, without connecting yet. The first write creates the schema. */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const { place, clock = Date.now, lockWaitMs = DEFAULT_MS, requestMs = DEFAULT_MS } = options
  const path = postgresAddress(place)
  const newSettings = settingsFor(newId(clock()), normalizeAgentId(options.agent ?? 'main'), options)
  let pinned: Settings | undefined
  const checkWish = (found: Settings): void => {
    refuseOtherWish(found, options, `${path} was made with`)
    if (options.agent !== undefined) refuseOtherAgent(found, normalizeAgentId(options.agent), path)
  }
  const database = new PostgresDatabase({
    place,
    lockMs: lockWaitMs,
    requestMs,
    initialize: (sql) => initTables(sql, newSettings),
    onCreated: () => options.onCreated?.(newSettings),
    onOpened: (text) => {
      const refuse = (problem: string): KeepsakeError =>
        new KeepsakeError('DAMAGED', `${path}: its settings: ${problem}`, {
          hint: 'Restore a backup into another schema.',
        })
      pinned = checkedSettings(path, JSON.parse(text), refuse)
      checkWish(pinned)
    },
  })
  const store = sqlStore(database, {
    clock,
    newId: options.newId,
    settings: () => pinned ?? newSettings,
    onPurge: deleteVectors,
    outOfReach: (backups) => [...backupNotices(backups, path), ...outOfReach(place)],
  })
  return {
    ...store,
    capabilities: CAPABILITIES,
    vectors: sqlVectors(database),
    path,
    isMade: () => database.exists(),
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
      const isBuilt = await database.build(async (sql) => {
        await fillTables(sql, image, onItem)
        await check?.(await createImage(sql, image.settings))
      }, signal)
      if (isBuilt) return { warnings: [] }
      throw new KeepsakeError('CONFLICT', `${path} holds a memory already`, {
        hint: 'Nothing was changed. Name a schema that has none: ?schema=NAME',
        data: { path },
      })
    },
  }
}

/** Copies that the server or its administrator may keep. */
function outOfReach({ schema }: PostgresPlace): string[] {
  return [
    `write-ahead logs, their archives, and replicas of the server: they keep deleted text until they are recycled`,
    `dumps and base backups of the server`,
    `free space in the files of the schema ${schema}, until PostgreSQL uses it again; VACUUM FULL on its tables overwrites it`,
  ]
}
