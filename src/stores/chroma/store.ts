/**
 * The store on a Chroma server: the truth is an ordered log in one of its collections, which every process follows into RAM. This file
 * only puts the parts together; reading is in replica.ts, writing in writer.ts. Nobody is asked before the first call. Deliberately
 * absent: hands. Nobody edits it but a program.
 */
import { KeepsakeError } from '../../errors.ts'
import { entriesAt, findChanges, findGone, type LoadedHistory, versionsOf } from '../../history/queries.ts'
import { keyHandle } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { ServerPlace } from '../../model/server-address.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  ApplyOptions,
  CallOptions,
  Capabilities,
  FeedOptions,
  MemoryImage,
  Movable,
  PurgeOptions,
  ScanFilter,
  Settings,
  Store,
} from '../../ports/store.ts'
import { handOut } from '../disk/hand-out.ts'
import { type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { refuseOtherAgent, refuseOtherWish } from '../disk/pinned-settings.ts'
import { chromaDerived } from './derived.ts'
import { cursorOf, readFeed } from './feed.ts'
import { Folding } from './folding.ts'
import { readHistory } from './history.ts'
import { readDocument, refuseNoDocument } from './kept-files.ts'
import { chromaLeases } from './log/leases.ts'
import { type Ground, Replica } from './replica.ts'
import { type Root, withRoot } from './root.ts'
import { type Connection, connect } from './server/connection.ts'
import { chromaSessions } from './sessions/sessions.ts'
import { chromaVectors } from './vectors/vectors.ts'
import { Writer } from './writer.ts'

interface MemoryOptions extends SettingsWish {
  /** The one agent of a flat memory. */
  readonly agent?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  /** How long one request may take. */
  readonly requestMs?: number
}

export interface ChromaStoreOptions extends MemoryOptions {
  readonly place: ServerPlace
}

export interface ChromaStore extends Store, Movable {
  /** For messages: without the token. */
  readonly address: string
  /** Makes the memory where there is none. */
  init(): Promise<void>
  /** Whether there is one. */
  isMade(): Promise<boolean>
}

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  atomicBatch: true,
  sharedByProcesses: true,
  nativeSearch: true,
  watch: true,
  undo: true,
  asOf: true,
})

/** What is under way when a store is closed may take so long. */
const CLOSE_MS = 10_000
/** What is held runs out by itself, so nobody waits for long to give it back. */
const RELEASE_MS = 2_000

/** Nothing is written until the first write. */
export function chromaStore({ place, ...options }: ChromaStoreOptions): ChromaStore {
  const { requestMs } = options
  return storeOn(connect(place, requestMs === undefined ? {} : { requestMs }), options)
}

/** As `chromaStore`, over a connection that is there already. */
export function storeOn(connection: Connection, options: MemoryOptions = {}): ChromaStore {
  const { address, log } = connection
  const clock = options.clock ?? Date.now
  const ground: Ground = { log, connection, clock, address }
  const agent = options.agent === undefined ? undefined : normalizeAgentId(options.agent)
  const fresh = settingsFor(newId(clock()), agent ?? 'main', options)
  const welcome = (pinned: Settings): void => {
    refuseOtherWish(pinned, options, `${address} was made with`)
    if (agent !== undefined) refuseOtherAgent(pinned, agent, address)
  }
  const replica = new Replica(ground, welcome)
  const writer = new Writer(ground, replica, {
    newId: options.newId ?? newId,
    settings: () => fresh,
    wrote: () => folding.consider(),
  })
  let closed = false
  const enter = (signal?: AbortSignal): void => {
    if (closed) throw new KeepsakeError('CLOSED', `the store at ${address} is closed`, { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }
  const loadHistory = async (call: CallOptions): Promise<LoadedHistory> => {
    enter(call.signal)
    return readHistory(log, await replica.catchUp(call), call)
  }
  const leases = chromaLeases(
    log,
    async () => (await writer.begin()).generation,
    () => connection.time(),
  )
  const lease = leases.lease.bind(leases)
  const folding = new Folding(ground, replica, lease)
  const memory = { log, find: replica.catchUp.bind(replica), make: writer.begin.bind(writer) }
  const sessions = chromaSessions(memory, clock, enter)
  return {
    address,
    capabilities: CAPABILITIES,
    async init() {
      enter()
      await writer.begin()
    },
    async isMade() {
      enter()
      return (await replica.catchUp()) !== undefined
    },
    async settings() {
      enter()
      return (replica.followed ?? (await replica.catchUp()))?.settings ?? fresh
    },
    async apply(batch, applyOptions: ApplyOptions = {}) {
      enter(applyOptions.signal)
      const applied = await writer.apply(batch, applyOptions)
      return { ...applied, entries: applied.entries.map(handOut) }
    },
    async get(id, call: CallOptions = {}) {
      enter(call.signal)
      return handOut((await replica.catchUp(call))?.state.get(id))
    },
    async resolve(scope, name, call: CallOptions = {}) {
      enter(call.signal)
      return handOut((await replica.catchUp(call))?.state.held(scope, name))
    },
    async resolveKey(scope, key, call: CallOptions = {}) {
      enter(call.signal)
      return handOut((await replica.catchUp(call))?.state.held(scope, keyHandle(key)))
    },
    async *scan(filter: ScanFilter = {}, call: CallOptions = {}) {
      enter(call.signal)
      const found = (await replica.catchUp(call))?.state.scan(filter) ?? []
      for (const entry of found) {
        call.signal?.throwIfAborted()
        yield handOut(entry)
      }
    },
    async heads(filter: ScanFilter = {}, call: CallOptions = {}) {
      enter(call.signal)
      const found = (await replica.catchUp(call))?.state.scan(filter) ?? []
      return found.map(({ content: _, ...head }) => handOut(head))
    },
    async problems() {
      enter()
      return []
    },
    async feed(since, call: FeedOptions = {}) {
      enter(call.signal)
      const feed = await readFeed(log, await replica.catchUp(call), since, call)
      return { ...feed, edits: [], problems: [] }
    },
    async changes(query, call: CallOptions = {}) {
      return findChanges(await loadHistory(call), query)
    },
    async stateAt(at, filter, call: CallOptions = {}) {
      return entriesAt(await loadHistory(call), at, filter)
    },
    async versions(ids, call: CallOptions = {}) {
      return versionsOf(await loadHistory(call), ids)
    },
    async gone(filter, call: CallOptions = {}) {
      return findGone(await loadHistory(call), filter)
    },
    async absorb({ signal } = {}) {
      enter(signal)
      return { changes: [], heldBack: [], warnings: [] }
    },
    async purge(ids, { signal, origin = { by: 'user' } }: PurgeOptions = {}) {
      enter(signal)
      const { purge } = await import('./purge/purge.ts')
      // It looks again when it has written, and is spared neither look.
      return purge({ ...ground, replica, writer, lease }, ids, { origin, ...(signal ? { signal } : {}) })
    },
    async watch(changed) {
      enter()
      const { watchServer } = await import('./watch.ts')
      return watchServer(async () => JSON.stringify(cursorOf(await replica.catchUp())), changed)
    },
    sessions,
    derived: chromaDerived(memory, enter),
    vectors: chromaVectors(ground, replica, enter),
    async document(name, call: CallOptions = {}) {
      enter(call.signal)
      refuseNoDocument(name)
      const followed = await replica.catchUp(call)
      return followed && readDocument(log, followed.generation, name, call)
    },
    async lease(name) {
      enter()
      return lease(name)
    },
    async image({ signal }: CallOptions = {}) {
      enter(signal)
      const { imageOf } = await import('./moving/image.ts')
      // It looks again when it has read, and is spared neither look.
      return imageOf({ log, replica, sessions, settings: () => fresh }, signal ? { signal } : {})
    },
    async adopt(image, adoptOptions = {}) {
      enter(adoptOptions.signal)
      welcome(image.settings)
      const { adopt } = await import('./moving/adopt.ts')
      const imageWith = (root: Root): Promise<MemoryImage> =>
        storeOn({ ...connection, log: withRoot(log, root) }, options).image()
      return adopt({ ...ground, imageWith }, image, adoptOptions)
    },
    async noteBackup() {
      enter() // a server has no place to record it yet, so a purge names no backups
    },
    async close() {
      if (closed) return
      closed = true
      await atMost(CLOSE_MS, [writer.idle(), sessions.idle(), folding.idle()])
      await atMost(RELEASE_MS, [leases.close()])
      connection.close()
    },
  }
}

async function atMost(ms: number, work: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.all(work), late])
  clearTimeout(timer)
}
