/**
 * A shelf for who writes much where nobody reads yet: what is added is gathered and sent in large requests, several at a time, in any
 * order. It knows what was written through it, so that in the end it can be proved that the server has all of it. Whatever is read, or removed, is
 * asked for when everything before is there.
 */
import type { CallOptions } from '../../../ports/store.ts'
import type { Shelf, ShelfRecord, Where } from '../server/shelf.ts'

/** As many as the smallest server takes in one request, and not so much that it is busy for long. */
const MOST_RECORDS = 300
const MOST_LETTERS = 2_000_000
const MOST_AT_ONCE = 4

export class GatheringShelf implements Shelf {
  readonly #shelf: Shelf
  readonly #options: CallOptions
  readonly #sending = new Set<Promise<void>>()
  /** Of what was written and not removed again. */
  readonly ids: Set<string> = new Set()
  #gathered: ShelfRecord[] = []
  #letters = 0
  #failure: { readonly error: unknown } | undefined

  constructor(shelf: Shelf, options: CallOptions) {
    this.#shelf = shelf
    this.#options = options
  }

  /** Sent when there is enough of it. What fails is told at the next call. */
  async add(records: readonly ShelfRecord[]): Promise<void> {
    for (const record of records) {
      if (this.#gathered.length === MOST_RECORDS || this.#letters > MOST_LETTERS) await this.#send()
      this.#gathered.push(record)
      this.#letters += record.text.length
      this.ids.add(record.id)
    }
  }

  /** Every id is written once, so that nothing is there that it could take the place of. */
  put(records: readonly ShelfRecord[]): Promise<void> {
    return this.add(records)
  }

  async remove(ids: readonly string[], options?: CallOptions): Promise<void> {
    await this.flush()
    await this.#shelf.remove(ids, options)
    for (const id of ids) this.ids.delete(id)
  }

  async get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, ShelfRecord>> {
    await this.flush()
    return this.#shelf.get(ids, options)
  }

  async find(where: Where, options?: CallOptions): Promise<readonly ShelfRecord[]> {
    await this.flush()
    return this.#shelf.find(where, options)
  }

  async findIds(where: Where, options?: CallOptions): Promise<readonly string[]> {
    await this.flush()
    return this.#shelf.findIds(where, options)
  }

  /** Everything is there when it returns. */
  async flush(): Promise<void> {
    await this.#send()
    await Promise.all(this.#sending)
    this.#refuseAfterFailure()
  }

  async #send(): Promise<void> {
    while (this.#sending.size >= MOST_AT_ONCE) await Promise.race(this.#sending)
    this.#refuseAfterFailure()
    const records = this.#gathered
    this.#gathered = []
    this.#letters = 0
    if (records.length === 0) return
    const sent = this.#shelf
      .add(records, this.#options)
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#sending.delete(sent))
    this.#sending.add(sent)
  }

  #refuseAfterFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
