/**
 * Writing, as DESIGN section 6 has it: lock, look, journal, sync, files, acknowledge. Callers queue; whoever is in the
 * queue when the lock is taken shares one turn and one sync.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import type { Batch, Change, Expect } from '../../model/operation.ts'
import type { Applied, ApplyOptions, Settings } from '../../ports/store.ts'
import { acquireLock, type HeldLock } from '../disk/lock.ts'
import { statFile, TICK_MS } from '../disk/reading.ts'
import { planHandEdits } from './absorb.ts'
import { noteHeldBack, withoutBulkRemovals } from './bulk-removal.ts'
import { Committer, type Making } from './committer.ts'
import type { HandEdit } from './hand-edit.ts'
import { changeOf } from './past/change-feed.ts'
import { type PlannedBatch, planBatch } from './plan.ts'
import { Preparation } from './preparation.ts'
import { survey } from './survey.ts'
import { addRecord } from './turn-plan.ts'
import type { Workspace } from './workspace.ts'

export interface WriterOptions extends Making {
  readonly lockWaitMs: number
  /** Finishes what a crash interrupted and only whoever began it knows how to; called once, under the lock. */
  readonly mend: (writer: Writer) => Promise<void>
  /** Called after this process has created the workspace, before anything else is written to it. */
  readonly onCreated?: ((settings: Settings) => void) | undefined
}

interface BatchJob {
  readonly batch: Batch
  readonly expect: Expect | undefined
  readonly signal: AbortSignal | undefined
  readonly resolve: (applied: Applied) => void
  readonly reject: (error: unknown) => void
}

const MANY_UNSIGNED = 32

export class Writer {
  readonly #workspace: Workspace
  readonly #options: WriterOptions
  #queue: BatchJob[] = []
  #running: Promise<void> = Promise.resolve()
  #busy = false
  readonly #committer: Committer
  readonly #preparation: Preparation

  constructor(workspace: Workspace, options: WriterOptions) {
    this.#workspace = workspace
    this.#options = options
    this.#committer = new Committer(workspace, options)
    this.#preparation = new Preparation(workspace, this.#committer, options)
  }

  apply(batch: Batch, { expect, signal }: ApplyOptions = {}): Promise<Applied> {
    return new Promise((resolve, reject) => {
      const leave = (): void => this.#leave(job)
      const done = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          signal?.removeEventListener('abort', leave)
          settle(value)
        }
      }
      const job: BatchJob = { batch, expect, signal, resolve: done(resolve), reject: done(reject) }
      this.#queue.push(job)
      // Whoever gives up while others are served, or while the lock is held elsewhere, need not wait for a turn.
      signal?.addEventListener('abort', leave)
      if (this.#busy) return
      this.#busy = true
      this.#running = this.#drain()
    })
  }

  #leave(job: BatchJob): void {
    const place = this.#queue.indexOf(job)
    if (place === -1) return
    this.#queue.splice(place, 1)
    job.reject(job.signal?.reason)
  }

  /** Runs something else that needs the lock, after what is queued. */
  async exclusively<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    while (this.#busy) await this.#running
    this.#busy = true
    const work = this.#withLock(async () => run(), signal)
    this.#running = work.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await work
    } finally {
      this.#busy = false
      if (this.#queue.length > 0) {
        this.#busy = true
        this.#running = this.#drain()
      }
    }
  }

  /** A batch by whoever holds the lock already (see exclusively). */
  async applyHeld(batch: Batch & Pick<Change, 'purged'>): Promise<void> {
    for (let waits = true; waits; ) {
      const plan = this.#committer.newPlan()
      waits = planBatch(plan, batch, undefined) === 'later'
      if (batch.operations.length === 0) addRecord(plan, { ...batch, reverts: undefined, steps: [], files: [] })
      if (plan.records.length > 0) await this.#committer.commit(plan.records)
    }
  }

  /** Journals some edits by hand, by whoever holds the lock already. */
  async absorbHeld(isMeant: (edit: HandEdit) => boolean): Promise<void> {
    const plan = this.#committer.newPlan()
    planHandEdits(plan, survey(this.#workspace).edits.filter(isMeant))
    if (plan.records.length > 0) await this.#committer.commit(plan.records)
  }

  /**
   * So that every segment but a new, empty one is closed, no text is left lying aside, and whoever follows the feed starts
   * over. Only for the holder of the lock.
   */
  async startOver(): Promise<void> {
    const { state, swap } = this.#workspace
    if (!state) return
    this.#committer.files.displaced.push(...swap.leftByOthers(true))
    await this.#committer.journalDisplaced()
    await this.#preparation.startEpochFromHere()
  }

  async idle(): Promise<void> {
    while (this.#busy) await this.#running
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      let jobs: BatchJob[] = []
      try {
        await this.#withLock(async () => {
          jobs = this.#queue.splice(0)
          await this.#turn(jobs)
        })
      } catch (error) {
        // The lock or the mending before the turn failed: nobody was served.
        if (jobs.length === 0) jobs = this.#queue.splice(0)
        for (const job of jobs) job.reject(error)
      }
    }
    this.#busy = false
  }

  async #withLock<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { stateFolder } = this.#workspace
    if (statFile(stateFolder)?.isSymbolicLink()) {
      throw new ForeignError(stateFolder, 'it is a link; nothing is written through links')
    }
    const lock: HeldLock = await acquireLock(join(stateFolder, 'lock'), this.#options.lockWaitMs, signal)
    // Until we have mended what was left to us, it is as it was left.
    let inOrder = !lock.inherited
    try {
      const times = await this.#preparation.prepare(lock)
      if (times === 'first') await this.#options.mend(this)
      inOrder = true
      return await run()
    } finally {
      lock.release(inOrder && this.#workspace.catalog.unproved.size === 0 ? 'done' : 'undone')
    }
  }

  /** Journals what hands did anywhere in the folder. Removals in bulk wait until someone says that they were meant. Warnings. */
  async absorb(acceptRemovals: boolean, signal?: AbortSignal): Promise<string[]> {
    return this.exclusively(async () => {
      this.#committer.files.displaced.push(...this.#workspace.swap.leftByOthers())
      await this.#committer.journalDisplaced()
      const { edits } = survey(this.#workspace)
      const sifted = acceptRemovals ? { edits, heldBack: [] } : withoutBulkRemovals(this.#workspace, edits)
      noteHeldBack(this.#workspace, sifted.heldBack)
      const plan = this.#committer.newPlan()
      planHandEdits(plan, sifted.edits)
      if (plan.records.length > 0) await this.#committer.commit(plan.records)
      return this.#preparation.warnings.splice(0)
    }, signal)
  }

  async #turn(jobs: readonly BatchJob[]): Promise<void> {
    const plan = this.#committer.newPlan()
    const planned: { readonly job: BatchJob; readonly result: PlannedBatch }[] = []
    for (const [index, job] of jobs.entries()) {
      try {
        job.signal?.throwIfAborted()
        const result = planBatch(plan, job.batch, job.expect)
        if (result === 'later') {
          this.#queue.unshift(...jobs.slice(index))
          break
        }
        planned.push({ job, result })
      } catch (error) {
        job.reject(error)
      }
    }
    this.#committer.signFiles(plan)
    let warnings: readonly string[] = []
    try {
      if (plan.records.length > 0) warnings = await this.#committer.commit(plan.records)
    } catch (error) {
      for (const { job } of planned) job.reject(error)
      return
    }
    if (planned.length > 0) warnings = [...this.#preparation.warnings.splice(0), ...warnings]
    for (const { job, result } of planned) {
      job.resolve({
        ...(result.record ? { change: changeOf(result.record) } : {}),
        entries: result.entries,
        warnings: [...result.warnings, ...warnings],
      })
    }
    await this.#checkpointWhenDue()
  }

  /** A process that has written much leaves it in order, so that the next one need not look at every file. */
  async finish(): Promise<void> {
    await this.idle()
    if (!this.#preparation.isDone || this.#workspace.catalog.unsigned.size < MANY_UNSIGNED) return
    await sleep(TICK_MS + 1)
    try {
      await this.exclusively(() => this.#preparation.checkpointer.make())
    } catch (error) {
      if (!isKeepsakeError(error)) throw error // it was only to be faster for others
    }
  }

  async #checkpointWhenDue(): Promise<void> {
    if (!this.#preparation.checkpointer.isDue()) return
    try {
      await this.#preparation.checkpointer.make()
    } catch (error) {
      // What was acknowledged is in the journal; the checkpoint is tried again with the next write.
      if (!isKeepsakeError(error)) throw error
    }
  }

  close(): void {
    this.#workspace.journal.close()
  }
}
