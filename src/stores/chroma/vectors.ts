/**
 * One vector per record, searched by the server. Chroma requires a vector with every record, so an entry that was not embedded yet has a
 * placeholder and a mark, and the search leaves marked records out. The model is recorded in the collection's metadata.
 */
import type { Entry, Scope } from '../../model/entry.ts'
import { KIND_NAMES, type Kind } from '../../model/kinds.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { EntryVectors, NativeVectors, VectorModel } from '../../ports/vectors.ts'
import { type ChromaClient, type Collection, parseJson, type RawMetadata, type RecordWrite } from './client.ts'
import { serverError } from './errors.ts'
import { type Listing, PENDING, type Row, readMark, vectorMark } from './listing.ts'
import { encodeMetadata } from './record.ts'

export interface VectorParts {
  readonly client: ChromaClient
  readonly listing: Listing
  readonly checkOpen: (signal?: AbortSignal) => void
  readonly ensureCollection: (call?: CallOptions) => Promise<Collection>
}

/** Of all-MiniLM-L6-v2, the seed's model and Keepsake's default. */
const DEFAULT_DIMENSIONS = 384
const SEED_MODEL = /minilm-l6/i
const MODEL_KEY = 'keepsake_model'

/** The record of an entry that is not embedded yet. */
export function newRecord(entry: Entry, collection: Collection): RecordWrite {
  const { id, content: document } = entry
  const dimensions = collection.dimension ?? readModel(collection)?.dimensions ?? DEFAULT_DIMENSIONS
  const metadata = { ...encodeMetadata(entry), ...PENDING }
  return { id, document, metadata, vector: placeholder(id, dimensions) }
}

export function chromaVectors({ client, listing, checkOpen, ensureCollection }: VectorParts): NativeVectors {
  async function readRows(call: CallOptions): Promise<readonly Row[]> {
    checkOpen(call.signal)
    await listing.refresh(call)
    return listing.rows
  }

  return {
    maxPieces: 1,
    describe: async () => "the Chroma server's own index",
    async status(scopes, call = {}) {
      const rows = (await readRows(call)).filter(({ head }) => scopes.includes(head.scope))
      const model = readModel(await client.find(call, true))
      const idsWith = (state: string) => rows.filter((row) => readMark(row).state === state).map(({ head }) => head.id)
      return { ...(model ? { model } : {}), pending: idsWith('pending'), refused: idsWith('refused') }
    },
    async reset(model, call = {}) {
      checkOpen(call.signal)
      const collection = await ensureCollection(call)
      const { dimension = model.dimensions } = collection
      if (dimension !== model.dimensions) {
        const hint = 'A collection keeps the dimension of its first record: use another model, or an empty database.'
        const problem = `embedding_model: vectors in %s have ${dimension} dimensions, and the model makes ${model.dimensions}`
        const data = { field: 'embedding_model', dimensions: model.dimensions, there: dimension }
        throw serverError(client.place, 'INVALID', problem, { hint, data })
      }
      // The seed's program has made its vectors with this model, and they have no marks.
      const keepsUnmarked = readModel(collection) === undefined && SEED_MODEL.test(model.name)
      const metadata = { ...PENDING, keepsake_vector_hash: null }
      const updates = (await readRows(call)).flatMap((row) =>
        keepsUnmarked && row.metadata['keepsake_vector'] === undefined ? [] : [{ id: row.recordId, metadata }],
      )
      await client.write(updates, call)
      await client.setMetadata(collection, { ...collection.metadata, [MODEL_KEY]: JSON.stringify(model) }, call)
      listing.expire()
    },
    async pending(afterSeq, limit, call = {}) {
      const rows = (await readRows(call)).filter((row) => row.head.seq > afterSeq && readMark(row).state === 'pending')
      // Entries of one millisecond may share a seq: they are on one page.
      const last = rows[limit - 1]?.head.seq ?? Number.POSITIVE_INFINITY
      const page = rows.filter(({ head }) => head.seq <= last)
      return listing.load(page, call)
    },
    async put(vectors, { model, ...call }) {
      await readRows(call)
      const present = readModel(await client.find(call, true))
      if (JSON.stringify(present) !== JSON.stringify(model)) {
        const problem = `another process started the vectors on %s over with ${present?.name ?? 'no model'}`
        throw serverError(client.place, 'CONFLICT', problem, { hint: 'Run it again.' })
      }
      const writes = vectors.flatMap((one) => vectorWrite(one, listing.getRow(one.id)) ?? [])
      await client.write(writes, call)
      listing.expire()
    },
    async read(ids, call = {}) {
      const wanted = new Set(ids)
      // A placeholder has no hash.
      const rows = (await readRows(call)).filter((row) => {
        const { state, hash } = readMark(row)
        return wanted.has(row.head.id) && (state !== 'pending' || hash !== undefined)
      })
      const recordIds = rows.map(({ recordId }) => recordId)
      const records = await client.get(recordIds, ['embeddings'], call)
      const vectors = new Map(records.map(({ id, vector = [] }) => [id, Float32Array.from(vector)]))
      const found = rows.flatMap((row) => {
        const [vector, { state, hash = '' }] = [vectors.get(row.recordId), readMark(row)]
        const pieces = vector && (state === 'current' || state === 'pending') ? [{ hash, vector }] : []
        return vector ? [[row.head.id, { pieces, isCurrent: state !== 'pending' }] as const] : []
      })
      return new Map(found)
    },
    async nearest(query, { scopes, kinds, limit, ...call }) {
      const rows = await readRows(call)
      const wanted = rows.filter(
        (row) => scopes.includes(row.head.scope) && kinds.includes(row.head.kind) && readMark(row).state === 'current',
      )
      if (wanted.length === 0) return { near: [], isAll: true }
      const byRecord = new Map(wanted.map(({ recordId, head }) => [recordId, head.id]))
      const where = buildFilter(scopes, kinds, rows)
      // The server also finds vectors of earlier revisions: then the query asks for more.
      for (let asked = Math.max(limit, 10); ; asked *= 4) {
        const found = await client.query(query, asked, where, call)
        const near = found.flatMap(([recordId, distance]) => {
          const id = byRecord.get(recordId)
          return id === undefined ? [] : [{ id, cosine: 1 - distance }]
        })
        if (near.length < limit && found.length === asked) continue
        return { near: near.slice(0, limit), isAll: near.length === wanted.length && near.length <= limit }
      }
    },
  }
}

/** Differs by entry: many equal vectors would spoil the server's index. */
function placeholder(id: string, dimensions: number): Float32Array {
  const seed = Number.parseInt(id.slice(-8), 16) + 1
  const vector = Float32Array.from({ length: dimensions }, (_, n) => Math.sin(seed * (n + 1)))
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function readModel(collection: Collection | undefined): VectorModel | undefined {
  const model = Object(parseJson(String(collection?.metadata[MODEL_KEY]))) as Partial<VectorModel> // anyone may write it
  return model.name && model.dimensions ? (model as VectorModel) : undefined
}

function vectorWrite(
  { revision, pieces: [piece], isRefused }: EntryVectors,
  row: Row | undefined,
): RecordWrite | undefined {
  if (!row || row.head.revision !== revision) return undefined
  const id = row.recordId
  if (!piece) return { id, metadata: vectorMark(isRefused ? 'refused' : 'empty', revision, '') }
  return { id, metadata: vectorMark('current', revision, piece.hash), vector: piece.vector }
}

/** Records of the seed's program have none of these keys, so they pass: the caller filters them. */
function buildFilter(scopes: readonly Scope[], kinds: readonly Kind[], rows: readonly Row[]): RawMetadata {
  const otherScopes = new Set(rows.map(({ head }) => head.scope).filter((scope) => !scopes.includes(scope)))
  const otherKinds = KIND_NAMES.filter((kind) => !kinds.includes(kind))
  const states = ['pending', 'refused', 'empty']
  const without = { keepsake_vector: states, keepsake_scope: [...otherScopes], keepsake_kind: otherKinds }
  return { $and: Object.entries(without).map(([key, values]) => ({ [key]: { $nin: ['', ...values] } })) }
}
