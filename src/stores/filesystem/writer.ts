/**
 * Writing, as DESIGN section 6 has it: lock, look, journal, sync, files, acknowledge. Callers queue; whoever is in the
 * queue when the lock is taken shares one turn and one sync. Invariant: no record is appended before every file of the
 * records before it is written, so that after a crash only the last turn's files are in doubt.
 */

import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import { Draft } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, ApplyOptions } from '../../ports/store.ts'
import { planHandEdits } from './absorb.ts'
import { changeOf } from './change-feed.ts'
import { Checkpointer } from './checkpointer.ts'
import { FileWriter } from './file-writer.ts'
import type { JournalState } from './follower.ts'
import { acquireLock, type HeldLock } from './lock.ts'
import { thisProcess } from './owner.ts'
import { type PlannedBatch, planBatch } from './plan.ts'
import { survey } from './survey.ts'
import {
  attempt,
  FILE_MODE,
  makeFolder,
  removeFile,
  replaceFile,
  replaceFileDurably,
  statFile,
  syncFolder,
} from './system.ts'
import { PlannedFiles } from './turn-files.ts'
import type { TurnPlan } from './turn-plan.ts'
import type { Workspace } from './workspace.ts'
import { formatSettings, readSettings, SETTINGS_FILE } from './workspace-settings.ts'

export interface WriterOptions {
  readonly clock: Clock
  readonly newId: (ms: number) => string
  readonly lockWaitMs: number
}

interface BatchJob {
  readonly batch: Batch
  readonly expect: Expect | undefined
  readonly signal: AbortSignal | undefined
  readonly resolve: (applied: Applied) => void
  readonly reject: (error: unknown) => void
}

const SEGMENT_BYTES = 8 * 1024 * 1024

export class Writer {
  readonly #workspace: Workspace
  readonly #options: WriterOptions
  #queue: BatchJob[] = []
  #running: Promise<void> = Promise.resolve()
  #busy = false
  #prepared = false
  readonly #files: FileWriter
  readonly #checkpointer: Checkpointer
  /** Files that this turn could not write: what later records of the turn add must wait with them. */
  readonly #unwritten = new Set<string>()

  constructor(workspace: Workspace, options: WriterOptions) {
    this.#workspace = workspace
    this.#options = options
    this.#files = new FileWriter(workspace, this.#temporaryFolder)
    this.#checkpointer = new Checkpointer(workspace, this.#files, this.#temporaryFolder)
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
      if (lock.inherited) this.#prepared = false
      await this.#prepare(lock.inherited)
      inOrder = true
      return await run()
    } finally {
      lock.release(inOrder && this.#workspace.catalog.unproved.size === 0 ? 'done' : 'undone')
    }
  }

  /** What must hold before anything is written: settings, folders, no litter, a journal that ends in a whole line, files in step. */
  async #prepare(inherited: boolean): Promise<void> {
    const workspace = this.#workspace
    if (!this.#prepared || !statFile(this.#temporaryFolder)) {
      await this.#makeStateFolder()
      this.#sweepTemporary()
    }
    workspace.catchUp()
    // Read while the first writer was still at it: by now it has finished, or never will.
    if (workspace.state?.checkpointBytes === 0) workspace.startOver()
    if (!inherited && workspace.state?.boot === thisProcess().boot) workspace.catalog.unproved.clear()
    this.#cutTornTail()
    this.#writeUnwritten()
    await this.#openSegment()
    this.#prepared = true
  }

  get #temporaryFolder(): string {
    return join(this.#workspace.stateFolder, 'tmp')
  }

  async #makeStateFolder(): Promise<void> {
    const { root, stateFolder, settings, yaml } = this.#workspace
    makeFolder(this.#temporaryFolder)
    const ignore = join(stateFolder, '.gitignore')
    if (!statFile(ignore)) replaceFile(ignore, Buffer.from('*\n'), this.#temporaryFolder, FILE_MODE)
    const pinned = readSettings(root, yaml)
    if (!pinned) {
      await replaceFileDurably(join(root, SETTINGS_FILE), Buffer.from(formatSettings(settings)), this.#temporaryFolder)
      await syncFolder(dirname(root))
    }
    this.#workspace.adoptSettings(pinned ?? settings)
  }

  #sweepTemporary(): void {
    for (const name of attempt('reading', this.#temporaryFolder, () => readdirSync(this.#temporaryFolder))) {
      removeFile(join(this.#temporaryFolder, name))
    }
  }

  #cutTornTail(): void {
    const { state, journal } = this.#workspace
    if (!state || state.foreign) return
    const size = statFile(journal.pathOf(state.position.segment))?.size ?? 0
    if (size > state.position.offset) journal.cut(state.position)
  }

  /** Does what a crash, or a failed write of ours, kept from happening. A hand's edit is left for the inspection. */
  #writeUnwritten(): void {
    const { catalog } = this.#workspace
    for (const path of [...catalog.unproved.keys()]) {
      const { bytes, unwritten } = this.#workspace.bytesOf(path)
      if (unwritten) this.#files.bringTo(path, bytes)
      catalog.unproved.delete(path)
    }
  }

  /** A segment that this process may append to: of this host and boot, not too long, and no failed sync behind it. */
  async #openSegment(): Promise<void> {
    const { state, journal } = this.#workspace
    const me = thisProcess()
    // Without a checkpoint the beginning of the journal was never finished, or its summary is lost: begin anew.
    if (!state || state.foreign || state.checkpointBytes === 0) return await this.#startEpoch()
    if (state.boot !== me.boot) await this.#checkpointer.make()
    const fresh = state.boot === me.boot && journal.canAppendTo(state.position.segment)
    if (fresh && state.position.offset < SEGMENT_BYTES) return
    await this.#startSegment(state.epoch)
  }

  async #startSegment(epoch: string): Promise<void> {
    const { journal, settings, state } = this.#workspace
    const { host, boot } = thisProcess()
    const number = (journal.segments().at(-1) ?? 0) + 1
    const segment = await journal.start(number, { workspace: settings.id, host, boot, epoch })
    const offset = statFile(segment.path)?.size ?? 0
    const started: JournalState = {
      epoch,
      position: { segment: number, offset },
      inode: segment.inode,
      boot,
      foreign: false,
      tailRecords: state?.tailRecords ?? 0,
      tailBytes: state?.tailBytes ?? 0,
      // A new epoch counts only once it has a checkpoint of its own; until then every write begins it anew.
      checkpointBytes: state?.epoch === epoch ? state.checkpointBytes : 0,
    }
    this.#workspace.setState(started)
  }

  /** A journal's beginning: what lies in the folder already is taken in, each file's text with it, as its base for undo. */
  async #startEpoch(): Promise<void> {
    const workspace = this.#workspace
    workspace.forgetLayout()
    workspace.catalog.number = Math.max(workspace.catalog.number, workspace.journal.highestNumber())
    const plan = this.#newPlan()
    planHandEdits(plan, survey(workspace).edits)
    await this.#startSegment(newId(this.#options.clock()))
    if (plan.records.length > 0) await this.#commit(plan.records)
    await this.#checkpointer.make()
  }

  #newPlan(): TurnPlan {
    const workspace = this.#workspace
    const nowMs = this.#options.clock()
    return {
      workspace,
      draft: new Draft(workspace.view()),
      files: new PlannedFiles((path) => workspace.absolute(path)),
      records: [],
      turn: workspace.catalog.number + 1,
      context: {
        now: instant(nowMs),
        zone: workspace.settings.timezone,
        newId: () => this.#options.newId(nowMs),
        seqs: workspace.catalog.seqs(),
      },
    }
  }

  async #turn(jobs: readonly BatchJob[]): Promise<void> {
    const plan = this.#newPlan()
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
    let warnings: readonly string[] = []
    try {
      if (plan.records.length > 0) warnings = await this.#commit(plan.records)
    } catch (error) {
      for (const { job } of planned) job.reject(error)
      return
    }
    for (const { job, result } of planned) {
      job.resolve({
        ...(result.record ? { change: changeOf(result.record) } : {}),
        entries: result.entries,
        warnings: [...result.warnings, ...warnings],
      })
    }
    await this.#checkpointWhenDue()
  }

  /** Journal, sync, then the files. After the sync nothing may fail any more: what can't be written now is written later. */
  async #commit(records: readonly JournalRecord[]): Promise<string[]> {
    const { journal, state, catalog } = this.#workspace
    if (!state) throw new Error('unreachable: a segment was opened before')
    const position = await journal.append(state.position, records)
    state.tailRecords += records.length
    state.tailBytes += position.offset - state.position.offset
    state.position = position
    for (const record of records) catalog.replay(record, true)
    this.#unwritten.clear()
    const warnings = records.flatMap((record) => record.files.flatMap((file) => this.#project(file, record.number)))
    // Only now: an earlier record of this turn may have written a file that a later one could not.
    for (const { path } of records.flatMap((record) => record.files)) {
      if (!this.#unwritten.has(path)) catalog.unproved.delete(path)
    }
    return warnings
  }

  /** Writes one file; what went wrong, as a warning. */
  #project(file: FileWrite, change: number): string[] {
    if (this.#unwritten.has(file.path)) return []
    try {
      if (this.#files.write(file) === 'done') return []
      return [`${file.path} was edited by hand at this very moment and is left so; your version is change ${change}`]
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      // It stays unproved, and the next turn, of any process, writes it before anything else.
      this.#unwritten.add(file.path)
      return [`${file.path} is safe in the journal but could not be written yet: ${error.message}`]
    }
  }

  async #checkpointWhenDue(): Promise<void> {
    if (!this.#checkpointer.isDue()) return
    try {
      await this.#checkpointer.make()
    } catch (error) {
      // What was acknowledged is in the journal; the checkpoint is tried again with the next write.
      if (!isKeepsakeError(error)) throw error
    }
  }

  close(): void {
    this.#workspace.journal.close()
  }
}
