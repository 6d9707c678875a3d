/**
 * Vectors in RAM with the promises of the real collection, for tests of everything above it: exact, and with the same refusals. Several may
 * stand for the clients of one server: `another()`.
 */
import { KeepsakeError } from '../../src/errors.ts'
import type { CallOptions } from '../../src/ports/store.ts'
import type {
  NearVector,
  StoredVector,
  VectorRecord,
  VectorShelf,
  VectorWhere,
} from '../../src/stores/chroma/server/vector-shelf.ts'

interface RamCollection {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly records: Map<string, VectorRecord>
  dimension: number | undefined
}

/** What all clients of one server see. */
interface RamServer {
  collection: RamCollection | undefined
}

const ID_BYTES = 120
const DOCUMENT_BYTES = 16_384
const MOST_KEYS = 32
const KEY_BYTES = 36
const VALUE_BYTES = 4_096

export class RamVectors implements VectorShelf {
  readonly #server: RamServer
  /** Called before each request; may throw what the caller is to get, and may keep it waiting. */
  before: (name: keyof VectorShelf) => Promise<void> | void = () => undefined

  /** A server in a cloud gives no more at once: MOST_NEAR. */
  mostNear: number = Number.POSITIVE_INFINITY

  constructor(server: RamServer = { collection: undefined }) {
    this.#server = server
  }

  another(): RamVectors {
    return new RamVectors(this.#server)
  }

  async put(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    if (records.length === 0) return
    const outgrown = records.filter((record) => hasLost(this.records.get(record.id), record)).map(({ id }) => id)
    if (outgrown.length > 0) await this.remove(outgrown, options)
    const there = await this.#asked('put', options)
    if (!there) throw new KeepsakeError('IO', 'ram: the collection "memories" is not there any more')
    for (const record of records) checkSizes(record)
    const dimension = there.dimension ?? records[0]?.vector.length
    const other = records.find(({ vector }) => vector.length !== dimension)
    if (other) throw wrongDimension(other.vector.length, dimension)
    there.dimension = dimension
    for (const { id, vector, document, metadata } of records) {
      const text = document ?? there.records.get(id)?.document
      const kept = { id, vector: Float32Array.from(vector), metadata: { ...metadata } }
      there.records.set(id, text === undefined ? kept : { ...kept, document: text })
    }
  }

  async get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, StoredVector>> {
    const there = await this.#asked('get', options)
    const found = new Map<string, StoredVector>()
    for (const id of ids) {
      const record = there?.records.get(id)
      if (record) found.set(id, { vector: Float32Array.from(record.vector), metadata: { ...record.metadata } })
    }
    return found
  }

  async ids(where: VectorWhere, options?: CallOptions): Promise<readonly string[]> {
    const there = await this.#asked('ids', options)
    return matching(there, where).map(({ id }) => id)
  }

  async remove(ids: readonly string[], options?: CallOptions): Promise<void> {
    const there = await this.#asked('remove', options)
    for (const id of ids) there?.records.delete(id)
  }

  async nearest(
    query: Float32Array,
    most: number,
    where: VectorWhere | undefined,
    options?: CallOptions,
  ): Promise<readonly NearVector[]> {
    const there = await this.#asked('nearest', options)
    if (most > this.mostNear) throw new KeepsakeError('IO', `ram: ${most} results are more than its quota`)
    if (there?.dimension !== undefined && query.length !== there.dimension) {
      throw wrongDimension(query.length, there.dimension)
    }
    return matching(there, where ?? {})
      .map(({ id, vector }) => ({ id, cosine: cosine(query, vector) }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, most)
  }

  async count(options?: CallOptions): Promise<number> {
    return (await this.#asked('count', options))?.records.size ?? 0
  }

  async dimensions(options?: CallOptions): Promise<number | undefined> {
    return (await this.#asked('dimensions', options))?.dimension
  }

  async begin(metadata: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<void> {
    const there = await this.#asked('begin', options)
    if (there && there.metadata['keepsake'] === undefined)
      throw new KeepsakeError('FOREIGN', "ram: it is somebody else's")
    this.#server.collection = { metadata: { keepsake: 1, ...metadata }, records: new Map(), dimension: undefined }
  }

  async metadata(options?: CallOptions): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.#asked('metadata', options))?.metadata
  }

  /** Somebody else's of the same name stands there from now on. */
  becomeForeign(): void {
    this.#server.collection = { metadata: { app: 'theirs' }, records: new Map(), dimension: undefined }
  }

  /** What was put there, for tests to look at. */
  get records(): ReadonlyMap<string, VectorRecord> {
    return this.#server.collection?.records ?? new Map()
  }

  async #asked(name: keyof VectorShelf, options: CallOptions | undefined): Promise<RamCollection | undefined> {
    options?.signal?.throwIfAborted()
    await this.before(name)
    return this.#server.collection
  }
}

function matching(there: RamCollection | undefined, where: VectorWhere): readonly VectorRecord[] {
  const conditions = Object.entries(where)
  return [...(there?.records.values() ?? [])].filter(({ metadata }) =>
    conditions.every(([key, wanted]) =>
      typeof wanted === 'object' ? wanted.some((one) => one === metadata[key]) : metadata[key] === wanted,
    ),
  )
}

/** The real one removes these first, since a server keeps labels that it is not given anew. */
function hasLost(before: VectorRecord | undefined, now: VectorRecord): boolean {
  return Object.keys(before?.metadata ?? {}).some((key) => now.metadata[key] === undefined)
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0)
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths === 0 ? 0 : dot(a, b) / lengths
}

function checkSizes({ id, document = '', metadata }: VectorRecord): void {
  const keys = Object.keys(metadata)
  const isFine =
    Buffer.byteLength(id) <= ID_BYTES &&
    Buffer.byteLength(document) <= DOCUMENT_BYTES &&
    keys.length > 0 &&
    keys.length <= MOST_KEYS &&
    keys.every((key) => Buffer.byteLength(key) <= KEY_BYTES) &&
    Object.values(metadata).every((value) => Buffer.byteLength(String(value)) <= VALUE_BYTES)
  if (!isFine) throw new RangeError(`ram: ${id} is more than the smallest server takes`)
}

function wrongDimension(given: number, there: number | undefined): KeepsakeError {
  return new KeepsakeError('INVALID', `vector: has ${given} dimensions, and those at ram have ${there}`)
}
