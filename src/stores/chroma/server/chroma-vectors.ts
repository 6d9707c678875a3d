/**
 * The collection of vectors on a real server: pieces of entries, with what any other client of that server may want to read and filter
 * by. Requests stay within what the smallest server takes.
 */
import type { Collection, Metadata } from 'chromadb'
import type { CallOptions } from '../../../ports/store.ts'
import type { ServerCollection } from './collection.ts'
import { inLots } from './lots.ts'
import { allPages, checkedGot, type Got, MOST_RESULTS, NOTHING } from './pages.ts'
import type { PlaceMaker } from './place-maker.ts'
import { serverWhere } from './server-where.ts'
import type {
  NearVector,
  StoredVector,
  VectorMetadata,
  VectorRecord,
  VectorShelf,
  VectorWhere,
} from './vector-shelf.ts'

const REQUEST_BYTES = 8_000_000
/** Of one number in JSON, where the server takes no other form. */
const NUMBER_BYTES = 12

export class ChromaVectors implements VectorShelf {
  readonly #collection: ServerCollection
  readonly #maker: PlaceMaker

  constructor(collection: ServerCollection, maker: PlaceMaker) {
    this.#collection = collection
    this.#maker = maker
  }

  async put(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    // The client takes documents for all records of a request, or for none.
    const withText = records.filter(({ document }) => document !== undefined)
    const without = records.filter(({ document }) => document === undefined)
    const lots = [withText, without].flatMap((some) => inLots(some, MOST_RESULTS, REQUEST_BYTES, bytesOf))
    for (const lot of lots) {
      await this.remove(await this.#outgrown(lot, options), options)
      if (!(await this.#collection.write((there) => upsert(there, lot), options))) {
        throw this.#maker.missing(this.#collection)
      }
    }
  }

  async get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, StoredVector>> {
    const found = new Map<string, StoredVector>()
    for (const some of inLots([...new Set(ids)], MOST_RESULTS)) {
      const got = await this.#collection.read<GotVectors>(
        { ...NOTHING, embeddings: [] },
        async (there) => checkedVectors(await there.get({ ids: some, include: ['embeddings', 'metadatas'] })),
        options,
      )
      for (const [index, id] of got.ids.entries()) {
        const vector = Float32Array.from(got.embeddings[index] ?? [])
        found.set(id, { vector, metadata: plain(got.metadatas[index]) })
      }
    }
    return found
  }

  async ids(where: VectorWhere, options?: CallOptions): Promise<readonly string[]> {
    if (isNever(where)) return []
    return (await allPages(this.#collection, serverWhere(where), 'ids', options)).ids
  }

  async remove(ids: readonly string[], options?: CallOptions): Promise<void> {
    for (const some of inLots([...new Set(ids)], MOST_RESULTS)) {
      await this.#collection.write((there) => there.delete({ ids: some }), options)
    }
  }

  async nearest(
    query: Float32Array,
    most: number,
    where: VectorWhere | undefined,
    options?: CallOptions,
  ): Promise<readonly NearVector[]> {
    if (most < 1 || (where && isNever(where))) return []
    const filter = where && serverWhere(where)
    const asked = {
      queryEmbeddings: [[...query]],
      nResults: most,
      include: ['distances' as const],
      ...(filter === undefined ? {} : { where: filter }),
    }
    const none: Found = { ids: [[]], distances: [[]] }
    const { ids, distances } = await this.#collection.read<Found>(
      none,
      async (there) => checkedFound(await there.query(asked)),
      options,
    )
    return (ids[0] ?? []).map((id, index) => ({ id, cosine: 1 - (distances[0]?.[index] ?? 1) }))
  }

  count(options?: CallOptions): Promise<number> {
    return this.#collection.read(0, (there) => there.count(), options)
  }

  async dimensions(options?: CallOptions): Promise<number | undefined> {
    return (await this.#collection.facts(options))?.dimension
  }

  begin(metadata: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<void> {
    return this.#maker.renewMemories(metadata, options)
  }

  async metadata(options?: CallOptions): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.#collection.facts(options))?.metadata
  }

  /** A server keeps what it is not given anew, so those that have lost something are removed first. */
  async #outgrown(lot: readonly VectorRecord[], options: CallOptions | undefined): Promise<readonly string[]> {
    const asked = { ids: lot.map(({ id }) => id), include: ['metadatas' as const] }
    const got: Got = await this.#collection.read(NOTHING, async (there) => checkedGot(await there.get(asked)), options)
    const given = new Map(lot.map(({ id, metadata }) => [id, metadata]))
    return got.ids.filter((id, index) => {
      const now = given.get(id) ?? {}
      return Object.keys(got.metadatas[index] ?? {}).some((key) => now[key] === undefined)
    })
  }
}

interface GotVectors extends Got {
  readonly embeddings: readonly (readonly number[])[]
}

interface Found {
  readonly ids: readonly (readonly string[])[]
  readonly distances: readonly (readonly (number | null)[])[]
}

function checkedVectors<T extends Got & { readonly embeddings: unknown }>(answer: T): T {
  if (Array.isArray(answer.embeddings)) return checkedGot(answer)
  throw new Error('it does not say which vectors there are')
}

function checkedFound<T extends { readonly ids: unknown; readonly distances: unknown }>(answer: T): T {
  const isRight = [answer.ids, answer.distances].every((lists) => Array.isArray(lists) && Array.isArray(lists[0]))
  if (isRight) return answer
  throw new Error('it does not say which vectors are nearest')
}

function upsert(there: Collection, lot: readonly VectorRecord[]): Promise<void> {
  const documents = lot.flatMap(({ document }) => (document === undefined ? [] : [document]))
  return there.upsert({
    ids: lot.map(({ id }) => id),
    embeddings: lot.map(({ vector }) => [...vector]),
    metadatas: lot.map(({ metadata }) => ({ ...metadata })),
    ...(documents.length === 0 ? {} : { documents }),
  })
}

function bytesOf({ vector, document = '', metadata }: VectorRecord): number {
  return vector.length * NUMBER_BYTES + Buffer.byteLength(JSON.stringify([document, metadata]))
}

/** Nothing is one of none. */
function isNever(where: VectorWhere): boolean {
  return Object.values(where).some((value) => typeof value === 'object' && value.length === 0)
}

function plain(metadata: Metadata | null | undefined): VectorMetadata {
  const values: Record<string, string | number | boolean> = {}
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') values[key] = value
  }
  return values
}
