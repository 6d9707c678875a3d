/**
 * A shelf on a collection of a real server. Its texts are metadata, because documents would be taken apart for a search that nobody
 * makes. Requests stay within what the smallest server takes. Vectors there must be; nobody searches by these.
 */
import type { Metadata } from 'chromadb'
import type { CallOptions } from '../../../ports/store.ts'
import type { ServerCollection } from './collection.ts'
import { inLots } from './lots.ts'
import { allPages, checkedGot, type Got, MOST_RESULTS, NOTHING } from './pages.ts'
import type { PlaceMaker } from './place-maker.ts'
import { serverWhere } from './server-where.ts'
import type { Label, Shelf, ShelfRecord, Where } from './shelf.ts'
import { fromSlots, intoSlots, isSlot } from './slots.ts'

const REQUEST_RECORDS = 300
const REQUEST_BYTES = 8_000_000
/** Of a record beside its metadata: the id, the vector, what JSON puts between. */
const RECORD_EXTRA_BYTES = 200

interface Prepared {
  readonly id: string
  readonly metadata: Metadata
}

export class ChromaShelf implements Shelf {
  readonly requestMs: number
  readonly #collection: ServerCollection
  readonly #maker: PlaceMaker

  constructor(collection: ServerCollection, maker: PlaceMaker) {
    this.requestMs = collection.requests.requestMs
    this.#collection = collection
    this.#maker = maker
  }

  add(records: readonly ShelfRecord[], options?: CallOptions): Promise<void> {
    return this.#write(
      'add',
      records.map((record) => prepared(record, { every: false })),
      options,
    )
  }

  put(records: readonly ShelfRecord[], options?: CallOptions): Promise<void> {
    return this.#write(
      'upsert',
      records.map((record) => prepared(record, { every: true })),
      options,
    )
  }

  async get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, ShelfRecord>> {
    const found = new Map<string, ShelfRecord>()
    for (const some of inLots([...new Set(ids)], MOST_RESULTS)) {
      const asked = { ids: some, include: ['metadatas' as const] }
      const got: Got = await this.#collection.read(
        NOTHING,
        async (there) => checkedGot(await there.get(asked)),
        options,
      )
      for (const record of recordsIn(got)) found.set(record.id, record)
    }
    return found
  }

  async find(where: Where, options?: CallOptions): Promise<readonly ShelfRecord[]> {
    return recordsIn(await allPages(this.#collection, serverWhere(where), 'metadatas', options))
  }

  async findIds(where: Where, options?: CallOptions): Promise<readonly string[]> {
    return (await allPages(this.#collection, serverWhere(where), 'ids', options)).ids
  }

  async remove(ids: readonly string[], options?: CallOptions): Promise<void> {
    for (const some of inLots([...new Set(ids)], REQUEST_RECORDS)) {
      await this.#collection.write((there) => there.delete({ ids: some }), options)
    }
  }

  async #write(how: 'add' | 'upsert', records: readonly Prepared[], options: CallOptions | undefined): Promise<void> {
    if (records.length === 0) return
    await this.#maker.prepare(options)
    const { max_batch_size: most } = await this.#collection.requests.check(options)
    for (const lot of inLots(records, Math.min(REQUEST_RECORDS, most), REQUEST_BYTES, bytesOf)) {
      const given = {
        ids: lot.map(({ id }) => id),
        embeddings: lot.map(() => [Math.random()]),
        metadatas: lot.map(({ metadata }) => metadata),
      }
      const isThere = await this.#collection.write((there) => there[how](given), options)
      if (!isThere) throw this.#maker.missing(this.#collection)
    }
  }
}

function prepared({ id, text, labels }: ShelfRecord, slots: { readonly every: boolean }): Prepared {
  return { id, metadata: { ...labels, ...intoSlots(text, slots) } }
}

function bytesOf({ metadata }: Prepared): number {
  return Buffer.byteLength(JSON.stringify(metadata)) + RECORD_EXTRA_BYTES
}

function recordsIn({ ids, metadatas }: Got): ShelfRecord[] {
  return ids.map((id, index) => {
    const metadata = metadatas[index] ?? {}
    return { id, text: fromSlots(metadata), labels: labelsIn(metadata) }
  })
}

function labelsIn(metadata: Metadata): Record<string, Label> {
  const labels: Record<string, Label> = {}
  for (const [name, value] of Object.entries(metadata)) {
    if (!isSlot(name) && (typeof value === 'string' || typeof value === 'number')) labels[name] = value
  }
  return labels
}
