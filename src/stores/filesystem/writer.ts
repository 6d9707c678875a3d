/**
 * Writing, as DESIGN section 6 has it: lock, look, journal, sync, files, acknowledge. Callers queue; whoever is in the
 * queue when the lock is taken shares one turn and one sync. Invariant: no record is appended before every file of the
 * records before it is written, so that after a crash only the last turn's files are in doubt.
 */

import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangePlace, FileWrite, JournalRecord, Signature } from '../../codec/journal-record.ts'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import { Draft } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import type { Batch, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, ApplyOptions } from '../../ports/store.ts'
import { allAsAdditions, planDisplaced, planHandEdits } from './absorb.ts'
import { withoutBulkRemovals } from './bulk-removal.ts'
import { Checkpointer } from './checkpointer.ts'
import { FileWriter } from './file-writer.ts'
import type { JournalState } from './follower.ts'
import { acquireLock, type HeldLock } from './lock.ts'
import { thisProcess } from './owner.ts'
import { changeOf } from './past/change-feed.ts'
import { isWhole } from './past/lineage.ts'
import { foldOldHistory } from './past/retention.ts'
import { type PlannedBatch, planBatch } from './plan.ts'
import { survey } from './survey.ts'
import type { Displaced } from './swap.ts'
import {
  attempt,
  FILE_MODE,
  hashBytes,
  makeFolder,
  readFileAt,
  removeFile,
  replaceFile,
  replaceFileDurably,
  statFile,
  syncFolder,
  TICK_MS,
} from './system.ts'
import { PlannedFiles } from './turn-files.ts'
import type { TurnPlan } from './turn-plan.ts'
import { settle } from './unproved.ts'
import type { Workspace } from './workspace.ts'
import { formatSettings, readSettings, SETTINGS_FILE } from './workspace-settings.ts'

export interface WriterOptions {
  readonly clock: Clock
  readonly newId: (ms: number) => string
  readonly lockWaitMs: number
  /** Finishes what a crash interrupted and only whoever began it knows how to; called once, under the lock. */
  readonly mend: (writer: Writer) => Promise<void>
}

interface BatchJob {
  readonly batch: Batch
  readonly expect: Expect | undefined
  readonly signal: AbortSignal | undefined
  readonly resolve: (applied: Applied) => void
  readonly reject: (error: unknown) => void
}

const SEGMENT_BYTES = 8 * 1024 * 1024
const MANY_UNSIGNED = 32
const SEGMENT_MS = 7 * 86_400_000

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
    this.#files = new FileWriter(workspace)
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

  /** A batch by whoever holds the lock already (see exclusively). */
  async applyHeld(batch: Batch): Promise<void> {
    for (let waits = true; waits; ) {
      const plan = this.#newPlan()
      waits = planBatch(plan, batch, undefined) === 'later'
      if (plan.records.length > 0) await this.#commit(plan.records)
    }
  }

  /** So that every segment but a new, empty one is closed, and no text is left lying aside. Only for the holder of the lock. */
  async closeSegment(): Promise<void> {
    const { state, swap } = this.#workspace
    if (!state) return
    this.#files.displaced.push(...swap.leftByOthers(true))
    await this.#journalDisplaced()
    await this.#startSegment(state.epoch, undefined)
    await this.#checkpointer.make()
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
    const first = !this.#prepared || !statFile(this.#temporaryFolder)
    if (first) {
      await this.#makeStateFolder()
      this.#sweepTemporary()
    }
    workspace.catchUp()
    // Read while the first writer was still at it: by now it has finished, or never will.
    if (workspace.state?.checkpointBytes === 0) workspace.startOver()
    if (!inherited && workspace.state?.boot === thisProcess().boot) workspace.catalog.unproved.clear()
    this.#cutTornTail()
    this.#files.displaced.push(...this.#putBackMoved(inherited || first))
    this.#writeUnwritten()
    await this.#openSegment()
    this.#prepared = true
    this.#files.displaced.push(...workspace.swap.late(), ...(first ? workspace.swap.leftByOthers() : []))
    await this.#journalDisplaced()
    if (first) await this.#options.mend(this)
  }

  /** Files that a crash left moved aside. */
  #putBackMoved(crashed: boolean): readonly Displaced[] {
    const { catalog, swap } = this.#workspace
    if (!crashed || catalog.unproved.size === 0) return []
    return swap.putBack(
      catalog.unproved.keys(),
      (path) => this.#workspace.absolute(path),
      (path, bytes) => this.#isReplaced(path, bytes),
    )
  }

  /** What was moved aside is as it was before our write, or torn, and what we made of it is in its place. */
  #isReplaced(path: string, bytes: Uint8Array): boolean {
    const unproved = this.#workspace.catalog.unproved.get(path)
    if (!unproved) return false
    if (unproved.earlier.has(hashBytes(bytes))) return true
    const settled = settle(bytes, unproved)
    const present = readFileAt(this.#workspace.absolute(path))?.bytes
    return settled !== null && present !== undefined && Buffer.from(settled).equals(present)
  }

  /**
   * What a hand saved at the very moment that we wrote becomes a change of its own, after ours, and is what the file holds
   * from then on. Putting it there may displace yet another save; that is journaled in turn.
   */
  async #journalDisplaced(): Promise<string[]> {
    const warnings: string[] = []
    for (let found = this.#files.displaced.splice(0); found.length > 0; found = this.#files.displaced.splice(0)) {
      const plan = this.#newPlan()
      const placed = found.flatMap((displaced) => {
        const path = planDisplaced(plan, displaced)
        return path === undefined ? [] : [{ path, displaced }]
      })
      if (plan.records.length > 0) warnings.push(...(await this.#commitRecords(plan.records)))
      for (const { path, displaced } of placed) {
        displaced.done()
        warnings.push(`${path} was saved by hand while it was written; both are kept, the hand's counts`)
      }
    }
    return warnings
  }

  get #temporaryFolder(): string {
    return join(this.#workspace.stateFolder, 'tmp')
  }

  async #makeStateFolder(): Promise<void> {
    const { root, stateFolder, settings, yaml } = this.#workspace
    makeFolder(this.#temporaryFolder)
    this.#workspace.swap.makeFolders()
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
    if (fresh && state.position.offset < SEGMENT_BYTES && !this.#isOld(state.position.segment)) return
    await this.#startSegment(state.epoch, undefined)
    await this.#foldOldHistory()
  }

  /** A past that is cut by whole segments needs segments that end. Asked once a process. */
  #isOld(segment: string): boolean {
    if (this.#prepared) return false
    const begun = Date.parse(this.#workspace.journal.headerOf(segment)?.at ?? '')
    return this.#options.clock() - begun > SEGMENT_MS
  }

  async #foldOldHistory(): Promise<void> {
    try {
      await foldOldHistory(this.#workspace, this.#options.clock(), () => this.#checkpointer.make())
    } catch (error) {
      // Longer than it must be, the past does no harm; the next segment tries again.
      if (!isKeepsakeError(error)) throw error
    }
  }

  async #startSegment(epoch: string, from: ChangePlace | undefined): Promise<void> {
    const { journal, settings, state } = this.#workspace
    const { host, boot } = thisProcess()
    const at = instant(this.#options.clock())
    const segment = await journal.start({
      workspace: settings.id,
      host,
      boot,
      epoch,
      at,
      ...(from === undefined ? {} : { from }),
    })
    const offset = statFile(segment.path)?.size ?? 0
    const started: JournalState = {
      epoch,
      position: { segment: segment.name, offset },
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
    const { catalog, journal } = workspace
    workspace.forgetLayout()
    const last = { epoch: catalog.epoch, number: catalog.number }
    const from = catalog.number > 0 && isWhole(journal, last) ? last : undefined
    catalog.number = Math.max(catalog.number, journal.highestNumber())
    const plan = this.#newPlan()
    const { edits } = survey(workspace)
    // Where the past is lost, all that there is stands in the first records, so that what comes can be undone.
    planHandEdits(plan, from ? withoutBulkRemovals(catalog, edits).edits : allAsAdditions(workspace, edits))
    await this.#startSegment(newId(this.#options.clock()), from)
    if (plan.records.length > 0) await this.#commit(plan.records)
    await this.#checkpointer.make()
  }

  /** Journals what hands did anywhere in the folder. Removals in bulk wait until someone says that they were meant. */
  async absorb(acceptRemovals: boolean, signal?: AbortSignal): Promise<void> {
    await this.exclusively(async () => {
      this.#files.displaced.push(...this.#workspace.swap.leftByOthers())
      await this.#journalDisplaced()
      const { edits } = survey(this.#workspace)
      const plan = this.#newPlan()
      planHandEdits(plan, acceptRemovals ? edits : withoutBulkRemovals(this.#workspace.catalog, edits).edits)
      if (plan.records.length > 0) await this.#commit(plan.records)
    }, signal)
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
    this.#signFiles(plan)
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

  /**
   * Files that earlier turns wrote and that have come to rest: their signatures go along with the last record, so that no
   * reader needs to read them. As many as this turn makes new, and one more, so that none are left behind.
   */
  #signFiles({ records, files }: TurnPlan): void {
    const last = records.at(-1)
    if (!last) return
    const most = records.reduce((sum, record) => sum + record.files.length, 1)
    const { catalog } = this.#workspace
    const signed: [string, Signature][] = []
    for (const path of firstOf(catalog.unsigned, most)) {
      const isAtRest = !files.isPlanned(path) && this.#workspace.isAsKnown(path)
      const { signature } = catalog.files.get(path) ?? {}
      if (isAtRest && signature) {
        signed.push([path, signature])
      } else {
        // Not yet, or a hand was there: behind the others.
        catalog.unsigned.delete(path)
        catalog.unsigned.add(path)
      }
    }
    if (signed.length > 0) records[records.length - 1] = { ...last, signed }
  }

  /** A process that has written much leaves it in order, so that the next one need not look at every file. */
  async finish(): Promise<void> {
    await this.idle()
    if (!this.#prepared || this.#workspace.catalog.unsigned.size < MANY_UNSIGNED) return
    await sleep(TICK_MS + 1)
    try {
      await this.exclusively(() => this.#checkpointer.make())
    } catch (error) {
      if (!isKeepsakeError(error)) throw error // it was only to be faster for others
    }
  }

  async #commit(records: readonly JournalRecord[]): Promise<string[]> {
    const warnings = await this.#commitRecords(records)
    return this.#files.displaced.length === 0 ? warnings : [...warnings, ...(await this.#journalDisplaced())]
  }

  /** Journal, sync, then the files. After the sync nothing may fail any more: what can't be written now is written later. */
  async #commitRecords(records: readonly JournalRecord[]): Promise<string[]> {
    const { journal, state, catalog } = this.#workspace
    if (!state) throw new Error('unreachable: a segment was opened before')
    const position = await journal.append(state.position, records)
    state.tailRecords += records.length
    state.tailBytes += position.offset - state.position.offset
    state.position = position
    for (const record of records) catalog.replay(record, state.epoch, true)
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

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const out: T[] = []
  for (const item of items) {
    if (out.length >= count) break
    out.push(item)
  }
  return out
}
