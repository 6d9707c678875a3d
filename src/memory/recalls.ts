/**
 * How often entries were given to an agent by a recall: what people want to know before they tidy up. Kept by servers, now and then, among what
 * may be lost: it costs no recall anything, and a memory without it answers the same. Several servers add up what each of them counted.
 */
import { isKeepsakeError } from '../errors.ts'
import { instant } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

export interface Recalls {
  /** From when on they are counted; missing: nobody has counted any. */
  readonly since?: string
  /** By id. */
  readonly counts: ReadonlyMap<string, number>
}

const KEY = 'recalls'
const VERSION = 1

export async function savedRecalls({ derived }: Pick<Store, 'derived'>): Promise<Recalls> {
  const bytes = await derived.read(KEY)
  return (bytes && parsed(new TextDecoder().decode(bytes))) ?? { counts: new Map() }
}

export class RecallTally {
  readonly #store: Store
  readonly #clock: Clock
  #counted = new Map<string, number>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  count(ids: readonly string[]): void {
    for (const id of ids) this.#counted.set(id, (this.#counted.get(id) ?? 0) + 1)
  }

  /** Adds what was counted to what is saved. What can't be saved now is saved with the next; it is never worth an error. */
  async save(): Promise<void> {
    if (this.#counted.size === 0) return
    try {
      const lease = await this.#store.lease(KEY)
      if (!lease) return
      try {
        await this.#add()
      } finally {
        await lease.release()
      }
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
    }
  }

  async #add(): Promise<void> {
    const counted = this.#counted
    const { since = instant(this.#clock()), counts } = await savedRecalls(this.#store)
    const sums = new Map(counts)
    for (const [id, count] of counted) sums.set(id, (sums.get(id) ?? 0) + count)
    const text = JSON.stringify({ version: VERSION, since, counts: Object.fromEntries(sums) })
    this.#counted = new Map()
    if (await this.#store.derived.write(KEY, new TextEncoder().encode(text))) return
    for (const [id, count] of counted) this.#counted.set(id, (this.#counted.get(id) ?? 0) + count)
  }
}

/** `undefined`: it is none of ours, or of another version; then counting begins anew. */
function parsed(text: string): Recalls | undefined {
  try {
    const { version, since, counts } = JSON.parse(text)
    if (version !== VERSION || typeof since !== 'string') return undefined
    return { since, counts: new Map(Object.entries<number>(counts)) }
  } catch {
    return undefined
  }
}
