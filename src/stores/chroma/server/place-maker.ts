/**
 * Makes what a memory needs on a server: the database where it is missing, and the collections. It knows its own by their metadata, and
 * what is somebody else's it leaves as it is. Several processes may make the same at once: all of them get the one that is made.
 */
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import { abortable } from '../../../model/abortable.ts'
import { addressOf } from '../../../model/server-address.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { ServerCollection } from './collection.ts'
import type { Requests } from './requests.ts'
import { badDatabase, foreignCollection, isUnreachable, missingCollection } from './server-errors.ts'
import { type CollectionFacts, hasDatabase } from './server-facts.ts'

/** In the metadata of every collection of ours. */
const OURS = 'keepsake'
const FORMAT = 1

/** Nobody searches by these vectors, so their index is as small as can be. */
const LOG_INDEX = { space: 'l2', ef_construction: 10, max_neighbors: 4, ef_search: 10 } as const
/**
 * Of 10,000 vectors of sentences, 3,000 of them replaced, 0.999 of the fifty nearest were found; with the server's own choice (100, 16
 * and 100) 0.986, where only 700 were replaced.
 */
const VECTOR_INDEX = { space: 'cosine', ef_construction: 200, max_neighbors: 32, ef_search: 300 } as const

interface Collections {
  readonly log: ServerCollection
  readonly memories: ServerCollection
}

export class PlaceMaker {
  readonly #requests: Requests
  readonly #collections: Collections
  #prepared: Promise<void> | undefined

  constructor(requests: Requests, collections: Collections) {
    this.#requests = requests
    this.#collections = collections
  }

  /** Once, for all who wait. */
  prepare({ signal }: CallOptions = {}): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    const prepared = this.#prepared
    return abortable(() => prepared, signal)
  }

  /** What was prepared is gone; the next write prepares again. */
  missing({ name }: ServerCollection): KeepsakeError {
    this.#prepared = undefined
    return missingCollection(this.#requests.place, name)
  }

  /** An empty one in place of our own that was there. */
  async renewMemories(metadata: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<void> {
    await this.prepare(options)
    const { name } = this.#collections.memories
    if (await this.#isThere(this.#collections.memories, options)) {
      await this.#requests.write(({ client }) => client.deleteCollection({ name }), options)
    }
    const wish = { name, embeddingFunction: null, configuration: { hnsw: { ...VECTOR_INDEX } } }
    const marked = { ...wish, metadata: { [OURS]: FORMAT, ...metadata } }
    await this.#requests.write(({ client }) => client.createCollection(marked), options)
  }

  /** FOREIGN where the first write would find what is somebody else's. Else whether there is a log; `memories` only goes with it. */
  async refuseForeign(options?: CallOptions): Promise<boolean> {
    const { log, memories } = this.#collections
    if (await this.#isThere(log, options)) return true
    await this.#isThere(memories, options)
    return false
  }

  async #prepare(): Promise<void> {
    if (await this.refuseForeign()) return
    await this.#makeDatabase()
    const { log } = this.#collections
    const wish = { name: log.name, embeddingFunction: null, configuration: { hnsw: { ...LOG_INDEX } } }
    const marked = { ...wish, metadata: { [OURS]: FORMAT } }
    await this.#requests.write(({ client }) => client.getOrCreateCollection(marked))
  }

  async #makeDatabase(): Promise<void> {
    const { place } = this.#requests
    const isThere = (): Promise<boolean> => this.#requests.read(({ signal }) => hasDatabase(place, signal))
    if (await isThere()) return
    try {
      const { database: name, tenant } = place
      await this.#requests.write(({ admin }) => admin.createDatabase({ name, tenant }))
    } catch (error) {
      if (!isKeepsakeError(error) || isUnreachable(error) || !['IO', 'INVALID'].includes(error.code)) throw error
      if (!(await isThere())) throw badDatabase(place, `it can't be made (${error.message})`, error)
    }
  }

  /** FOREIGN where it is somebody else's. Also an empty one: its owner may hold it by its id, and is about to fill it. */
  async #isThere(collection: ServerCollection, options?: CallOptions): Promise<boolean> {
    const facts = await collection.facts(options)
    if (facts && !isOurs(facts)) throw foreignCollection(addressOf(this.#requests.place), collection.name)
    return facts !== undefined
  }
}

function isOurs({ metadata }: CollectionFacts): boolean {
  return metadata[OURS] !== undefined
}
