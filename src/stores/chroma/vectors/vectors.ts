/**
 * Search by meaning on the server: the vectors of all agents' entries in the collection `memories`, one record for each piece of an entry.
 * Whoever embeds writes them; how far that has come stands in the log's collection, under the generation. A projection: it is never read
 * as truth, and what a search gets is checked against the entries as they are.
 */
import { isKeepsakeError } from '../../../errors.ts'
import type { Scope } from '../../../model/entry.ts'
import type { Kind } from '../../../model/kinds.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { NativeVectors, NearEntries, NearWish, VectorProgress } from '../../../ports/vectors.ts'
import type { Enter } from '../../memory/enter.ts'
import { touchedSince } from '../feed.ts'
import { type Ground, missingMemory, type Replica } from '../replica.ts'
import { foreignCollection } from '../server/server-errors.ts'
import { MOST_NEAR, type NearVector, type VectorShelf, type VectorWhere } from '../server/vector-shelf.ts'
import { entryOf } from './piece-record.ts'
import { readPieces, removePieces, writePieces } from './piece-records.ts'

const KIND = 'v'
/** A filter makes the server six times as slow: it is sent where it leaves out more than one in so many. */
const FILTER_SHARE = 4
/** What the entries are counted by may be so old; it decides over the filter, and nothing else. */
const COUNTED_MS = 5000

export function chromaVectors({ log, connection, address }: Ground, replica: Replica, enter: Enter): NativeVectors {
  const { memories } = connection
  const counts = new EntryCounts(replica)

  async function advance(progress: VectorProgress, options?: CallOptions): Promise<void> {
    const { generation } = (await replica.catchUp(options)) ?? missing()
    const labels = { g: generation, kind: KIND }
    await log.put([{ id: `${generation}/${KIND}`, text: JSON.stringify(progress), labels }], options)
  }

  function missing(): never {
    throw missingMemory(address)
  }

  return {
    async progress(options) {
      enter(options?.signal)
      const followed = await replica.catchUp(options)
      if (!followed) return undefined
      const id = `${followed.generation}/${KIND}`
      const [kept, collection] = await Promise.all([log.get([id], options), memories.metadata(options)])
      const record = kept.get(id)
      // Nothing can be put there or found there, and who searches by meaning is to know why.
      if (collection && collection['keepsake'] === undefined) throw foreignCollection(address, 'memories')
      // Somebody may have removed or replaced the vectors alone.
      if (!record || collection?.['keepsake'] !== followed.generation) return undefined
      return JSON.parse(record.text) as VectorProgress // as it was written above
    },
    async touchedAfter(number, options) {
      enter(options?.signal)
      const memory = await replica.catchUp(options)
      if (!memory) return { ids: [], number }
      const last = memory.number
      const touched = await touchedSince(log, memory, number, options)
      if (touched) return { ids: touched, number: last }
      // What changed is not known any more, so it is all that there is or was.
      const known = memory.state.scan({}).map(({ id }) => id)
      return { ids: [...new Set([...known, ...(await entriesIn(memories, options))])], number: last }
    },
    async begin(progress, options) {
      enter(options?.signal)
      const { generation } = (await replica.catchUp(options)) ?? missing()
      await log.remove([`${generation}/${KIND}`], options)
      await memories.begin({ keepsake: generation }, options)
      await advance(progress, options)
    },
    async advance(progress, options) {
      enter(options?.signal)
      await advance(progress, options)
    },
    async put(entries, options) {
      enter(options?.signal)
      await writePieces(memories, entries, options)
    },
    async remove(ids, options) {
      enter(options?.signal)
      await removePieces(memories, ids, options)
    },
    async read(ids, options) {
      enter(options?.signal)
      const followed = await replica.catchUp(options)
      return readPieces(memories, ids, (id) => followed?.state.head(id)?.revision, options)
    },
    async nearest(query, { scopes, kinds, most = MOST_NEAR, ...options }: NearWish): Promise<NearEntries> {
      enter(options.signal)
      const followed = await replica.catchUp(options)
      const where = counts.filterFor(scopes, kinds)
      const { pieces, asked } = await nearestPieces(memories, query, most, where, options)
      const near = new Map<string, number>()
      for (const { id, cosine } of pieces) {
        const entry = followed?.state.head(entryOf(id))
        if (!entry || !scopes.includes(entry.scope) || !kinds.includes(entry.kind)) continue
        near.set(entry.id, Math.max(cosine, near.get(entry.id) ?? cosine))
      }
      return { near: [...near].map(([id, cosine]) => ({ id, cosine })), isAll: pieces.length < asked }
    },
  }
}

async function entriesIn(memories: VectorShelf, options?: CallOptions): Promise<readonly string[]> {
  return (await memories.ids({}, options)).map(entryOf)
}

interface NearPieces {
  readonly pieces: readonly NearVector[]
  readonly asked: number
}

async function nearestPieces(
  memories: VectorShelf,
  query: Float32Array,
  most: number,
  where: VectorWhere | undefined,
  options: CallOptions,
): Promise<NearPieces> {
  try {
    return { pieces: await memories.nearest(query, most, where, options), asked: most }
  } catch (error) {
    // A server may refuse to give so many.
    if (most <= MOST_NEAR || !isKeepsakeError(error) || error.code !== 'IO') throw error
    return nearestPieces(memories, query, MOST_NEAR, where, options)
  }
}

/** How many entries there are of each scope and kind. */
class EntryCounts {
  readonly #replica: Replica
  #counts: { readonly scope: Scope; readonly kind: Kind; entries: number }[] = []
  #countedAtMs = Number.NEGATIVE_INFINITY

  constructor(replica: Replica) {
    this.#replica = replica
  }

  /** `undefined`: it would leave out too few. */
  filterFor(scopes: readonly Scope[], kinds: readonly Kind[]): VectorWhere | undefined {
    this.#count()
    let [wanted, ofScopes, all] = [0, 0, 0]
    for (const { scope, kind, entries } of this.#counts) {
      all += entries
      if (!scopes.includes(scope)) continue
      ofScopes += entries
      if (kinds.includes(kind)) wanted += entries
    }
    if ((all - wanted) * FILTER_SHARE <= all) return undefined
    return { ...(ofScopes < all ? { scope: scopes } : {}), ...(wanted < ofScopes ? { kind: kinds } : {}) }
  }

  #count(): void {
    const nowMs = performance.now()
    if (nowMs - this.#countedAtMs < COUNTED_MS) return
    this.#countedAtMs = nowMs
    const counts = new Map<string, { scope: Scope; kind: Kind; entries: number }>()
    for (const { scope, kind } of this.#replica.followed?.state.scan({}) ?? []) {
      const count = counts.get(`${scope}/${kind}`) ?? { scope, kind, entries: 0 }
      count.entries++
      counts.set(`${scope}/${kind}`, count)
    }
    this.#counts = [...counts.values()]
  }
}
