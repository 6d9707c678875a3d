/**
 * Writing to the file: lock, catch up, append, sync, acknowledge. Callers queue; whoever is in the queue when the lock is taken
 * shares one turn, one write and one sync. What makes a new file of it (a fold, a purge) comes to pass here too.
 * Invariants: nothing is acknowledged before it is synced; nothing is appended behind a frame that is not whole; a descriptor whose
 * sync failed is never used again, and the next turn begins with a fold.
 */
import { dirname, join } from 'node:path'
import { setImmediate as letOthersGo } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { joined } from '../../codec/one-file/bytes.ts'
import { encodeChange } from '../../codec/one-file/change.ts'
import { frameParts } from '../../codec/one-file/frame.ts'
import { isKeepsakeError, StorageError } from '../../errors.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Applied, ApplyOptions, Settings } from '../../ports/store.ts'
import { BatchPlan, type PlannedBatch } from '../disk/batch-plan.ts'
import { namesIn } from '../disk/list-folder.ts'
import { acquireLock, type HeldLock } from '../disk/lock.ts'
import { removeFile } from '../disk/system.ts'
import { type Settle, TurnQueue } from '../disk/turn-queue.ts'
import { Appender } from './appender.ts'
import { FolderSyncs } from './folder-syncs.ts'
import type { FileFollower, FollowedFile } from './follower.ts'
import { isTemporary, isUnfinishedMove } from './new-file.ts'
import { changeOf } from './past.ts'
import { planBase } from './reader.ts'
import type { RebuildOptions } from './rebuild.ts'
import { Replacing, type ReplacingOptions } from './replacing.ts'
import { refuseForeign } from './sidecar.ts'
import type { Turn, Turns } from './turn.ts'

export interface WriterOptions extends ReplacingOptions {
  readonly newId: (ms: number) => string
  readonly lockWaitMs: number
  /** Called after this process has created the file, before anything else is written to it. */
  readonly onCreated?: ((settings: Settings) => void) | undefined
}

/** What whoever has the lock may do, beside what sessions and derived bytes need. */
export interface FileTurn extends Turn {
  readonly state: FollowedFile
  /** Puts a new file in the place of this one: see rebuild.ts. */
  rebuild(options?: Partial<RebuildOptions>): Promise<number>
}

interface BatchJob extends Settle<Applied> {
  readonly batch: Batch
  readonly expect: Expect | undefined
}

type IsLeftOver = (name: string) => boolean

interface OtherJob extends Settle<never> {
  readonly run: (turn: FileTurn) => Promise<void>
}

const LEAST_TAIL_BYTES = 512 * 1024

export class FileWriter implements Turns {
  readonly #follower: FileFollower
  readonly #options: WriterOptions
  readonly #appender: Appender
  readonly #queue: TurnQueue<BatchJob | OtherJob>
  readonly #swept = new Set<IsLeftOver>()
  readonly #folders = new FolderSyncs()
  readonly #replacing: Replacing
  /** Not before the tail is as long as this: a fold that failed is not tried with every write. */
  #foldFrom = 0

  constructor(follower: FileFollower, options: WriterOptions) {
    this.#follower = follower
    this.#options = options
    this.#appender = new Appender(follower)
    this.#replacing = new Replacing(follower, options, this.#folders)
    this.#queue = new TurnQueue(() => this.#serveQueue())
  }

  apply(batch: Batch, { expect, signal }: ApplyOptions = {}): Promise<Applied> {
    return this.#queue.wait(signal, (settle) => ({ batch, expect, ...settle }))
  }

  /** Runs something else that needs the lock, after what is queued. */
  exclusively<T>(run: (turn: FileTurn) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.wait<T>(signal, (settle) => ({
      run: async (turn) => settle.resolve(await run(turn)),
      ...settle,
    }))
  }

  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async #serveQueue(): Promise<void> {
    await this.#withLock(async (lock) => {
      // What is written now is in the way of a move; and one that came to its end may have left a second name of the file.
      this.#sweep(isUnfinishedMove)
      const state = await this.#prepare(lock)
      await this.#serve(state, lock)
      await this.#foldWhenDue(lock)
    })
  }

  /** For what makes a file where none is: nothing is made or mended before. Not while others wait for a turn. */
  async withLock<T>(run: (lock: HeldLock) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.idle()
    return this.#withLock(async (lock) => {
      this.#folders.add(dirname(this.#follower.path))
      const result = await run(lock)
      await this.#folders.settle()
      return result
    }, signal)
  }

  async #withLock<T>(run: (lock: HeldLock) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { sidecar, lockWaitMs } = this.#options
    const folder = dirname(this.#follower.path)
    refuseForeign(sidecar)
    this.#folders.make(folder)
    const lock = await acquireLock(sidecar, lockWaitMs, signal)
    try {
      // Whoever had it before may have put a file in place, and not synced that.
      if (lock.leftOpen) this.#folders.add(folder)
      await this.#folders.settle()
      this.#sweep(isTemporary)
      return await run(lock)
    } finally {
      lock.release(this.#folders.areDue ? 'undone' : 'done')
    }
  }

  /** Once is enough: whoever crashes while we live is told by the lock, and what it left waits for the next process. */
  #sweep(isLeftOver: IsLeftOver): void {
    if (this.#swept.has(isLeftOver)) return
    const { sidecar } = this.#options
    for (const name of namesIn(sidecar)) if (isLeftOver(name)) removeFile(join(sidecar, name))
    this.#swept.add(isLeftOver)
  }

  /** The file as it is, whole and ready to be appended to. */
  async #prepare(lock: HeldLock): Promise<FollowedFile> {
    const state = this.#follower.catchUp() ?? (await this.#create())
    this.#appender.prepare(state, lock)
    // What was written and not acknowledged may not be on the disk, and a sync now would not tell. And behind a slot that can't be
    // read, a crash's rest could not be told from a damaged record.
    const isInOrder = state.keptEnd <= state.slot.end && state.problem === undefined
    if (isInOrder && !this.#appender.needsNewFile) return state
    await this.#rebuild(state, lock, {})
    return this.#current()
  }

  async #create(): Promise<FollowedFile> {
    const state = await this.#replacing.create()
    await this.#folders.settle()
    this.#options.onCreated?.(state.catalogue.settings)
    return state
  }

  /** What is queued up to whoever needs a turn alone, or that one. */
  async #serve(state: FollowedFile, lock: HeldLock): Promise<void> {
    const jobs = this.#queue.take((job) => 'batch' in job) as BatchJob[] // all are
    if (jobs.length > 0) {
      try {
        await this.#applyAll(jobs, state, lock)
      } catch (error) {
        for (const job of jobs) job.reject(error)
      }
      return
    }
    const job = this.#queue.takeOne()
    if (!job || !('run' in job)) return
    try {
      await job.run(this.#turnOf(lock))
    } catch (error) {
      job.reject(error)
    }
  }

  #turnOf(lock: HeldLock): FileTurn {
    const current = (): FollowedFile => this.#current()
    return {
      get state() {
        return current()
      },
      append: async (type, parts, { durable }) => {
        const state = current()
        this.#appender.prepare(state, lock)
        await this.#appender.append(state, joined(frameParts(type, parts, crc32)), { durable, lock })
      },
      rebuild: (options = {}) => this.#rebuild(current(), lock, options),
    }
  }

  #current(): FollowedFile {
    const { state } = this.#follower
    if (!state)
      throw new StorageError('writing', this.#follower.path, 'it was removed', 'Nothing was changed. Try again.')
    return state
  }

  async #applyAll(jobs: readonly BatchJob[], state: FollowedFile, lock: HeldLock): Promise<void> {
    const { clock, newId } = this.#options
    const nowMs = clock()
    const plan = new BatchPlan(planBase(state), { now: instant(nowMs), newId: () => newId(nowMs) })
    const planned: { readonly job: BatchJob; readonly result: PlannedBatch }[] = []
    for (const job of jobs) {
      try {
        planned.push({ job, result: plan.add(job.batch, job.expect) })
      } catch (error) {
        job.reject(error)
      }
    }
    if (plan.changes.length > 0) {
      const parts = plan.changes.flatMap((change) => frameParts('chng', encodeChange(change, crc32), crc32))
      await this.#appender.append(state, joined(parts), { durable: true, lock })
    }
    for (const { job, result } of planned) {
      const { change, entries } = result
      job.resolve({ ...(change ? { change: changeOf(change) } : {}), entries, warnings: [] })
    }
  }

  async #foldWhenDue(lock: HeldLock): Promise<void> {
    const { state } = this.#follower
    if (!state) return
    const tail = state.end - state.tail
    if (tail <= Math.max(LEAST_TAIL_BYTES, state.tail / 2, this.#foldFrom)) return
    await letOthersGo() // whoever was served goes on before
    try {
      await this.#rebuild(state, lock, {})
    } catch (error) {
      // What was acknowledged is in the file as it is; it is tried again when there is more to fold.
      if (!isKeepsakeError(error)) throw error
      this.#foldFrom = tail * 2
    }
  }

  async #rebuild(state: FollowedFile, lock: HeldLock, options: Partial<RebuildOptions>): Promise<number> {
    // Whoever read what was taken back would else take the next change of that number for the one it knows.
    const epoch = this.#appender.hasTakenBack ? { epoch: crypto.randomUUID() } : {}
    const made = await this.#replacing.rebuild(state, lock, { ...epoch, ...options })
    this.#appender.close()
    this.#appender.needsNewFile = false
    this.#appender.hasTakenBack = false
    this.#foldFrom = 0
    await this.#folders.settle()
    const now = this.#follower.catchUp()
    if (now) this.#appender.prepare(now, lock)
    return made
  }

  close(): void {
    this.#appender.close()
  }
}
