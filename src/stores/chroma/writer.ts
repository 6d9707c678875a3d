/**
 * Writing: plan on the newest state, append one record to the log, acknowledge. Callers queue; all batches that wait are planned
 * together and become one record. Other processes do the same at the same time: who loses a position catches up and plans again.
 * Invariants: nothing is acknowledged before its record has won its position; nothing is planned on a state that is not the one right
 * before that position; who is refused is refused alone, and for what is there when the others' record is. The first change makes the memory.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError } from '../../errors.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Applied, ApplyOptions, CallOptions, Settings } from '../../ports/store.ts'
import { BatchPlan, type PlanBase, type PlannedBatch } from '../disk/batch-plan.ts'
import { type Settle, TurnQueue } from '../disk/turn-queue.ts'
import { MemoryState } from '../memory/state.ts'
import { changesLog, encodeLog, type LogText } from './changes-log.ts'
import { changeOf } from './followed-memory.ts'
import { type Followed, type Ground, missingMemory, type Replica } from './replica.ts'
import { addRoot, newRoot } from './root.ts'
import { ServerClock } from './server-clock.ts'

export interface WriterOptions {
  readonly newId: (ms: number) => string
  /** What a new memory is made with. */
  readonly settings: () => Settings
  /** Called after each record, when whoever waited for it was told. */
  readonly wrote: () => void
}

/** What is to be appended behind this state; `undefined`: nothing. Called again where another was faster, so it only plans. */
export type PlanRecord = (followed: Followed) => LogText | undefined

interface BatchJob extends Settle<Applied> {
  readonly batch: Batch
  readonly expect: Expect | undefined
}

interface OtherJob extends Settle<never> {
  readonly run: () => Promise<void>
}

/** What a plan comes to for one who waits. */
type Outcome = { readonly job: BatchJob } & ({ readonly result: PlannedBatch } | { readonly error: unknown })

/** A record is read whole: so many batches become one at most, and no more once they are so long together. */
const MOST_BATCHES = 200
const MOST_CHARACTERS = 1_000_000
/** Who has lost for so long is told: the others are too many, and nothing was written. */
const PATIENCE_MS = 30_000
const FIRST_WAIT_MS = 8
const LONGEST_WAIT_MS = 250

export class Writer {
  readonly #ground: Ground
  readonly #replica: Replica
  readonly #options: WriterOptions
  readonly #serverClock: ServerClock
  readonly #queue: TurnQueue<BatchJob | OtherJob>

  constructor(ground: Ground, replica: Replica, options: WriterOptions) {
    this.#ground = ground
    this.#replica = replica
    this.#options = options
    this.#serverClock = new ServerClock(ground)
    this.#queue = new TurnQueue(() => this.#serve())
  }

  apply(batch: Batch, { expect, signal }: ApplyOptions = {}): Promise<Applied> {
    return this.#queue.wait(signal, (settle) => ({ batch, expect, ...settle }))
  }

  /** In turn with the batches. The position of the record, or of the last one where nothing was to be appended. */
  appendRecord(plan: PlanRecord, { signal }: CallOptions = {}): Promise<number> {
    return this.#queue.wait<number>(signal, (settle) => ({
      run: async () => settle.resolve(await this.#append(plan)),
      ...settle,
    }))
  }

  /** Makes the memory where there is none. */
  async begin(options: CallOptions = {}): Promise<Followed> {
    const there = await this.#replica.catchUp(options)
    if (there) return there
    const { connection, log, clock, address } = this.#ground
    await connection.prepare(options)
    await addRoot(log, newRoot(this.#options.settings(), clock()), options)
    const made = await this.#replica.catchUp(options)
    if (!made) throw missingMemory(address)
    return made
  }

  idle(): Promise<void> {
    return this.#queue.idle()
  }

  /** What is queued up to whoever needs a turn alone, or that one. */
  async #serve(): Promise<void> {
    let [count, characters] = [0, 0]
    const jobs = this.#queue.take((job) => {
      if (!('batch' in job) || count === MOST_BATCHES || characters > MOST_CHARACTERS) return false
      count++
      characters += lengthOf(job.batch)
      return true
    }) as BatchJob[] // all are
    if (jobs.length > 0) await this.#applyAll(jobs)
    else {
      const job = this.#queue.takeOne()
      if (job && 'run' in job) await job.run().catch((error) => job.reject(error))
    }
    this.#options.wrote()
  }

  async #applyAll(jobs: readonly BatchJob[]): Promise<void> {
    // Of the last plan: what was refused in one that came to nothing may have been refused for nothing.
    let outcomes: readonly Outcome[] = []
    const plan = (base: PlanBase): LogText | undefined => {
      const { clock } = this.#ground
      const nowMs = clock()
      const batches = new BatchPlan(base, { now: instant(nowMs), newId: () => this.#options.newId(nowMs) })
      outcomes = jobs.map((job) => planned(batches, job))
      return batches.changes.length > 0 ? { changes: batches.changes } : undefined
    }
    try {
      // The time is asked for on the same way, so that who writes once does not wait for it.
      const [there] = await Promise.all([this.#replica.catchUp(), this.#serverClock.now()])
      // What changes nothing makes no memory either.
      const isNeeded = there !== undefined || plan(this.#nothingYet()) !== undefined
      if (isNeeded) await this.#append((followed) => plan(planBase(followed)), there)
    } catch (error) {
      for (const job of jobs) job.reject(error)
      return
    }
    for (const outcome of outcomes) settle(outcome)
  }

  #nothingYet(): PlanBase {
    const view = new MemoryState()
    return { view, settings: this.#options.settings(), seqs: view.seqs(), number: 0 }
  }

  /** `there`: as it was just seen. */
  async #append(plan: PlanRecord, there?: Followed): Promise<number> {
    const begun = performance.now()
    const serverAt = instant(await this.#serverClock.now())
    let followed = there ?? (await this.begin())
    for (let losses = 0; ; losses++) {
      const { generation } = followed
      const position = followed.position + 1
      const logText = plan(followed)
      if (!logText) return followed.position
      const [text, tag] = [encodeLog(behind(followed, { serverAt, ...logText })), crypto.randomUUID()]
      const outcome = await changesLog(this.#ground.log, generation).append(position, text, { tag })
      if (outcome === 'won') {
        this.#replica.take(generation, { position, tag, text })
        return position
      }
      if (performance.now() - begun > PATIENCE_MS) throw outrun(this.#ground.address)
      await sleep(Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** losses))
      followed = await this.begin()
    }
  }
}

function planned(plan: BatchPlan, job: BatchJob): Outcome {
  try {
    return { job, result: plan.add(job.batch, job.expect) }
  } catch (error) {
    return { job, error }
  }
}

function settle(outcome: Outcome): void {
  const { job } = outcome
  if ('error' in outcome) job.reject(outcome.error)
  else {
    const { change, entries } = outcome.result
    job.resolve({ ...(change ? { change: changeOf(change) } : {}), entries, warnings: [] })
  }
}

function lengthOf({ operations }: Batch): number {
  return operations.reduce((sum, operation) => sum + ('content' in operation ? (operation.content?.length ?? 0) : 0), 0)
}

function planBase({ state, settings, number }: Followed): PlanBase {
  return { view: state, settings, seqs: state.seqs(), number }
}

function behind({ tag }: Followed, text: LogText): LogText {
  return tag === undefined ? text : { after: tag, ...text }
}

function outrun(address: string): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `other writers to ${address} were faster for ${PATIENCE_MS / 1000} s`, {
    hint: 'Nothing was written. Try again, or write less often from so many places.',
    data: { address },
  })
}
