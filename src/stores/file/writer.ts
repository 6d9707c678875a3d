/**
 * Writing to the file: lock, catch up, append, sync, acknowledge. Callers queue; whoever is in the queue when the lock is taken
 * shares one turn, one write and one sync. What makes a new file of it (a fold, a purge) comes to pass here too.
 * Invariants: nothing is acknowledged before it is synced; nothing is appended behind a frame that is not whole; a descriptor whose
 * sync failed is never used again, and the next turn begins with a fold.
 */
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as letOthersGo } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { joined } from '../../codec/one-file/bytes.ts'
import { encodeChange } from '../../codec/one-file/change.ts'
import { frameParts } from '../../codec/one-file/frame.ts'
import { ForeignError, isKeepsakeError, StorageError } from '../../errors.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, ApplyOptions, Settings } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { acquireLock, type HeldLock } from '../disk/lock.ts'
import { statFile } from '../disk/reading.ts'
import { attempt, makeFolder, randomHex, removeFile, syncFolder } from '../disk/system.ts'
import { Appender } from './appender.ts'
import { BatchPlan, type PlannedBatch } from './batch-plan.ts'
import { FileBuilder } from './file-builder.ts'
import type { FileFollower, FollowedFile } from './follower.ts'
import { buildEmpty, putInPlace } from './new-file.ts'
import { changeOf } from './past.ts'
import { type RebuildOptions, rebuild } from './rebuild.ts'
import type { Turn, Turns } from './turn.ts'
import { type Settle, TurnQueue } from './turn-queue.ts'

export interface WriterOptions {
  readonly clock: Clock
  readonly newId: (ms: number) => string
  readonly lockWaitMs: number
  /** The folder that is beside the file while it is in use. */
  readonly sidecar: string
  /** What a new file is made with. */
  readonly settings: () => Settings
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

interface OtherJob extends Settle<never> {
  readonly run: (turn: FileTurn) => Promise<void>
}

const LEAST_TAIL_BYTES = 512 * 1024
/** Files that only a crash leaves: whoever holds the lock may remove them. */
const TEMPORARY = /^(fold|new)-/

export class FileWriter implements Turns {
  readonly #follower: FileFollower
  readonly #options: WriterOptions
  readonly #appender: Appender
  readonly #queue: TurnQueue<BatchJob | OtherJob>
  #hasSwept = false
  /** A file was put in its place, and the folder that tells so is not synced yet. */
  #folderUnsynced = false
  /** Not before the tail is as long as this: a fold that failed is not tried with every write. */
  #foldFrom = 0

  constructor(follower: FileFollower, options: WriterOptions) {
    this.#follower = follower
    this.#options = options
    this.#appender = new Appender(follower)
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
      const state = await this.#prepare(lock)
      await this.#serve(state, lock)
      await this.#foldWhenDue(lock)
    })
  }

  /** For what makes a file where none is: nothing is made or mended before. Not while others wait for a turn. */
  async withLock<T>(run: (lock: HeldLock) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.idle()
    return this.#withLock(run, signal)
  }

  async #withLock<T>(run: (lock: HeldLock) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { sidecar, lockWaitMs } = this.#options
    if (statFile(sidecar)?.isSymbolicLink()) {
      throw new ForeignError(sidecar, 'it is a link; nothing is written through links')
    }
    await this.#makeFolder()
    const lock = await acquireLock(sidecar, lockWaitMs, signal)
    try {
      this.#sweep()
      return await run(lock)
    } finally {
      lock.release()
    }
  }

  /** The folder that the file is to be in, and its name in the one above it. */
  async #makeFolder(): Promise<void> {
    const folder = dirname(this.#follower.path)
    if (statFile(folder)) return
    makeFolder(folder)
    await syncFolder(dirname(folder))
  }

  /** Once is enough: whoever crashes while we live is told by the lock, and what it left waits for the next process. */
  #sweep(): void {
    if (this.#hasSwept) return
    const { sidecar } = this.#options
    for (const name of namesIn(sidecar)) if (TEMPORARY.test(name)) removeFile(join(sidecar, name))
    this.#hasSwept = true
  }

  /** The file as it is, whole and ready to be appended to. */
  async #prepare(lock: HeldLock): Promise<FollowedFile> {
    if (this.#folderUnsynced) await this.#syncFolder()
    const state = this.#follower.catchUp() ?? (await this.#create())
    this.#appender.prepare(state)
    // What was written and not acknowledged may not be on the disk, and a sync now would not tell.
    if (!this.#appender.needsNewFile && state.keptEnd <= state.slot.end) return state
    await this.#rebuild(state, lock, {})
    return this.#current()
  }

  async #create(): Promise<FollowedFile> {
    const { sidecar, settings } = this.#options
    const temporary = join(sidecar, `new-${randomHex()}`)
    await buildEmpty(temporary, settings(), crypto.randomUUID())
    await putInPlace(temporary, this.#follower.path)
    const state = this.#follower.catchUp()
    if (!state) throw new Error('unreachable: it was just made')
    return state
  }

  /** What is queued up to whoever needs a turn alone, or that one. */
  async #serve(state: FollowedFile, lock: HeldLock): Promise<void> {
    const jobs = this.#queue.take((job) => 'batch' in job)
    if (jobs.length > 0) return this.#applyAll(jobs as BatchJob[], state, lock) // all are
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
        this.#appender.prepare(state)
        const bytes = joined(frameParts(type, parts, crc32))
        await this.#appender.append(state, bytes, { durable, isHeld: () => lock.isHeld() })
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
    const plan = new BatchPlan(state, { now: instant(nowMs), newId: () => newId(nowMs) })
    const planned: { readonly job: BatchJob; readonly result: PlannedBatch }[] = []
    for (const job of jobs) {
      try {
        planned.push({ job, result: plan.add(job.batch, job.expect) })
      } catch (error) {
        job.reject(error)
      }
    }
    try {
      if (plan.changes.length > 0) {
        const parts = plan.changes.flatMap((change) => frameParts('chng', encodeChange(change, crc32), crc32))
        await this.#appender.append(state, joined(parts), { durable: true, isHeld: () => lock.isHeld() })
      }
    } catch (error) {
      for (const { job } of planned) job.reject(error)
      return
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
    const { path, mode } = state.file
    const temporary = join(this.#options.sidecar, `fold-${randomHex()}`)
    const builder = new FileBuilder(temporary, { mode })
    let made: number
    try {
      made = await rebuild(state, builder, { nowMs: this.#options.clock(), ...options })
      const stats = statFile(path)
      if (!stats || !state.file.isSame(stats) || !lock.isHeld()) {
        throw new StorageError('writing', path, 'it was replaced meanwhile', 'Nothing was changed. Try again.')
      }
      attempt('writing', path, () => renameSync(temporary, path))
    } catch (error) {
      builder.close()
      removeQuietly(temporary)
      throw error
    }
    this.#folderUnsynced = true
    this.#appender.close()
    this.#appender.needsNewFile = false
    this.#foldFrom = 0
    await this.#syncFolder()
    const now = this.#follower.catchUp()
    if (now) this.#appender.prepare(now)
    return made
  }

  async #syncFolder(): Promise<void> {
    await syncFolder(dirname(this.#follower.path))
    this.#folderUnsynced = false
  }

  close(): void {
    this.#appender.close()
  }
}

/** The first error is the one to tell; the next writer sweeps what is left. */
function removeQuietly(path: string): void {
  try {
    removeFile(path)
  } catch {
    // still there, under a name that says what it is
  }
}
