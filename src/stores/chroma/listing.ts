/**
 * What this process knows of the collection: the metadata of every record, read again for each request, and the documents that it
 * needed. There is no change log, so each listing is compared with the one before; its digest is the epoch of the feed.
 */
import { createHash } from 'node:crypto'
import { abortable } from '../../model/abortable.ts'
import { handlesOf } from '../../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import type { CallOptions, Problem } from '../../ports/store.ts'
import type { ChromaClient, ChromaRecord, MetadataPatch, RawMetadata } from './client.ts'
import { type Defaults, decodeMetadata, entryId } from './record.ts'

export interface Row {
  readonly recordId: string
  readonly metadata: RawMetadata
  /** Of the metadata without the vector marks. */
  readonly digest: string
  readonly head: EntryHead
  /** Missing until it is loaded. */
  readonly content: string | undefined
  readonly problem: string | undefined
}

const MARKS = ['keepsake_vector', 'keepsake_vector_of', 'keepsake_vector_hash'] as const

export class Listing {
  readonly #client: ChromaClient
  readonly #defaults: () => Promise<Defaults>
  /** Of the last refresh, in the order of `seq`. */
  rows: readonly Row[] = []
  /** Every process computes the same one for the same entries. */
  epoch = ''
  #byId = new Map<string, Row>()
  #owners: ReadonlyMap<string, string> | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(client: ChromaClient, defaults: () => Promise<Defaults>) {
    this.#client = client
    this.#defaults = defaults
  }

  getRow(id: string): Row | undefined {
    return this.#byId.get(id)
  }

  /** The row that has a name, alias or key (see `handlesOf`); of several, the oldest. */
  findOwner(scope: Scope, handle: string): Row | undefined {
    this.#owners ??= indexOwners(this.rows)
    return this.#byId.get(this.#owners.get(`${scope}\0${handle}`) ?? '')
  }

  problems(scopes: readonly Scope[] | undefined): Problem[] {
    return this.rows.flatMap(({ recordId: path, head, problem }) =>
      problem === undefined || (scopes && !scopes.includes(head.scope)) ? [] : [{ path, problem, undated: true }],
    )
  }

  /** Reads the collection again, unless it was read after the request began (`askedAtMs`). */
  async refresh({ askedAtMs, signal }: CallOptions = {}): Promise<void> {
    if (askedAtMs !== undefined && this.#startedAt >= askedAtMs) return
    // A refresh that is running may have missed the latest writes.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      const work = this.#read()
      this.#running = work.catch(() => undefined)
      return work
    })
    const next = this.#next
    next.catch(() => undefined) // reported to the callers that still wait
    await abortable(() => next, signal)
  }

  /** After a write: the next refresh reads again, even for a request that began earlier. */
  expire(): void {
    this.#startedAt = Number.NEGATIVE_INFINITY
  }

  /** Adds the contents. Leaves out rows whose records are gone. */
  async load(rows: readonly Row[], call?: CallOptions): Promise<readonly Entry[]> {
    const missing = rows.filter(({ content }) => content === undefined).map(({ recordId }) => recordId)
    const loaded = new Map((await this.#fetch(missing, call)).map((row) => [row.head.id, row]))
    this.rows = this.rows.map((row) => loaded.get(row.head.id) ?? row)
    for (const [id, row] of loaded) if (this.#byId.has(id)) this.#byId.set(id, row)
    return rows.flatMap((row) => {
      const { head, content } = loaded.get(row.head.id) ?? row
      return content === undefined ? [] : [{ ...head, content }]
    })
  }

  async #fetch(recordIds: readonly string[], call?: CallOptions): Promise<Row[]> {
    if (recordIds.length === 0) return []
    const defaults = await this.#defaults()
    const records = await this.#client.get(recordIds, ['metadatas', 'documents'], call)
    return records.flatMap((record) => parseRow(record, defaults) ?? [])
  }

  async #read(): Promise<void> {
    const startedAt = performance.now()
    const defaults = await this.#defaults()
    const rows: Row[] = []
    const unnamed: string[] = []
    for (const record of await this.#client.list(['metadatas'])) {
      const known = this.#byId.get(entryId(record.id))
      const isKnown = known?.digest === digestMetadata(record.metadata)
      const row = isKnown ? { ...known, metadata: record.metadata } : parseRow(record, defaults)
      if (row) rows.push(row)
      else unnamed.push(record.id)
    }
    // Records of the seed's program: their names and revisions come from their documents.
    rows.push(...(await this.#fetch(unnamed)))
    rows.sort(({ head: a }, { head: b }) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
    this.rows = rows
    this.#byId = new Map(rows.map((row) => [row.head.id, row]))
    this.#owners = undefined
    this.epoch = digest(rows.map((row) => row.digest + row.head.id).join())
    this.#startedAt = startedAt
  }
}

export const PENDING: MetadataPatch = { keepsake_vector: 'pending' }

/** `empty`: the entry has no text that a model reads. */
const VECTOR_STATES = ['current', 'refused', 'empty'] as const
type VectorState = (typeof VECTOR_STATES)[number]

export function vectorMark(state: VectorState, revision: string, hash: string): MetadataPatch {
  return { keepsake_vector: state, keepsake_vector_of: revision, keepsake_vector_hash: hash }
}

/**
 * Whether the vector of a record can be used, and the hash of the text that it was made from, even if the entry has changed since.
 * A record without marks was written by the seed's program, which embeds what it writes.
 */
export function readMark({ metadata, head }: Row): { state: VectorState | 'pending'; hash?: string } {
  const [state, revision, hash] = MARKS.map((key) => metadata[key])
  if (state === undefined) return { state: 'current' }
  const hashPart = typeof hash === 'string' && hash !== '' ? { hash } : {}
  const known = revision === head.revision ? VECTOR_STATES.find((one) => one === state) : undefined
  return { state: known ?? 'pending', ...hashPart }
}

function parseRow(record: ChromaRecord, defaults: Defaults): Row | undefined {
  const { id: recordId, metadata, document: content } = record
  const { head, problem } = decodeMetadata(recordId, metadata, defaults, content)
  return head && { recordId, metadata, digest: digestMetadata(metadata), head, content, problem }
}

function indexOwners(rows: readonly Row[]): ReadonlyMap<string, string> {
  const pairs = rows.flatMap(({ head }) =>
    handlesOf(head).map((handle) => [`${head.scope}\0${handle}`, head.id] as const),
  )
  return new Map(pairs.reverse())
}

function digestMetadata(metadata: RawMetadata): string {
  const entries = Object.entries(metadata).filter(([key]) => !MARKS.some((mark) => mark === key))
  return digest(JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
