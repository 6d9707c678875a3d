/**
 * One collection of a server by its name. Others may remove it and make it anew at any time, so what is known of it is looked up again
 * when the server does not know it any more. Reading where there is none is no error.
 */
import type { Collection } from 'chromadb'
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { Line, Requests } from './requests.ts'
import { type CollectionFacts, collectionFacts } from './server-facts.ts'

export class ServerCollection {
  readonly name: string
  readonly requests: Requests
  #id: string | undefined

  constructor(requests: Requests, name: string) {
    this.requests = requests
    this.name = name
  }

  /** As the server says it now. */
  async facts(options?: CallOptions): Promise<CollectionFacts | undefined> {
    const { place } = this.requests
    const facts = await this.requests.read(({ signal }) => collectionFacts(place, this.name, signal), options)
    this.#id = facts?.id
    return facts
  }

  /** `none` where there is no such collection. */
  async read<T>(none: T, run: (records: Collection) => Promise<T>, options?: CallOptions): Promise<T> {
    const found = await this.#withId((id) => this.requests.read(on(id, run), options), options)
    return found === undefined ? none : found.value
  }

  /** Whether there was such a collection to write to. */
  async write(run: (records: Collection) => Promise<unknown>, options?: CallOptions): Promise<boolean> {
    return (await this.#withId((id) => this.requests.write(on(id, run), options), options)) !== undefined
  }

  /** What the server does not know was not done, so it may be tried again. */
  async #withId<T>(
    run: (id: string) => Promise<T>,
    options: CallOptions | undefined,
  ): Promise<{ readonly value: T } | undefined> {
    const known = this.#id
    const id = known ?? (await this.facts(options))?.id
    if (id === undefined) return undefined
    try {
      return { value: await run(id) }
    } catch (error) {
      if (!(isKeepsakeError(error) && error.code === 'NOT_FOUND')) throw error
      const now = (await this.facts(options))?.id
      return now === undefined ? undefined : { value: await run(now) }
    }
  }
}

function on<T>(id: string, run: (records: Collection) => Promise<T>): (line: Line) => Promise<T> {
  return ({ client }) => run(client.collection(id))
}
