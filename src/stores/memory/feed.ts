/** Every change with what it did, in order: the feed and the past of the store in RAM. */
import { normalizeOrigin } from '../../model/apply.ts'
import type { Batch, Change, Step } from '../../model/operation.ts'
import type { ChangeFeed, Cursor, History, Recorded, Touched } from '../../ports/store.ts'
import { deepFreeze } from './deep-freeze.ts'

export class MemoryFeed {
  #epoch = crypto.randomUUID()
  readonly #recorded: Recorded[] = []

  append(batch: Batch, steps: readonly Step[], at: string): Change {
    const change: Change = {
      number: this.#recorded.length + 1,
      at,
      origin: normalizeOrigin(batch.origin),
      operations: steps.map((step) => step.operation),
      ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
    }
    this.#recorded.push(deepFreeze({ change, touched: touchedBy(steps) }))
    return change
  }

  /** A copy: what comes later is not part of what was asked for. */
  history(): History {
    return { entries: [], changes: [...this.#recorded] }
  }

  get epoch(): string {
    return this.#epoch
  }

  /** The numbers stay, so that the feed has no gap; what they did to these entries is gone, and who has read it starts over. */
  purge(ids: ReadonlySet<string>): void {
    this.#epoch = crypto.randomUUID()
    for (const [index, { change, touched }] of this.#recorded.entries()) {
      const operations = change.operations.filter(({ id }) => id === undefined || !ids.has(id))
      this.#recorded[index] = deepFreeze({
        change: { ...change, operations },
        touched: touched.filter(({ id }) => !ids.has(id)),
      })
    }
  }

  read(since: Cursor | 'now' | undefined): ChangeFeed {
    const last = this.#recorded.length
    if (since === 'now')
      return { changes: [], cursor: { epoch: this.#epoch, number: last }, restarted: false, edits: [], problems: [] }
    const restarted = since !== undefined && (since.epoch !== this.#epoch || since.number > last)
    const from = since === undefined || restarted ? 0 : since.number
    const changes = this.#recorded.slice(from).map(({ change }) => change)
    return { changes, cursor: { epoch: this.#epoch, number: last }, restarted, edits: [], problems: [] }
  }
}

/** Each entry once: as it was before the first step that touched it, and after the last. */
function touchedBy(steps: readonly Step[]): Touched[] {
  const touched = new Map<string, Touched>()
  for (const { before, after } of steps) {
    const id = (after ?? before)?.id ?? ''
    const first = touched.has(id) ? touched.get(id)?.before : before
    touched.set(id, { id, ...(first ? { before: first } : {}), ...(after ? { after } : {}) })
  }
  return [...touched.values()]
}
