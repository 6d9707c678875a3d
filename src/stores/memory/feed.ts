/** Every change with what it did, in order: the feed and the past of the store in RAM. */
import type { LoadedHistory } from '../../history/queries.ts'
import { normalizeOrigin, touchedBy } from '../../model/apply.ts'
import type { Entry, Scope } from '../../model/entry.ts'
import type { Batch, Change, Step } from '../../model/operation.ts'
import type { ChangeFeed, Cursor, History, Recorded } from '../../ports/store.ts'
import { deepFreeze } from './deep-freeze.ts'

export class MemoryFeed {
  #epoch = crypto.randomUUID()
  readonly #recorded: Recorded[] = []
  /** The number of the last change before the first that is kept. */
  #before = 0
  #last = 0
  #since: string | undefined
  #base: readonly Entry[] = []

  append(batch: Batch, steps: readonly Step[], at: string): Change {
    const change: Change = {
      number: ++this.#last,
      at,
      origin: normalizeOrigin(batch.origin),
      operations: steps.map((step) => step.operation),
      ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
    }
    this.#recorded.push(deepFreeze({ change, touched: touchedBy(steps) }))
    return change
  }

  /** A copy: what comes later is not part of what was asked for. */
  history(): LoadedHistory {
    const since = this.#since === undefined ? {} : { since: this.#since }
    return { ...since, entries: this.#base, changes: [...this.#recorded] }
  }

  /** Takes over the past of another store. `last`: the number of its last change. */
  adopt({ since, entries }: Pick<History, 'since' | 'entries'>, changes: readonly Recorded[], last: number): void {
    this.#epoch = crypto.randomUUID()
    this.#since = since
    this.#base = deepFreeze([...entries])
    for (const recorded of changes) this.#recorded.push(deepFreeze(recorded))
    this.#last = last
    this.#before = (changes[0]?.change.number ?? last + 1) - 1
  }

  get cursor(): Cursor {
    return { epoch: this.#epoch, number: this.#last }
  }

  /**
   * The last change is the purge. All numbers stay, so that the feed has no gap; what the changes did to these entries is removed, and
   * readers start over.
   */
  purge(ids: ReadonlySet<string>, purged: readonly Scope[]): void {
    this.#epoch = crypto.randomUUID()
    this.#base = this.#base.filter(({ id }) => !ids.has(id))
    for (const [index, { change, touched }] of this.#recorded.entries()) {
      const operations = change.operations.filter(({ id }) => id === undefined || !ids.has(id))
      this.#recorded[index] = deepFreeze({
        change: { ...change, operations, ...(change.number === this.#last ? { purged } : {}) },
        touched: touched.filter(({ id }) => !ids.has(id)),
      })
    }
  }

  read(since: Cursor | 'now' | undefined): ChangeFeed {
    const { cursor } = this
    if (since === 'now') return { changes: [], cursor, restarted: false, edits: [], problems: [] }
    const restarted =
      since !== undefined &&
      (since.epoch !== cursor.epoch || since.number > cursor.number || since.number < this.#before)
    const from = since === undefined || restarted ? this.#before : since.number
    const changes = this.#recorded.map(({ change }) => change).filter(({ number }) => number > from)
    return { changes, cursor, restarted, edits: [], problems: [] }
  }
}
