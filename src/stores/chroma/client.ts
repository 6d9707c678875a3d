/** Chroma's HTTP API (v2) for one collection. Every request is safe to repeat, and is retried once if the connection breaks. */
import type { ServerPlace } from '../../model/server-address.ts'
import type { CallOptions } from '../../ports/store.ts'
import { notChromaError, partialError, refusedError, tenantError, timeoutError, unreachableError } from './errors.ts'

export type MetadataValue = string | number | boolean
/** `null` removes a key. Keys that are not given stay. */
export type MetadataPatch = Readonly<Record<string, MetadataValue | null>>
export type RawMetadata = Readonly<Record<string, unknown>>

export interface Collection {
  readonly id: string
  readonly metadata: RawMetadata
  /** Missing until the first record is written. */
  readonly dimension?: number
}

export interface ChromaRecord {
  readonly id: string
  readonly metadata: RawMetadata
  readonly document?: string
  readonly vector?: readonly number[]
}

export interface RecordWrite {
  readonly id: string
  readonly metadata: MetadataPatch
  readonly document?: string
  readonly vector?: Float32Array
}

type Answer = { readonly status: number; readonly json: unknown }
type Include = 'metadatas' | 'documents' | 'embeddings'

const COLLECTION = 'memories'
const DEFAULT_REQUEST_MS = 20_000
const RETRY_DELAY_MS = 100
const BATCH_RECORDS = 100

export class ChromaClient {
  readonly place: ServerPlace
  readonly #requestMs: number
  readonly #database: string
  #collection: Collection | undefined

  constructor(place: ServerPlace, requestMs: number = DEFAULT_REQUEST_MS) {
    this.place = place
    this.#requestMs = requestMs
    this.#database = `/tenants/${encodeURIComponent(place.tenant)}/databases/${encodeURIComponent(place.database)}`
  }

  /** `undefined`: there is no collection yet. `fresh`: asks the server even if the collection is cached. */
  async find(call: CallOptions = {}, fresh = false): Promise<Collection | undefined> {
    if (this.#collection && !fresh) return this.#collection
    this.#collection = undefined
    const answer = await this.#send('GET', `${this.#database}/collections/${COLLECTION}`, undefined, call)
    if (!isNotFound(answer)) return this.#remember(answer)
    const tenant = await this.#send('GET', `/tenants/${encodeURIComponent(this.place.tenant)}`, undefined, call)
    if (isNotFound(tenant)) throw tenantError(this.place)
    this.#check(tenant)
    return undefined
  }

  /** Creates the collection, and the database where it is missing. If another process was first, returns its collection. */
  async create(metadata: RawMetadata, call: CallOptions = {}): Promise<Collection> {
    const body = {
      name: COLLECTION,
      get_or_create: true,
      metadata: { 'hnsw:space': 'cosine', ...metadata },
      configuration: { hnsw: { space: 'cosine', ef_search: 500 } },
    }
    const create = (): Promise<Answer> => this.#send('POST', `${this.#database}/collections`, body, call)
    const answer = await create()
    if (answer.status < 300) return this.#remember(answer)
    const theirs = await this.find(call, true)
    if (theirs) return theirs
    const databases = this.#database.replace(/\/[^/]*$/, '')
    const made = await this.#send('POST', databases, { name: this.place.database }, call)
    if (made.status !== 409) this.#check(made)
    return this.#remember(await create())
  }

  /** Replaces the collection's metadata. */
  async setMetadata({ id }: Collection, metadata: RawMetadata, call?: CallOptions): Promise<void> {
    this.#check(await this.#send('PUT', `${this.#database}/collections/${id}`, { new_metadata: metadata }, call))
    this.#collection = undefined
  }

  /** Every record. The hosted service returns them in pages; other servers all at once, and so as of one moment. */
  async list(include: readonly Include[], call?: CallOptions): Promise<readonly ChromaRecord[]> {
    const isHosted = new URL(this.place.url).hostname.endsWith('.trychroma.com')
    if (!isHosted) return recordsIn(await this.#post('get', { include }, call))
    const records: ChromaRecord[] = []
    for (;;) {
      const page = recordsIn(await this.#post('get', { include, limit: BATCH_RECORDS, offset: records.length }, call))
      records.push(...page)
      if (page.length < BATCH_RECORDS) return records
    }
  }

  async get(ids: readonly string[], include: readonly Include[], call?: CallOptions): Promise<readonly ChromaRecord[]> {
    const found: ChromaRecord[] = []
    for (const part of chunk(ids)) found.push(...recordsIn(await this.#post('get', { ids: part, include }, call)))
    return found
  }

  /** With a document and a vector, creates or replaces the record. Otherwise updates it, if it exists. */
  async write(writes: readonly RecordWrite[], call?: CallOptions, onWritten?: (count: number) => void): Promise<void> {
    let done = 0
    const [whole, parts] = [writes.filter(isWhole), writes.filter((write) => !isWhole(write))]
    const groups = [whole, parts.filter(({ vector }) => vector), parts.filter(({ vector }) => !vector)]
    for (const [index, batch] of groups.flatMap((group, n) => chunk(group).map((part) => [n, part] as const))) {
      const embeddings = batch[0]?.vector && batch.map(({ vector }) => vector && toShortNumbers(vector))
      const body = {
        ids: batch.map(({ id }) => id),
        metadatas: batch.map(({ metadata }) => metadata),
        documents: batch.map(({ document }) => document ?? null),
        ...(embeddings ? { embeddings } : {}),
      }
      const answer = await this.#post(index === 0 ? 'upsert' : 'update', body, call).catch((error: unknown) => {
        throw done === 0 ? error : partialError(error, done, writes.length)
      })
      if (answer === undefined) throw refusedError(this.place, 404, 'the collection was removed')
      done += batch.length
      onWritten?.(done)
    }
  }

  /** Missing ids are no error. */
  async remove(ids: readonly string[], call?: CallOptions): Promise<void> {
    for (const part of chunk(ids)) await this.#post('delete', { ids: part }, call)
  }

  /** Ids and distances of the nearest records, the nearest first. */
  async query(
    vector: Float32Array,
    limit: number,
    where: RawMetadata,
    call?: CallOptions,
  ): Promise<readonly (readonly [recordId: string, distance: number])[]> {
    const body = { query_embeddings: [toShortNumbers(vector)], n_results: limit, where, include: ['distances'] }
    const answer = ((await this.#post('query', body, call)) ?? {}) as { ids?: string[][]; distances?: number[][] }
    return (answer.ids?.[0] ?? []).map((id, index) => [id, answer.distances?.[0]?.[index] ?? Number.NaN])
  }

  /** `undefined`: there is no collection. */
  async #post(verb: string, body: object, call: CallOptions = {}): Promise<unknown> {
    for (let tries = 1; tries <= 2; tries++) {
      const collection = await this.find(call)
      if (!collection) return undefined
      const answer = await this.#send('POST', `${this.#database}/collections/${collection.id}/${verb}`, body, call)
      if (!isNotFound(answer)) return this.#check(answer).json
      // Another process may have removed the collection and created it again.
      this.#collection = undefined
    }
    return undefined
  }

  #check(answer: Answer): Answer {
    const { status, json } = answer
    if (status < 300 && json !== undefined) return answer
    const isFromChroma = isObject(json) || status === 401 || status === 403 || status >= 500
    if (isFromChroma) throw refusedError(this.place, status, readMessage(answer))
    throw notChromaError(this.place, `it answered with status ${status}, but not as Chroma does`)
  }

  #remember(answer: Answer): Collection {
    const { json } = this.#check(answer)
    if (!isObject(json) || typeof json['id'] !== 'string') throw notChromaError(this.place, 'a collection has no id')
    const { id, metadata, dimension } = json
    const known = isObject(metadata) ? metadata : {}
    this.#collection = { id, metadata: known, ...(typeof dimension === 'number' ? { dimension } : {}) }
    return this.#collection
  }

  async #send(method: string, path: string, body?: object, { signal }: CallOptions = {}): Promise<Answer> {
    const { token, url } = this.place
    const isWrite = method === 'PUT' || /\/(upsert|update|delete)$/.test(path)
    const timeout = AbortSignal.timeout(this.#requestMs)
    for (let tries = 1; ; tries++) {
      try {
        const response = await fetch(`${url}/api/v2${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            // Gateways read the first, Chroma's own service the second.
            ...(token === undefined ? {} : { authorization: `Bearer ${token}`, 'x-chroma-token': token }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          // A redirect would send the token elsewhere.
          redirect: 'manual',
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        })
        return { status: response.status, json: parseJson(await response.text()) }
      } catch (error) {
        signal?.throwIfAborted()
        if (timeout.aborted) throw timeoutError(this.place, this.#requestMs, isWrite)
        if (tries === 2) throw unreachableError(this.place, error, isWrite)
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      }
    }
  }
}

function recordsIn(json: unknown): ChromaRecord[] {
  const { ids = [], metadatas, documents, embeddings } = (json ?? {}) as Readonly<Record<string, unknown[] | undefined>>
  return ids.map((id, index) => ({
    id: String(id),
    metadata: (metadatas?.[index] ?? {}) as RawMetadata,
    ...(documents ? { document: String(documents[index] ?? '') } : {}),
    ...(embeddings ? { vector: embeddings[index] as number[] } : {}),
  }))
}

function isWhole({ document, vector }: RecordWrite): boolean {
  return document !== undefined && vector !== undefined
}

function chunk<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / BATCH_RECORDS)
  return Array.from({ length: count }, (_, n) => items.slice(n * BATCH_RECORDS, (n + 1) * BATCH_RECORDS))
}

/** Nine digits are enough for a 32-bit float, and half of what JSON would write. */
function toShortNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Number(value.toPrecision(9)))
}

function isNotFound({ status, json }: Answer): boolean {
  return status === 404 && isObject(json) && json['error'] === 'NotFoundError'
}

function readMessage({ status, json }: Answer): string {
  const message = isObject(json) ? (json['message'] ?? json['error']) : undefined
  return typeof message === 'string' ? message : `status ${status}`
}

/** `undefined`: not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is RawMetadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
