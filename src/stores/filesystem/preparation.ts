/**
 * What must hold before anything is written: settings, folders, no litter, a journal that ends in a whole line and may be
 * appended to, files in step with it. Only for the holder of the lock.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChangePlace } from '../../codec/journal-record.ts'
import { isKeepsakeError } from '../../errors.ts'
import { newId } from '../../model/id.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HeldLock } from '../disk/lock.ts'
import { thisProcess } from '../disk/owner.ts'
import { hashBytes, readFileAt, statFile } from '../disk/reading.ts'
import {
  attempt,
  createFileDurably,
  FILE_MODE,
  makeFolder,
  removeFile,
  replaceFile,
  syncFolder,
} from '../disk/system.ts'
import { allAsAdditions, planHandEdits, planSuperseding } from './absorb.ts'
import { noteHeldBack, withoutBulkRemovals } from './bulk-removal.ts'
import { Checkpointer } from './checkpointer.ts'
import type { Committer } from './committer.ts'
import type { JournalState } from './follower.ts'
import { isWhole } from './past/lineage.ts'
import { foldOldHistory } from './past/retention.ts'
import { survey } from './survey.ts'
import type { Displaced } from './swap.ts'
import { isSuperseded, settle } from './unproved.ts'
import type { Workspace } from './workspace.ts'
import { formatSettings, SETTINGS_FILE } from './workspace-settings.ts'
import type { WriterOptions } from './writer.ts'

const SEGMENT_BYTES = 8 * 1024 * 1024
const SEGMENT_MS = 7 * 86_400_000

export class Preparation {
  readonly #workspace: Workspace
  readonly #committer: Committer
  readonly #clock: Clock
  readonly #onCreated: WriterOptions['onCreated']
  readonly checkpointer: Checkpointer
  /** What was found out of step, as sentences, for whoever can tell it to somebody. */
  readonly warnings: string[] = []
  /** The id of the workspace that this process has held the lock of with everything in order. */
  #preparedFor: string | undefined

  constructor(
    workspace: Workspace,
    committer: Committer,
    { clock, onCreated }: Pick<WriterOptions, 'clock' | 'onCreated'>,
  ) {
    this.#workspace = workspace
    this.#committer = committer
    this.#clock = clock
    this.#onCreated = onCreated
    this.checkpointer = new Checkpointer(workspace, committer.files, this.#temporaryFolder)
  }

  /** Whether this process has ever held the lock of this workspace with everything in order. */
  get isDone(): boolean {
    return this.#preparedFor === this.#workspace.settings.id
  }

  /** Tells whether this was the first time. */
  async prepare(lock: HeldLock): Promise<'first' | 'again'> {
    const workspace = this.#workspace
    const { inherited } = lock
    const before = this.#preparedFor
    if (inherited || !statFile(this.#temporaryFolder)) this.#preparedFor = undefined
    // Tells also whether it is still the same workspace.
    else workspace.catchUp()
    const first = !this.isDone
    if (first) {
      await this.#makeStateFolder()
      workspace.catchUp()
    }
    // What we know by now is of the folder that our lock is in.
    if (!lock.isHeld()) throw workspace.replacedError()
    if (first) this.#sweepTemporary()
    // What a hand saved in another workspace than this one stays there.
    if (before !== undefined && before !== workspace.settings.id) this.#committer.files.displaced.length = 0
    // Read while the first writer was still at it: by now it has finished, or never will.
    if (workspace.state?.checkpointBytes === 0) workspace.startOver()
    if (!inherited && workspace.state?.boot === thisProcess().boot) workspace.catalog.unproved.clear()
    const isNewBoot = workspace.state !== undefined && workspace.state.boot !== thisProcess().boot
    if (isNewBoot) workspace.swap.forgetAside()
    this.#cutTornTail()
    this.#committer.files.displaced.push(...this.#putBackMoved(inherited || first, isNewBoot))
    const superseded = this.#writeUnwritten()
    await this.#openSegment()
    if (inherited && superseded.size > 0) await this.#journalSuperseding(superseded)
    this.#preparedFor = workspace.settings.id
    this.#committer.files.displaced.push(...workspace.swap.late(), ...(first ? workspace.swap.leftByOthers() : []))
    await this.#committer.journalDisplaced()
    return first ? 'first' : 'again'
  }

  /** Files that a crash left moved aside. */
  #putBackMoved(crashed: boolean, isNewBoot: boolean): readonly Displaced[] {
    const { catalog, swap } = this.#workspace
    if (!crashed || catalog.unproved.size === 0) return []
    return swap.putBack(
      catalog.unproved.keys(),
      (path) => this.#workspace.absolute(path),
      (path, bytes) => isNewBoot || this.#isReplaced(path, bytes),
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

  get #temporaryFolder(): string {
    return join(this.#workspace.stateFolder, 'tmp')
  }

  async #makeStateFolder(): Promise<void> {
    const { stateFolder } = this.#workspace
    makeFolder(this.#temporaryFolder)
    this.#workspace.swap.makeFolders()
    const ignore = join(stateFolder, '.gitignore')
    if (!statFile(ignore)) replaceFile(ignore, Buffer.from('*\n'), this.#temporaryFolder, FILE_MODE)
    const { id } = this.#workspace.settings
    const isNew = await this.#pinSettings()
    this.#workspace.adoptPinned()
    // If another process was faster, the workspace is the one that it created.
    if (isNew && this.#workspace.settings.id === id) this.#onCreated?.(this.#workspace.settings)
  }

  /** Before any segment is begun, and never over others: so a folder has one id, even if two begin it at once. */
  async #pinSettings(): Promise<boolean> {
    const { root, settings } = this.#workspace
    const path = join(root, SETTINGS_FILE)
    if (statFile(path)) return false
    await createFileDurably(path, Buffer.from(formatSettings(settings)), this.#temporaryFolder)
    await syncFolder(dirname(root))
    return true
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

  /** Does what a crash, or a failed write of ours, kept from happening. Where a hand was there since: the path, and our change. */
  #writeUnwritten(): Map<string, number> {
    const { catalog } = this.#workspace
    const superseded = new Map<string, number>()
    for (const [path, unproved] of [...catalog.unproved]) {
      const { bytes, unwritten } = this.#workspace.files.bytesOf(path)
      if (unwritten) this.#committer.files.bringTo(path, bytes)
      if (isSuperseded(bytes, unproved)) superseded.set(path, unproved.change)
      catalog.unproved.delete(path)
    }
    return superseded
  }

  /** The hand's edit counts, and says whose place it took. */
  async #journalSuperseding(superseded: ReadonlyMap<string, number>): Promise<void> {
    const plan = this.#committer.newPlan()
    planSuperseding(plan, superseded)
    if (plan.records.length === 0) return
    this.warnings.push(...(await this.#committer.commit(plan.records)))
    for (const { number, supersedes, files } of plan.records) {
      if (supersedes === undefined) continue
      const path = files.find((file) => superseded.get(file.path) === supersedes)?.path
      this.warnings.push(
        `${path} was edited by hand where a crash had kept change ${supersedes} from being written; the edit counts. ` +
          `What change ${supersedes} wrote: keepsake log ${supersedes}; to have it in the place of the edit: keepsake undo ${number}`,
      )
    }
  }

  /** A segment that this process may append to: of this host and boot, not too long, and no failed sync behind it. */
  async #openSegment(): Promise<void> {
    const { state, journal } = this.#workspace
    const me = thisProcess()
    // Without a checkpoint the beginning of the journal was never finished, or its summary is lost: begin anew.
    if (!state || state.foreign || state.checkpointBytes === 0) return await this.#startEpoch()
    if (state.boot !== me.boot) await this.checkpointer.make()
    const fresh = state.boot === me.boot && journal.canAppendTo(state.position.segment)
    if (fresh && state.position.offset < SEGMENT_BYTES && !this.#isOld(state.position.segment)) return
    await this.startSegment(state.epoch, undefined)
    await this.#foldOldHistory()
  }

  /** A past that is cut by whole segments needs segments that end. Asked once a process. */
  #isOld(segment: string): boolean {
    if (this.isDone) return false
    const begun = Date.parse(this.#workspace.journal.headerOf(segment)?.at ?? '')
    return this.#clock() - begun > SEGMENT_MS
  }

  async #foldOldHistory(): Promise<void> {
    try {
      await foldOldHistory(this.#workspace, this.#clock(), () => this.checkpointer.make())
    } catch (error) {
      // Longer than it must be, the past does no harm; the next segment tries again.
      if (!isKeepsakeError(error)) throw error
    }
  }

  /** An epoch that goes on from where we are: nothing is lost, but whoever follows the feed starts over. */
  async startEpochFromHere(): Promise<void> {
    const { epoch, number } = this.#workspace.catalog
    await this.startSegment(newId(this.#clock()), number > 0 ? { epoch, number } : undefined)
    await this.checkpointer.make()
  }

  async startSegment(epoch: string, from: ChangePlace | undefined): Promise<void> {
    const { journal, settings, state } = this.#workspace
    const { host, boot } = thisProcess()
    const at = instant(this.#clock())
    await this.#pinSettings()
    this.#workspace.refuseReplaced()
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
    const plan = this.#committer.newPlan()
    const { edits } = survey(workspace)
    // Where the past is lost, all that there is stands in the first records, so that what comes can be undone.
    const sifted = withoutBulkRemovals(workspace, edits)
    if (from) noteHeldBack(workspace, sifted.heldBack)
    if (from) planHandEdits(plan, sifted.edits)
    else planHandEdits(plan, allAsAdditions(workspace, edits), { found: true })
    await this.startSegment(newId(this.#clock()), from)
    if (plan.records.length > 0) await this.#committer.commit(plan.records)
    await this.checkpointer.make()
  }
}
