/**
 * Writing, as DESIGN section 6 has it: lock, look, journal, sync, files, acknowledge. Callers queue; whoever is in the
 * queue when the lock is taken shares one turn and one sync. Invariant: no record is appended before every file of the
 * records before it is written, so that after a crash only the last turn's files are in doubt.
 */
import { closeSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import { isKeepsakeError } from '../../errors.ts'
import { Draft } from '../../model/draft.ts'
import { newId } from '../../model/id.ts'
import type { Batch, Change, Expect } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Applied, ApplyOptions } from '../../ports/store.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { isOutside, placeOf } from './layout.ts'
import { acquireLock, type HeldLock } from './lock.ts'
import { thisProcess } from './owner.ts'
import { type PlannedBatch, planBatch, planHandEdits, type TurnPlan } from './plan.ts'
import {
  attempt,
  FILE_MODE,
  hashBytes,
  makeFolder,
  openForAppend,
  readFileAt,
  removeFile,
  replaceFile,
  replaceFileDurably,
  settledSignature,
  statFile,
  syncFile,
  syncFolder,
  writeAll,
} from './system.ts'
import { PlannedFiles } from './turn-files.ts'
import type { JournalState, Workspace } from './workspace.ts'
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
const TAIL_RECORDS = 1000
const TAIL_BYTES = 1024 * 1024

export class Writer {
  readonly #workspace: Workspace
  readonly #options: WriterOptions
  #queue: BatchJob[] = []
  #running: Promise<void> = Promise.resolve()
  #busy = false
  #prepared = false
  /** Files whose sync failed once: that the next sync succeeds would prove nothing, so they are written anew. */
  readonly #unsyncable = new Set<string>()

  constructor(workspace: Workspace, options: WriterOptions) {
    this.#workspace = workspace
    this.#options = options
  }

  apply(batch: Batch, { expect, signal }: ApplyOptions = {}): Promise<Applied> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ batch, expect, signal, resolve, reject })
      if (this.#busy) return
      this.#busy = true
      this.#running = this.#drain()
    })
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
    const lock: HeldLock = await acquireLock(join(stateFolder, 'lock'), this.#options.lockWaitMs, signal)
    try {
      if (lock.inherited) this.#prepared = false
      await this.#prepare()
      return await run()
    } finally {
      lock.release()
    }
  }

  /** What must hold before anything is written: settings, folders, no litter, a journal that ends in a whole line, files in step. */
  async #prepare(): Promise<void> {
    const workspace = this.#workspace
    if (!this.#prepared || !statFile(this.#temporaryFolder)) {
      await this.#makeStateFolder()
      this.#sweepTemporary()
    }
    workspace.catchUp()
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
    const { catalog, layout } = this.#workspace
    for (const path of [...catalog.unproved.keys()]) {
      const [id] = catalog.idsAt(path)
      const head = (id === undefined ? undefined : catalog.head(id)) ?? { scope: 'world', kind: 'note' as const }
      const seen = this.#workspace.see(placeOf(layout, head, path))
      if (seen?.unwritten) this.#bringTo(path, seen.bytes)
      catalog.unproved.delete(path)
    }
  }

  #bringTo(relative: string, bytes: Uint8Array | null): void {
    const path = this.#workspace.absolute(relative)
    if (bytes === null) {
      removeFile(path)
      return
    }
    const found = readFileAt(path)?.bytes ?? new Uint8Array()
    // Where only the end is missing it is appended: that can't undo what an editor saves at this moment.
    if (found.length > 0 && Buffer.from(found).equals(bytes.subarray(0, found.length))) {
      this.#append(path, bytes.subarray(found.length))
    } else {
      this.#replace(relative, bytes)
    }
  }

  /** A segment that this process may append to: of this host and boot, not too long, and no failed sync behind it. */
  async #openSegment(): Promise<void> {
    const { state, journal } = this.#workspace
    const me = thisProcess()
    // Without a checkpoint the beginning of the journal was never finished, or its summary is lost: begin anew.
    if (!state || state.foreign || state.checkpointBytes === 0) return await this.#startEpoch()
    if (state.boot !== me.boot) await this.#checkpoint()
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
      checkpointBytes: state?.checkpointBytes ?? 0,
    }
    this.#workspace.setState(started)
  }

  /** A journal's beginning: what lies in the folder already is taken in, each file's text with it, as its base for undo. */
  async #startEpoch(): Promise<void> {
    const workspace = this.#workspace
    workspace.forgetLayout()
    const plan = this.#newPlan()
    planHandEdits(plan, workspace.survey().edits)
    await this.#startSegment(newId(this.#options.clock()))
    if (plan.records.length > 0) await this.#commit(plan.records)
    await this.#checkpoint()
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
    const warnings: string[] = []
    for (const file of records.flatMap((record) => record.files)) {
      try {
        this.#write(file)
      } catch (error) {
        if (!isKeepsakeError(error)) throw error
        warnings.push(`${file.path} is safe in the journal but could not be written yet: ${error.message}`)
      }
    }
    if (warnings.length === 0)
      for (const file of records.flatMap((record) => record.files)) catalog.unproved.delete(file.path)
    return warnings
  }

  #write(file: FileWrite): void {
    const path = this.#workspace.absolute(file.path)
    if ('append' in file) this.#append(path, Buffer.from(file.append))
    else if (file.seen) return
    else if (file.after === null) removeFile(path)
    else this.#replace(file.path, Buffer.from(file.text))
  }

  #append(path: string, bytes: Uint8Array): void {
    this.#makeParent(path)
    const { fd } = openForAppend(path)
    attempt('writing', path, () => {
      try {
        writeAll(fd, bytes)
      } finally {
        closeSync(fd)
      }
    })
  }

  #replace(relative: string, bytes: Uint8Array): void {
    const path = this.#workspace.absolute(relative)
    this.#makeParent(path)
    const mode = statFile(path)?.mode
    const folder = isOutside(relative) ? dirname(path) : this.#temporaryFolder
    replaceFile(path, bytes, folder, mode === undefined ? FILE_MODE : mode & 0o777)
  }

  #makeParent(path: string): void {
    const folder = dirname(path)
    if (!statFile(folder)) {
      makeFolder(folder)
      this.#workspace.forgetLayout()
    }
  }

  async #checkpointWhenDue(): Promise<void> {
    const { state, catalog } = this.#workspace
    if (!state) return
    const due =
      state.tailRecords > Math.max(TAIL_RECORDS, catalog.size / 4) ||
      state.tailBytes > Math.max(TAIL_BYTES, state.checkpointBytes)
    if (!due) return
    try {
      await this.#checkpoint()
    } catch (error) {
      // What was acknowledged is in the journal; the checkpoint is tried again with the next write.
      if (!isKeepsakeError(error)) throw error
    }
  }

  /** Brings every file that the journal's tail tells of to the disk, then notes that it is there. */
  async #checkpoint(): Promise<void> {
    const { catalog, state, stateFolder } = this.#workspace
    if (!state) return
    const paths = [...catalog.unsynced]
    const folders = new Set(paths.map((path) => dirname(this.#workspace.absolute(path))))
    await inParallel(paths, (path) => this.#syncOne(path))
    await inParallel([...folders, ...[...folders].map(dirname)], syncFolder)
    for (const path of paths) {
      const known = catalog.files.get(path)
      const stats = statFile(this.#workspace.absolute(path))
      if (known?.hash !== undefined && stats && stats.size === known.size) this.#rememberSignature(path)
    }
    const { epoch, position } = state
    state.checkpointBytes = await writeCheckpoint(stateFolder, this.#temporaryFolder, { catalog, epoch, position })
    for (const path of paths) catalog.unsynced.delete(path)
    state.tailRecords = 0
    state.tailBytes = 0
  }

  async #syncOne(path: string): Promise<void> {
    const absolute = this.#workspace.absolute(path)
    if (this.#unsyncable.has(path)) {
      const file = readFileAt(absolute)
      if (file) this.#replace(path, file.bytes)
      this.#unsyncable.delete(path)
    }
    try {
      await syncFile(absolute)
    } catch (error) {
      this.#unsyncable.add(path)
      throw error
    }
  }

  #rememberSignature(path: string): void {
    const known = this.#workspace.catalog.files.get(path)
    const file = readFileAt(this.#workspace.absolute(path))
    if (known && file && hashBytes(file.bytes) === known.hash) known.signature = settledSignature(file.stats)
  }

  close(): void {
    this.#workspace.journal.close()
  }
}

const PARALLEL_SYNCS = 8

/** Syncs that run side by side share the disk's own commits. */
async function inParallel(items: readonly string[], run: (item: string) => Promise<void>): Promise<void> {
  const rest = [...new Set(items)]
  const lane = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_SYNCS }, lane))
}

function changeOf(record: JournalRecord): Change {
  const { number, at, origin, operations, reverts } = record
  return { number, at, origin, operations, ...(reverts === undefined ? {} : { reverts }) }
}
