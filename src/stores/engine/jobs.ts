/** Writes that wait for a transaction, and the transaction they share. No write is acknowledged before COMMIT. */
import type { Job, OnCommit, Sql } from './sql.ts'

const MAX_JOBS = 64
const MAX_BYTES = 4 * 1024 * 1024

export type QueuedJob = Job & { readonly queuedAt: number }

export class JobQueue {
  readonly #jobs: QueuedJob[] = []
  readonly #turn: () => Promise<void>
  #draining: Promise<void> | undefined

  /** `turn`: dequeues and runs jobs; called until none are left. It never throws. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0
  }

  add(job: Job): void {
    this.#jobs.push({ ...job, queuedAt: performance.now() })
    this.#draining ??= this.#drain()
  }

  /** The jobs of one transaction. */
  dequeue(): QueuedJob[] {
    let [count, bytes] = [0, 0]
    for (const job of this.#jobs) {
      bytes += job.bytes
      if (count === MAX_JOBS || (count > 0 && bytes > MAX_BYTES)) break
      count++
    }
    return this.#jobs.splice(0, count)
  }

  /** Rejects waiting jobs with the error, or with the reason of their signal. */
  rejectIf(shouldReject: (job: QueuedJob) => boolean | undefined, error?: unknown): void {
    for (const job of this.#jobs.splice(0)) {
      if (shouldReject(job)) job.reject(error ?? job.signal?.reason)
      else this.#jobs.push(job)
    }
  }

  async waitUntilEmpty(): Promise<void> {
    while (this.#draining) await this.#draining
  }

  async #drain(): Promise<void> {
    while (!this.isEmpty) {
      // Jobs queued in the same tick share a transaction; timers and sockets get a turn between transactions.
      await new Promise((resolve) => setImmediate(resolve))
      await this.#turn()
    }
    this.#draining = undefined
  }
}

export interface JobTransaction extends Sql {
  exec(statement: string): void
  /** The error of a statement that failed; then the transaction can't continue. */
  readonly failure: unknown
  /** Statements so far that write. Missing: savepoints cost so little that each job has one. */
  readonly writeCount?: number
  /** Waits until every statement so far was executed. Missing: they are executed at once. */
  waitForAnswers?(): Promise<void>
}

/** A job failed after it had written, and had no savepoint: run all of them again in a new transaction, with savepoints. */
export class MissingSavepointError extends Error {}

/** In a shared transaction each job can have a savepoint, so that one can fail alone. A single job that fails rolls the transaction back. */
export async function runJobs(
  transaction: JobTransaction,
  jobs: readonly Job[],
  { toError, hasSavepoints }: { readonly toError: (error: unknown) => unknown; readonly hasSavepoints: boolean },
): Promise<OnCommit[]> {
  const callbacks: OnCommit[] = []
  const isShared = jobs.length > 1
  const isMarked = isShared && hasSavepoints
  for (const job of jobs) {
    if (isMarked) transaction.exec('SAVEPOINT job')
    const before = transaction.writeCount
    try {
      callbacks.push(await job.run(transaction))
    } catch (error) {
      // In a failed transaction, ROLLBACK TO would find the savepoint of an earlier job, and the others would be lost.
      await transaction.waitForAnswers?.()
      if (transaction.failure !== undefined) throw transaction.failure
      const hasWritten = before === undefined || transaction.writeCount !== before
      if (isShared && !isMarked && hasWritten) throw new MissingSavepointError()
      if (isMarked || !isShared) transaction.exec(isMarked ? 'ROLLBACK TO job' : 'ROLLBACK')
      if (hasWritten) transaction.counters &&= undefined
      callbacks.push(() => job.reject(toError(error)))
    }
    if (isMarked) transaction.exec('RELEASE job')
  }
  return callbacks
}
