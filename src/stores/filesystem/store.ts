/**
 * The default store: a workspace of Markdown files behind a journal. This file only puts the parts together; reading is in
 * reader.ts, writing in writer.ts.
 */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ParseYaml } from '../../codec/file-entry.ts'
import { DamagedError, InvalidError, isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { entriesAt, findChanges, findGone, versionsOf } from '../../history/queries.ts'
import { keyHandle } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Absorbed,
  AbsorbOptions,
  AdoptOptions,
  ApplyOptions,
  CallOptions,
  Capabilities,
  ChangeFeed,
  FeedOptions,
  Lease,
  Movable,
  PurgeOptions,
  ScanFilter,
  Settings,
  Store,
} from '../../ports/store.ts'
import type { Examination, OnExamined } from '../disk/doctor/examination.ts'
import { isDocumentName } from '../disk/documents.ts'
import { expandPath } from '../disk/expand-path.ts'
import { handOut } from '../disk/hand-out.ts'
import { headOf } from '../disk/head-change.ts'
import { tryLock } from '../disk/lock.ts'
import { refuseOtherAgent, refuseOtherWish } from '../disk/pinned-settings.ts'
import { decodeText, readFileAt, statFile } from '../disk/reading.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { makeFolder } from '../disk/system.ts'
import { withoutBulkRemovals } from './bulk-removal.ts'
import { fileDerived } from './derived.ts'
import { type Doctor, examineAnything, fileDoctor } from './doctor/doctor.ts'
import { Journal } from './journal.ts'
import { noteBackups } from './known-backups.ts'
import { PURGE_NOTE, STATE_FOLDER } from './layout.ts'
import { cursorOf, readChanges } from './past/change-feed.ts'
import { readHistory, withPendingEdits } from './past/history.ts'
import { Reader } from './reader.ts'
import { fileSessions } from './sessions.ts'
import { everyProblem, pendingEdits, survey, unwrittenIn } from './survey.ts'
import { Workspace } from './workspace.ts'
import { newSettings, readSettings, type SettingsWish } from './workspace-settings.ts'
import { Writer } from './writer.ts'

export interface FilesystemStoreOptions extends SettingsWish {
  /** The folder; `~` is the home folder. Made at the first write. */
  readonly root: string
  /** The agent at the root of a flat workspace. */
  readonly agent?: string
  /** An identity file outside the workspace, from configuration; absolute. */
  readonly identityPath?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  /** How long a writer waits for another one before it gives up. */
  readonly lockWaitMs?: number
  /** Called after this store has created the workspace, before anything else is written to it. */
  readonly onCreated?: (settings: Settings) => void
}

const LOCK_WAIT_MS = 10_000

const NOTHING_PENDING: Pick<ChangeFeed, 'edits' | 'problems'> = { edits: [], problems: [] }

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  atomicBatch: true,
  sharedByProcesses: true,
  nativeSearch: 'entries are searched by the index on top',
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

export interface FilesystemStore extends Store, Movable, Doctor {
  /** The folder, absolute. */
  readonly root: string
  init(): Promise<void>
}

/** Opens a workspace. Nothing is written until the first write. */
export function filesystemStore(options: FilesystemStoreOptions): FilesystemStore {
  const root = expandPath(options.root)
  const clock = options.clock ?? Date.now
  const yaml = lazyYaml()
  const pinned = readSettings(root, yaml)
  const agent = normalizeAgentId(options.agent ?? pinned?.agent ?? 'main')
  const settings = pinned ?? newSettings(root, journaledId(root) ?? newId(clock()), agent, options)
  if (pinned) refuseOtherWish(pinned, options, pinsIn(root))
  refuseOtherAgent(settings, agent, root)
  const workspace = new Workspace({
    root,
    settings,
    pinned: pinned !== undefined,
    readPinned: (known) => {
      const now = readSettings(root, yaml)
      if (now && known && now.id !== known.id) refuseToGoOn(now, options, agent, root)
      return now
    },
    agent,
    identityFile: options.identityPath,
    yaml,
  })
  const writer = new Writer(workspace, {
    clock,
    newId: options.newId ?? newId,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    onCreated: options.onCreated,
    mend: async (held) => {
      if (!statFile(join(workspace.stateFolder, PURGE_NOTE))) return
      const { finishPurge } = await import('./past/purge.ts')
      await finishPurge(workspace, held)
    },
  })
  let closed = false
  const enter = (signal?: AbortSignal): void => {
    if (closed) throw new KeepsakeError('CLOSED', `the store at ${root} is closed`, { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }
  const reader = new Reader(workspace)
  return {
    root,
    capabilities: CAPABILITIES,
    ...fileDoctor({ workspace, writer, clock }, options.identityPath, enter),
    async init() {
      enter()
      await writer.exclusively(async () => undefined)
    },
    async settings(): Promise<Settings> {
      enter()
      workspace.catchUp()
      return workspace.settings
    },
    async apply(batch, applyOptions: ApplyOptions = {}) {
      enter(applyOptions.signal)
      const applied = await writer.apply(batch, applyOptions)
      return { ...applied, entries: applied.entries.map(handOut) }
    },
    async get(id, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return handOut(reader.get(id))
    },
    async resolve(scope, name, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return handOut(reader.resolve(scope, name))
    },
    async resolveKey(scope, key, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return handOut(reader.held(scope, keyHandle(key)))
    },
    async *scan(filter: ScanFilter = {}, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      for (const entry of reader.scan(filter)) {
        signal?.throwIfAborted()
        yield handOut(entry)
      }
    },
    async heads(filter: ScanFilter = {}, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return reader.found(filter).heads.map((head) => handOut(headOf(head)))
    },
    async problems({ scopes, kinds, everyFile } = {}) {
      enter()
      workspace.catchUp()
      return everyFile ? everyProblem(workspace, scopes, kinds) : survey(workspace, scopes, kinds).problems
    },
    async feed(since, { signal, edits: scopes = [] }: FeedOptions = {}) {
      enter(signal)
      workspace.catchUp()
      const { edits, problems } =
        scopes.length === 0 ? NOTHING_PENDING : pendingEdits(workspace, scopes === 'all' ? undefined : scopes)
      return {
        ...readChanges(workspace, since),
        problems,
        edits: edits.map(({ id, after }) => ({ id, ...(after ? { after: handOut(after) } : {}) })),
      }
    },
    async changes(query, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return findChanges(readHistory(workspace), query)
    },
    async stateAt(at, filter, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      const history = readHistory(workspace)
      if (typeof at === 'number') return entriesAt(history, at, filter)
      return entriesAt(withPendingEdits(history, reader.scan({}), at, clock()), at, filter).map(handOut)
    },
    async versions(ids, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return versionsOf(readHistory(workspace), ids)
    },
    async gone(filter, { signal }: CallOptions = {}) {
      enter(signal)
      workspace.catchUp()
      return findGone(readHistory(workspace), filter)
    },
    async absorb(absorbOptions: AbsorbOptions = {}) {
      enter(absorbOptions.signal)
      return absorbAll(workspace, writer, absorbOptions)
    },
    async purge(ids, purgeOptions: PurgeOptions = {}) {
      enter(purgeOptions.signal)
      const { purge } = await import('./past/purge.ts')
      return purge(workspace, writer, ids, purgeOptions)
    },
    async watch(changed) {
      enter()
      const { watchWorkspace } = await import('./watch.ts')
      return watchWorkspace(workspace, changed)
    },
    async image(imageOptions) {
      enter(imageOptions?.signal)
      const { imageOf } = await import('./move/image.ts')
      return imageOf(workspace, clock, (run, signal) => writer.exclusively(run, signal), imageOptions)
    },
    async adopt(image, adoptOptions) {
      enter(adoptOptions?.signal)
      refuseOtherWish(image.settings, options, root)
      refuseOtherAgent(image.settings, agent, root)
      const { adoptImage } = await import('./move/adopt.ts')
      const { identityPath: identityFile, lockWaitMs = LOCK_WAIT_MS } = options
      const place = { root, agent, identityFile, yaml, nowMs: clock(), lockWaitMs }
      const checkAt = async (built: string, check: NonNullable<AdoptOptions['check']>): Promise<void> => {
        const copy = filesystemStore({ ...options, root: built })
        try {
          await check(await copy.image())
        } finally {
          await copy.close()
        }
      }
      return adoptImage({ ...place, check: checkAt }, image, adoptOptions)
    },
    async noteBackup(path) {
      enter()
      await writer.exclusively(async () => noteBackups(workspace.stateFolder, [path]))
    },
    sessions: fileSessions(workspace, writer, clock, enter),
    derived: fileDerived(workspace, enter),
    async document(name) {
      enter()
      if (!isDocumentName(name)) {
        throw new InvalidError('document', `"${name}"`, 'a path of lower-case words that ends in .md')
      }
      workspace.catchUp()
      workspace.refuseLinks(name)
      const file = readFileAt(join(root, name))
      const text = file && decodeText(file.bytes)
      if (file && text === undefined) throw new DamagedError(name, 'it is not UTF-8 text', 'Save it as UTF-8.')
      return text
    },
    async lease(name): Promise<Lease | undefined> {
      enter()
      const folder = join(workspace.stateFolder, 'leases', safeFileName(name, 'lease'))
      makeFolder(folder)
      const { held } = tryLock(folder)
      return held && { release: async () => held.release() }
    },
    async close() {
      if (closed) return
      closed = true
      await writer.finish()
      writer.close()
    },
  }
}

/** Looks at a workspace that may be too damaged to be opened. Writes nothing. */
export function examineFolder(options: FilesystemStoreOptions, onProgress?: OnExamined): Promise<Examination> {
  const { root, identityPath, ...wish } = options
  return examineAnything({ root: expandPath(root), yaml: lazyYaml(), wish, identityPath, onProgress })
}

/** Asks for the lock only where there is something to take in or to finish: a log of an untouched folder writes nothing. */
async function absorbAll(
  workspace: Workspace,
  writer: Writer,
  { acceptRemovals = false, signal }: AbsorbOptions,
): Promise<Absorbed> {
  workspace.catchUp()
  const { edits } = survey(workspace)
  const { heldBack } = withoutBulkRemovals(workspace, edits)
  const wanted = acceptRemovals ? edits.length : edits.length - heldBack.length
  const isDone = wanted === 0 && !workspace.swap.hasLateSaves() && unwrittenIn(workspace).size === 0
  if (isDone) return { changes: [], heldBack, warnings: [] }
  const cursor = cursorOf(workspace)
  try {
    const warnings = await writer.absorb(acceptRemovals, signal)
    return { changes: readChanges(workspace, cursor).changes, heldBack: acceptRemovals ? [] : heldBack, warnings }
  } catch (error) {
    // A folder that can only be read from is read as it is.
    if (!isKeepsakeError(error) || error.code !== 'READ_ONLY' || acceptRemovals) throw error
    return { changes: [], heldBack, warnings: [] }
  }
}

/** The YAML library takes longer to load than a command to run, and files that we wrote do without it. */
function lazyYaml(): ParseYaml {
  let parse: ((text: string, options: { logLevel: 'error' }) => unknown) | undefined
  return (text) => {
    parse ??= (createRequire(import.meta.url)('yaml') as { parse: NonNullable<typeof parse> }).parse // its documented export
    return parse(text, { logLevel: 'error' })
  }
}

function pinsIn(root: string): string {
  return `${join(root, 'keepsake.yaml')} says`
}

/** Another workspace in the place of the one that was opened, which nobody who asked for these would have opened. */
function refuseToGoOn(now: Settings, wish: SettingsWish, agent: string, root: string): void {
  try {
    refuseOtherWish(now, wish, pinsIn(root))
    refuseOtherAgent(now, agent, root)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const what = `${root} is another workspace by now, and not one to go on with`
    throw new KeepsakeError('FOREIGN', `${what}: ${error.message}`, { hint: 'Start the program again.', cause: error })
  }
}

/** The id of a workspace whose settings were lost, but whose journal was not. */
function journaledId(root: string): string | undefined {
  const journal = new Journal(join(root, STATE_FOLDER, 'journal'))
  const last = journal.segments().at(-1)
  return last === undefined ? undefined : journal.headerOf(last)?.workspace
}
