/**
 * The store in one portable file: a log of checked frames with a snapshot at its front. This file only puts the parts together;
 * reading is in follower.ts and reader.ts, writing in writer.ts. Deliberately absent: hands. Nobody edits it but a program.
 */
import { InvalidError, KeepsakeError } from '../../errors.ts'
import { keyHandle } from '../../model/draft.ts'
import type { EntryHead } from '../../model/entry.ts'
import { newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  ApplyOptions,
  CallOptions,
  Capabilities,
  FeedOptions,
  Movable,
  PurgeOptions,
  ScanFilter,
  Settings,
  Store,
} from '../../ports/store.ts'
import { isDocumentName } from '../disk/documents.ts'
import { expandPath } from '../disk/expand-path.ts'
import { handOut } from '../disk/hand-out.ts'
import { type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { refuseOtherAgent, refuseOtherWish } from '../disk/pinned-settings.ts'
import { decodeText } from '../disk/reading.ts'
import { fileDerived } from './derived.ts'
import { FileFollower } from './follower.ts'
import { imageOf, keptFileAt } from './image.ts'
import { knownBackups } from './known-backups.ts'
import { fileLeases } from './leases.ts'
import { cursorOf, readFeed, readHistory } from './past.ts'
import { foundHeads, getEntry, heldEntry, scanEntries } from './reader.ts'
import { fileSessions } from './sessions.ts'
import { sidecarOf, tidySidecar } from './sidecar.ts'
import { FileWriter } from './writer.ts'

export interface FileStoreOptions extends SettingsWish {
  /** The file; `~` is the home folder. Made at the first write. */
  readonly path: string
  /** The one agent of a flat memory. */
  readonly agent?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  /** How long a writer waits for another one before it gives up. */
  readonly lockWaitMs?: number
  /** Called after this store has created the file, before anything else is written to it. */
  readonly onCreated?: (settings: Settings) => void
}

export interface FileStore extends Store, Movable {
  /** Absolute. */
  readonly path: string
  init(): Promise<void>
  /** Writes a whole, folded, checked copy where nothing is yet. Never writes to the file itself. */
  copyTo(path: string): Promise<void>
  /** Writes the file anew, so that it opens fast and holds nothing that counts no more. */
  fold(): Promise<void>
}

const LOCK_WAIT_MS = 10_000

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  atomicBatch: true,
  sharedByProcesses: true,
  nativeSearch: 'entries are searched by the index on top',
  watch: true,
  undo: true,
  asOf: true,
})

/** Opens a memory in one file. Nothing is written until the first write. */
export function fileStore(options: FileStoreOptions): FileStore {
  const path = expandPath(options.path)
  const sidecar = sidecarOf(path)
  const clock = options.clock ?? Date.now
  const welcome = (pinned: Settings): void => {
    refuseOtherWish(pinned, options, `${path} was made with`)
    if (options.agent !== undefined) refuseOtherAgent(pinned, normalizeAgentId(options.agent), path)
  }
  const follower = new FileFollower(path, welcome)
  const agent = normalizeAgentId(options.agent ?? 'main')
  let fresh: Settings | undefined
  const settings = (): Settings => {
    if (follower.state) return follower.state.catalogue.settings
    fresh ??= settingsFor(newId(clock()), agent, options)
    return fresh
  }
  // What can't be opened, or is asked for and can't be had, is told at once.
  follower.catchUp()
  settings()
  const writing = { clock, newId: options.newId ?? newId, lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS }
  const writer = new FileWriter(follower, { ...writing, sidecar, settings, onCreated: options.onCreated })
  let closed = false
  const enter = (signal?: AbortSignal): void => {
    if (closed) throw new KeepsakeError('CLOSED', `the store at ${path} is closed`, { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }
  const leases = fileLeases(sidecar)
  const derived = fileDerived(follower, writer, enter)
  return {
    path,
    capabilities: CAPABILITIES,
    async init() {
      enter()
      await writer.exclusively(async () => undefined)
    },
    async settings() {
      enter()
      follower.catchUp()
      return settings()
    },
    async apply(batch, applyOptions: ApplyOptions = {}) {
      enter(applyOptions.signal)
      const applied = await writer.apply(batch, applyOptions)
      return { ...applied, entries: applied.entries.map(handOut) }
    },
    async get(id, { signal }: CallOptions = {}) {
      enter(signal)
      const state = follower.catchUp()
      return handOut(state && getEntry(state, id))
    },
    async resolve(scope, name, { signal }: CallOptions = {}) {
      enter(signal)
      const state = follower.catchUp()
      return handOut(state && heldEntry(state, scope, name))
    },
    async resolveKey(scope, key, { signal }: CallOptions = {}) {
      enter(signal)
      const state = follower.catchUp()
      return handOut(state && heldEntry(state, scope, keyHandle(key)))
    },
    async *scan(filter: ScanFilter = {}, { signal }: CallOptions = {}) {
      enter(signal)
      const state = follower.catchUp()
      if (!state) return
      for (const entry of scanEntries(state, filter)) {
        signal?.throwIfAborted()
        yield handOut(entry)
      }
    },
    async heads(filter: ScanFilter = {}, { signal }: CallOptions = {}) {
      enter(signal)
      const state = follower.catchUp()
      return state ? foundHeads(state, filter).map((head): EntryHead => handOut(head)) : []
    },
    async problems() {
      enter()
      const { problem } = follower.catchUp() ?? {}
      return problem === undefined ? [] : [{ path, problem }]
    },
    async changes(since, { signal }: FeedOptions = {}) {
      enter(signal)
      return { ...readFeed(follower.catchUp(), since), edits: [], problems: [] }
    },
    async history({ signal }: CallOptions = {}) {
      enter(signal)
      return readHistory(follower.catchUp())
    },
    async absorb({ signal } = {}) {
      enter(signal)
      return { changes: [], heldBack: [], warnings: [] }
    },
    async purge(ids, { signal, origin = { by: 'user' } }: PurgeOptions = {}) {
      enter(signal)
      const [{ purge }, { purgeBackups }] = await Promise.all([import('./purge.ts'), import('./purge-backups.ts')])
      const backups = await knownBackups(derived)
      const purging = { ids, origin, nowMs: clock() }
      const { texts, ...own } = await writer.exclusively((turn) => purge(turn, { ...purging, sidecar }), signal)
      const others = await purgeBackups(backups, { ...purging, texts }, settings(), writing)
      return {
        ...own,
        cleaned: [...own.cleaned, ...others.cleaned],
        outOfReach: [...others.outOfReach, ...own.outOfReach],
      }
    },
    async watch(changed) {
      enter()
      const { watchFile } = await import('./watch.ts')
      return watchFile(path, () => JSON.stringify(cursorOf(follower.catchUp())), changed)
    },
    sessions: fileSessions(follower, writer, clock, enter),
    derived,
    async document(name) {
      enter()
      if (!isDocumentName(name)) {
        throw new InvalidError('document', `"${name}"`, 'a path of lower-case words that ends in .md')
      }
      const { file, catalogue } = follower.catchUp() ?? {}
      const at = catalogue?.files.get(name)
      return at === undefined || !file ? undefined : decodeText(keptFileAt(file, at).bytes)
    },
    async lease(name) {
      enter()
      return leases.lease(name)
    },
    async image({ signal }: CallOptions = {}) {
      enter(signal)
      return imageOf(follower.catchUp(), settings())
    },
    async adopt(image, adoptOptions = {}) {
      enter(adoptOptions.signal)
      welcome(image.settings)
      const { adopt } = await import('./adopt.ts')
      return writer.withLock(() => adopt(follower, sidecar, image, adoptOptions), adoptOptions.signal)
    },
    async copyTo(target) {
      enter()
      const { copyFile } = await import('./copy-file.ts')
      await copyFile(follower.catchUp(), expandPath(target), settings())
    },
    async fold() {
      enter()
      await writer.exclusively(async (turn) => turn.rebuild())
    },
    async close() {
      if (closed) return
      closed = true
      await writer.idle()
      writer.close()
      follower.close()
      leases.tidy()
      await tidySidecar(path)
    },
  }
}
