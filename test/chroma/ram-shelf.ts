/**
 * A shelf in RAM with the promises and the limits of the real one, for tests of everything above it. Calls can be held up, fail before or
 * after they took effect, or take effect long after whoever made them was told that they failed. Several shelves may stand for
 * the clients of one server: each has its own troubles, and all have the same records.
 * A request holds as many records as the smallest server takes, and is done whole or not at all; a call of several may be done in part.
 */
import { KeepsakeError } from '../../src/errors.ts'
import type { CallOptions } from '../../src/ports/store.ts'
import {
  type Label,
  RECORD_BYTES,
  type Shelf,
  type ShelfRecord,
  type Where,
} from '../../src/stores/chroma/server/shelf.ts'

/** One request, as the server gets it. */
export interface Request {
  readonly name: 'add' | 'put' | 'get' | 'find' | 'findIds' | 'remove'
  /** None where records are asked for by their labels. */
  readonly ids: readonly string[]
}

/** What happens to a request on its way. All may throw what the caller is to get, and may keep it waiting. */
export interface Troubles {
  /** Before it takes effect: when this throws, it never does. */
  before?(request: Request): Promise<void> | void
  /** After it took effect: when this throws, the caller does not know. */
  after?(request: Request): Promise<void> | void
  /** When this gives a promise, the caller is told at once that the outcome is unknown, and it takes effect once the promise is kept. */
  late?(request: Request): Promise<void> | undefined
}

const REQUEST_RECORDS = 300
const ID_BYTES = 120
const LABEL_LETTERS = 20
const LABEL_BYTES = 200

export class RamShelf implements Shelf {
  /** What the server holds. */
  readonly records: Map<string, ShelfRecord>
  troubles: Troubles

  constructor(records: Map<string, ShelfRecord> = new Map(), troubles: Troubles = {}) {
    this.records = records
    this.troubles = troubles
  }

  /** Another client of the same server. */
  another(troubles: Troubles = {}): RamShelf {
    return new RamShelf(this.records, troubles)
  }

  async add(records: readonly ShelfRecord[], options?: CallOptions): Promise<void> {
    await this.#write('add', records, options, (record) => {
      if (!this.records.has(record.id)) this.records.set(record.id, record)
    })
  }

  async put(records: readonly ShelfRecord[], options?: CallOptions): Promise<void> {
    await this.#write('put', records, options, (record) => {
      const labels = { ...this.records.get(record.id)?.labels, ...record.labels }
      this.records.set(record.id, { ...record, labels })
    })
  }

  async remove(ids: readonly string[], options?: CallOptions): Promise<void> {
    for (const some of inRequests(ids))
      await this.#send({ name: 'remove', ids: some }, options, () => {
        for (const id of some) this.records.delete(id)
      })
  }

  async get(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, ShelfRecord>> {
    const found = new Map<string, ShelfRecord>()
    for (const some of inRequests(ids))
      await this.#send({ name: 'get', ids: some }, options, () => {
        for (const id of some) {
          const record = this.records.get(id)
          if (record) found.set(id, record)
        }
      })
    return found
  }

  find(where: Where, options?: CallOptions): Promise<readonly ShelfRecord[]> {
    return this.#matching('find', where, options)
  }

  async findIds(where: Where, options?: CallOptions): Promise<readonly string[]> {
    const found = await this.#matching('findIds', where, options)
    return found.map(({ id }) => id)
  }

  async #matching(name: 'find' | 'findIds', where: Where, options?: CallOptions): Promise<readonly ShelfRecord[]> {
    const wanted = Object.entries(where)
    let found: readonly ShelfRecord[] = []
    await this.#send({ name, ids: [] }, options, () => {
      found = [...this.records.values()].filter(({ labels }) =>
        wanted.every(([label, value]) => labels[label] === value),
      )
    })
    return found
  }

  async #write(
    name: 'add' | 'put',
    records: readonly ShelfRecord[],
    options: CallOptions | undefined,
    effect: (record: ShelfRecord) => void,
  ): Promise<void> {
    for (const record of records) refuseUnfit(record)
    refuseTwice(records)
    for (const some of inRequests(records)) {
      const copies = some.map((record) => ({ ...record, labels: { ...record.labels } }))
      await this.#send({ name, ids: some.map(({ id }) => id) }, options, () => copies.forEach(effect))
    }
  }

  async #send(request: Request, options: CallOptions | undefined, effect: () => void): Promise<void> {
    options?.signal?.throwIfAborted()
    const { troubles } = this
    const late = troubles.late?.(request)
    if (late) {
      void late.then(effect)
      throw noAnswer(request)
    }
    // The real one is never done at once either.
    await Promise.resolve()
    await troubles.before?.(request)
    effect()
    await Promise.resolve()
    await troubles.after?.(request)
  }
}

/** What the real shelf throws where the request may have been done: for `after`. */
export function noAnswer(request: Request): KeepsakeError {
  return new KeepsakeError('IO', `no answer to ${request.name} of ${request.ids[0] ?? 'labels'}`, {
    hint: 'Try again.',
    data: { unknown: true },
  })
}

/** What the real shelf throws where the request was certainly not done: for `before`. */
export function unreachable(request: Request): KeepsakeError {
  return new KeepsakeError('IO', `no server to ${request.name} ${request.ids[0] ?? 'labels'}`, { hint: 'Start it.' })
}

function inRequests<T>(all: readonly T[]): readonly (readonly T[])[] {
  const requests: (readonly T[])[] = []
  for (let at = 0; at < all.length; at += REQUEST_RECORDS) requests.push(all.slice(at, at + REQUEST_RECORDS))
  return requests
}

function refuseUnfit({ id, text, labels }: ShelfRecord): void {
  const size = Buffer.byteLength(text)
  if (id === '' || Buffer.byteLength(id) > ID_BYTES) throw new Error(`not an id that a server takes: ${id}`)
  if (size > RECORD_BYTES) throw new Error(`${id}: a text of ${size} bytes is longer than a record may be`)
  if (!text.isWellFormed()) throw new Error(`${id}: half of a character, which no server gives back`)
  for (const [label, value] of Object.entries(labels)) refuseUnfitLabel(id, label, value)
}

function refuseUnfitLabel(id: string, label: string, value: Label): void {
  if (label.length > LABEL_LETTERS) throw new Error(`${id}: the name of the label ${label} is too long`)
  const isFit = typeof value === 'string' ? Buffer.byteLength(value) <= LABEL_BYTES : Number.isFinite(value)
  if (!isFit) throw new Error(`${id}: the label ${label} is too long, or no number: ${value}`)
}

/** The real one refuses the whole request. */
function refuseTwice(records: readonly ShelfRecord[]): void {
  const ids = new Set<string>()
  for (const { id } of records) {
    if (ids.has(id)) throw new Error(`twice in one call: ${id}`)
    ids.add(id)
  }
}
