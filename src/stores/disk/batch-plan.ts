/** One turn's plan: batches see what the ones before them did, and each adds the change that the log will get. Writes nothing. */
import type { ChangeRecord } from '../../codec/change-record.ts'
import { type ApplyContext, applyBatch, lastStates, namedEntries, normalizeOrigin } from '../../model/apply.ts'
import { Draft, type StateView } from '../../model/draft.ts'
import type { Entry } from '../../model/entry.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import type { SeqCounter } from '../../model/seq.ts'
import type { Settings } from '../../ports/store.ts'
import { beyondOperation } from './head-change.ts'
import { refuseOtherScope } from './pinned-settings.ts'

export interface PlannedBatch {
  readonly entries: readonly Entry[]
  readonly change: ChangeRecord | undefined
}

/** What the batches come upon. */
export interface PlanBase {
  readonly view: StateView
  readonly settings: Settings
  readonly seqs: SeqCounter
  /** Of the last change. */
  readonly number: number
}

export class BatchPlan {
  readonly #settings: Settings
  readonly #draft: Draft
  readonly #context: Omit<ApplyContext, 'seqs'>
  #seqs: SeqCounter
  readonly #last: number
  readonly changes: ChangeRecord[] = []

  constructor(base: PlanBase, context: Pick<ApplyContext, 'now' | 'newId'>) {
    this.#settings = base.settings
    this.#draft = new Draft(base.view)
    this.#context = { ...context, zone: base.settings.timezone }
    this.#seqs = base.seqs
    this.#last = base.number
  }

  add(batch: Batch, expect: Expect | undefined): PlannedBatch {
    const draft = new Draft(this.#draft)
    // One that is refused leaves no trace in those after it.
    const seqs = this.#seqs.fork()
    const steps = applyBatch(draft, batch, { ...this.#context, seqs }, expect)
    for (const { before, after } of steps) if (!before && after) refuseOtherScope(this.#settings, after.scope)
    if (steps.length === 0) return { entries: namedEntries(batch, this.#draft), change: undefined }
    const change: ChangeRecord = {
      number: this.#last + this.changes.length + 1,
      at: this.#context.now,
      origin: normalizeOrigin(batch.origin),
      operations: steps.map(({ operation }) => operation),
      ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
      set: steps.map(({ before, operation, after }) => (after ? beyondOperation(before, operation, after) : {})),
    }
    this.changes.push(change)
    this.#seqs = seqs
    for (const { before, after } of steps) this.#draft.put((after ?? before)?.id ?? '', after)
    return { entries: lastStates(steps), change }
  }
}
