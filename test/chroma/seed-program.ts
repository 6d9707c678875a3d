/** What the seed's program does with its collection, by the requests that its Python client sends. */
import type { ServerPlace } from '../../src/model/server-address.ts'

export class SeedProgram {
  readonly #collections: string
  #id: string | undefined

  constructor({ url, tenant, database }: ServerPlace) {
    this.#collections = `${url}/api/v2/tenants/${tenant}/databases/${database}/collections`
  }

  /** `MemoryManager.store`: the type and the time, then the caller's own metadata over them. */
  async store(
    id: string,
    content: string,
    metadata: object,
    vector: readonly number[] = unit(id.length),
  ): Promise<void> {
    await this.#send('add', { ids: [id], documents: [content], metadatas: [metadata], embeddings: [vector] })
  }

  /** `collection.get(where=…)`. */
  async get(where?: object): Promise<{ ids: string[]; documents: string[]; metadatas: Record<string, unknown>[] }> {
    return this.#send('get', { ...(where ? { where } : {}), include: ['documents', 'metadatas'] })
  }

  async forget(id: string): Promise<void> {
    await this.#send('delete', { ids: [id] })
  }

  async #send<T>(verb: string, body: object): Promise<T> {
    this.#id ??= (
      await post<{ id: string }>(this.#collections, {
        name: 'memories',
        metadata: { 'hnsw:space': 'cosine' },
        get_or_create: true,
      })
    ).id
    return post(`${this.#collections}/${this.#id}/${verb}`, body)
  }
}

/** A vector of the seed's dimension that points along one axis. */
export function unit(axis: number): number[] {
  return Array.from({ length: 384 }, (_, n) => (n === axis ? 1 : 0))
}

async function post<T>(url: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`)
  return answer.json() as Promise<T>
}
