/**
 * The store on a Chroma server: the collection `memories` as the seed's program has it, one record per entry. It keeps present entries
 * only, and declares what it lacks. Every call reads from the server, so any number of processes may write.
 */
import { InvalidError, KeepsakeError } from '../../errors.ts'
import { lastStates, normalizeOrigin, touchedBy } from '../../model/apply.ts'
import { keyHandle } from '../../model/draft.ts'
import type { Entry } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import { isId, newId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Batch } from '../../model/operation.ts'
import { type LookupRequest, type LookupResult, planBatch } from '../../model/plan-batch.ts'
import { addressOf, type ServerPlace } from '../../model/server-address.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Applied,
  CallOptions,
  Capabilities,
  MemoryImage,
  Movable,
  ScanFilter,
  Settings,
  Store,
} from '../../ports/store.ts'
import { checkedSettings, type FoundSettings } from '../disk/checked-settings.ts'
import { handOut } from '../disk/hand-out.ts'
import { type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { refuseOtherAgent, refuseOtherScope, refuseOtherWish } from '../disk/pinned-settings.ts'
import { ChromaClient, type Collection, parseJson, type RecordWrite } from './client.ts'
import { Listing, PENDING, type Row } from './listing.ts'
import { adoptImage, createImage, refuseUnfinished, SETTINGS_KEY } from './move.ts'
import { type Defaults, encodeMetadata, patchMetadata, seqOf } from './record.ts'
import { chromaVectors, newRecord } from './vectors.ts'

export interface ChromaStoreOptions extends SettingsWish {
  readonly place: ServerPlace
  /** Owner of records that name no agent. Default: the one agent of a flat memory, else `main`. */
  readonly agent?: string
  readonly clock?: Clock
  readonly newId?: (ms: number) => string
  readonly requestMs?: number
}

export interface ChromaStore extends Store, Movable {
  readonly address: string
  init(): Promise<void>
  isMade(): Promise<boolean>
}

export const CAPABILITIES: Capabilities = Object.freeze({
  durable: true,
  sharedByProcesses: true,
  nativeSearch: true,
  watch: true,
  atomicBatch: 'a Chroma server has no transactions: a batch is written record by record',
  expect: "a Chroma server can't compare a revision and write in one step",
  uniqueNames: "a Chroma server can't keep two processes from giving the same name at the same moment",
  lastingSeq: 'a Chroma server has no counters: entries are numbered by creation time',
  history: 'a memory on a Chroma server keeps no history',
  undo: 'a memory on a Chroma server keeps no history, so nothing can be undone',
  asOf: 'a memory on a Chroma server keeps no earlier states',
  purgePast: 'a memory on a Chroma server keeps no past to purge from',
  moveHistory: 'a memory on a Chroma server takes present entries only',
  sessions: 'a memory on a Chroma server keeps no sessions',
  leases: 'a Chroma server has no leases',
  derived: 'a Chroma collection has no place for derived bytes',
})

const MOVE_HINT = 'Memories in a folder, a file or PostgreSQL have it. To copy this one: keepsake move --to TARGET'
const WATCH_MS = 3000

/** Nothing is sent before the first call, and nothing written before the first write. */
export function chromaStore({ place, requestMs, clock = Date.now, ...options }: ChromaStoreOptions): ChromaStore {
  const client = new ChromaClient(place, requestMs)
  const address = addressOf(place)
  const agent = options.agent === undefined ? undefined : normalizeAgentId(options.agent)
  const newSettings = settingsFor(newId(clock()), agent ?? 'main', options)
  const listing = new Listing(client, readDefaults)
  let closed = false
  let writing: Promise<unknown> = Promise.resolve()

  function checkOpen(signal?: AbortSignal): void {
    if (closed) throw new KeepsakeError('CLOSED', `the store at ${address} is closed`, { hint: 'Open it again.' })
    signal?.throwIfAborted()
  }

  async function whenOpen<T>(work: () => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    checkOpen(signal)
    return work()
  }

  async function readImage({ signal }: CallOptions): Promise<MemoryImage> {
    return createImage(listing, await readSettings(), instant(clock()), signal ? { signal } : {})
  }

  /** A collection of the seed's program has no settings: it gets those of this process, with its own id. */
  function readSettingsIn(collection: Collection): Settings {
    refuseUnfinished(client, collection)
    const stored = collection.metadata[SETTINGS_KEY]
    if (typeof stored !== 'string') return isId(collection.id) ? { ...newSettings, id: collection.id } : newSettings
    const found = Object(parseJson(stored)) as FoundSettings // checked here
    const settings = checkedSettings(address, found, (problem, allowed) => new InvalidError(address, problem, allowed))
    refuseOtherWish(settings, options, `${address} was made with`)
    if (agent !== undefined) refuseOtherAgent(settings, agent, address)
    return settings
  }

  async function readSettings(call?: CallOptions): Promise<Settings> {
    const collection = await client.find(call)
    return collection ? readSettingsIn(collection) : newSettings
  }

  async function readDefaults(): Promise<Defaults> {
    const { agent: only = 'main', timezone: zone } = await readSettings()
    return { agent: agent ?? only, zone }
  }

  async function ensureCollection(call?: CallOptions): Promise<Collection> {
    const known = await client.find(call)
    // Another process may have fixed the dimension meanwhile.
    const found = known && known.dimension === undefined ? await client.find(call, true) : known
    return found ?? client.create({ [SETTINGS_KEY]: JSON.stringify(newSettings) }, call)
  }

  async function refresh(call: CallOptions): Promise<void> {
    checkOpen(call.signal)
    await listing.refresh(call)
  }

  async function readRows(filter: ScanFilter, call: CallOptions): Promise<readonly Row[]> {
    await refresh(call)
    return listing.rows.filter(({ head }) => matchesHead(head, filter))
  }

  async function readOne(find: () => Row | undefined, call: CallOptions): Promise<Entry | undefined> {
    await refresh(call)
    const row = find()
    return row && handOut((await listing.load([row], call))[0])
  }

  async function lookUp({ ids, handles }: LookupRequest, call: CallOptions): Promise<LookupResult> {
    const owners: [scope: string, handle: string, id: string][] = []
    for (const [scope, some] of handles) {
      for (const handle of some) owners.push([scope, handle, listing.findOwner(scope, handle)?.head.id ?? ''])
    }
    const rows = [...ids].flatMap((id) => listing.getRow(id) ?? [])
    return { entries: await listing.load(rows, call), owners: owners.filter(([, , id]) => id !== ''), seqs: [] }
  }

  async function apply(batch: Batch, call: CallOptions): Promise<Applied> {
    const settings = await readSettings(call)
    await refresh(call)
    const nowMs = clock()
    const context = {
      now: instant(nowMs),
      zone: settings.timezone,
      newId: () => (options.newId ?? newId)(nowMs),
      nextSeq: 1,
    }
    const { steps, named } = await planBatch((wanted) => lookUp(wanted, call), batch, undefined, context)
    if (steps.length === 0) return { entries: named.map(handOut), warnings: [] }
    for (const { before, after } of steps) if (!before && after) refuseOtherScope(settings, after.scope)
    await send(touchedBy(steps), await ensureCollection(call), call).finally(() => listing.expire())
    const operations = steps.map(({ operation, after }) =>
      operation.op === 'add' && after ? { ...operation, seq: seqOf(after) } : operation,
    )
    return {
      change: { number: 0, at: context.now, origin: normalizeOrigin(batch.origin), operations },
      entries: lastStates(steps).map((entry) => handOut({ ...entry, seq: seqOf(entry) })),
      warnings: [],
    }
  }

  /** The whole batch has been checked. Removals come last, so that what moves to another entry is never missing. */
  async function send(touched: ReturnType<typeof touchedBy>, collection: Collection, call: CallOptions): Promise<void> {
    const [writes, removed]: [RecordWrite[], string[]] = [[], []]
    for (const { id, before, after } of touched) {
      const row = listing.getRow(id)
      if (!after) removed.push(...(row ? [row.recordId] : []))
      else if (!before || !row) writes.push(newRecord(after, collection))
      else {
        const patch = patchMetadata(row.metadata, encodeMetadata(after))
        const metadata = before.revision === after.revision ? patch : { ...patch, ...PENDING }
        const text = before.content === after.content ? {} : { document: after.content }
        writes.push({ id: row.recordId, metadata, ...text })
      }
    }
    await client.write(writes, call)
    await client.remove(removed, call)
  }

  function refuse(lack: keyof Capabilities, hint = MOVE_HINT): () => Promise<never> {
    const reason = String(CAPABILITIES[lack])
    return () => whenOpen(() => Promise.reject(new KeepsakeError('UNSUPPORTED', reason, { hint, data: { address } })))
  }

  const [noHistory, noSessions] = [refuse('history'), refuse('sessions')]

  return {
    address,
    capabilities: CAPABILITIES,
    init: () => whenOpen(async () => void readSettingsIn(await ensureCollection())),
    isMade: () => whenOpen(async () => (await client.find({}, true)) !== undefined),
    settings: () => whenOpen(readSettings),
    async apply(batch, { expect = {}, signal } = {}) {
      checkOpen(signal)
      if (Object.keys(expect).length > 0) return refuse('expect', 'Leave out expect (--expect).')()
      if (batch.reverts !== undefined) return refuse('undo')()
      const hasSeq = batch.operations.some((operation) => operation.op === 'add' && operation.seq !== undefined)
      if (hasSeq) return refuse('lastingSeq', 'Leave out seq.')()
      // One at a time, so that this process never gives the same name twice.
      const turn = writing.then(() => apply(batch, signal ? { signal } : {}))
      writing = turn.catch(() => undefined)
      return turn
    },
    get: (id, call = {}) => readOne(() => listing.getRow(id), call),
    resolve: (scope, name, call = {}) => readOne(() => listing.findOwner(scope, name), call),
    resolveKey: (scope, key, call = {}) => readOne(() => listing.findOwner(scope, keyHandle(key)), call),
    async *scan(filter: ScanFilter = {}, call: CallOptions = {}) {
      for (const entry of await listing.load(await readRows(filter, call), call)) {
        call.signal?.throwIfAborted()
        yield handOut(entry)
      }
    },
    heads: async (filter = {}, call = {}) => (await readRows(filter, call)).map(({ head }) => handOut(head)),
    problems: ({ scopes } = {}) => refresh({}).then(() => listing.problems(scopes)),
    async feed(since, call = {}) {
      await refresh(call)
      const cursor = { epoch: listing.epoch, number: 0 }
      const restarted = typeof since === 'object' && since.epoch !== cursor.epoch
      return { changes: [], cursor, restarted, edits: [], problems: [] }
    },
    changes: noHistory,
    versions: noHistory,
    gone: noHistory,
    stateAt: refuse('asOf'),
    absorb: (call) => whenOpen(async () => ({ changes: [], heldBack: [], warnings: [] }), call),
    async purge(ids, { signal } = {}) {
      const call = signal ? { signal } : {}
      await refresh(call)
      const recordIds = ids.flatMap((id) => listing.getRow(id)?.recordId ?? [])
      await client.remove(recordIds, call).finally(() => listing.expire())
      const outOfReach = [`copies that the Chroma server at ${address} keeps: its log, its files and their backups`]
      return { cleaned: recordIds.length > 0 ? ['the records in the collection'] : [], occurrences: [], outOfReach }
    },
    async watch(changed) {
      await refresh({})
      let last = listing.epoch
      const timer = setInterval(async () => {
        // A server that can't be reached is a change too.
        const now = closed ? last : await listing.refresh().then(() => listing.epoch, String)
        if (now !== last) changed()
        last = now
      }, WATCH_MS).unref()
      return { stop: async () => clearInterval(timer) }
    },
    sessions: { append: noSessions, read: noSessions, readBefore: noSessions, list: noSessions },
    derived: { read: () => whenOpen(returnNothing), write: () => whenOpen(async () => false) },
    vectors: chromaVectors({ client, listing, checkOpen, ensureCollection }),
    document: () => whenOpen(returnNothing),
    lease: refuse('leases', 'Make sure that only one process does this work.'),
    image: (call = {}) => whenOpen(() => readImage(call), call),
    async adopt(image, adoptOptions = {}) {
      checkOpen(adoptOptions.signal)
      refuseOtherWish(image.settings, options, 'the memory to move was made with')
      return adoptImage(client, image, () => readImage({}), adoptOptions).finally(() => listing.expire())
    },
    // There is no place to record it, so a purge can't name it.
    noteBackup: () => whenOpen(returnNothing),
    async close() {
      closed = true
      await writing
    },
  }
}

async function returnNothing(): Promise<undefined> {}
