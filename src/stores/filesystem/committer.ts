/**
 * From a plan to the disk: journal, sync, then the files. Invariant: no record is appended before every file of the records
 * before it is written, so that after a crash only the last turn's files are in doubt. Only for the holder of the lock.
 */
import type { FileWrite, JournalRecord, Signature } from '../../codec/journal-record.ts'
import { isKeepsakeError } from '../../errors.ts'
import { Draft } from '../../model/draft.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import { planDisplaced } from './absorb.ts'
import { FileWriter } from './file-writer.ts'
import { PlannedFiles } from './turn-files.ts'
import type { TurnPlan } from './turn-plan.ts'
import type { Workspace } from './workspace.ts'

export interface Making {
  readonly clock: Clock
  readonly newId: (ms: number) => string
}

export class Committer {
  readonly #workspace: Workspace
  readonly #making: Making
  readonly files: FileWriter
  /** Files that this turn could not write: what later records of the turn add must wait with them. */
  readonly #unwritten = new Set<string>()

  constructor(workspace: Workspace, making: Making) {
    this.#workspace = workspace
    this.#making = making
    this.files = new FileWriter(workspace)
  }

  newPlan(): TurnPlan {
    const workspace = this.#workspace
    const nowMs = this.#making.clock()
    return {
      workspace,
      draft: new Draft(workspace.files.view()),
      files: new PlannedFiles((path) => workspace.absolute(path)),
      records: [],
      turn: workspace.catalog.number + 1,
      context: {
        now: instant(nowMs),
        zone: workspace.settings.timezone,
        newId: () => this.#making.newId(nowMs),
        seqs: workspace.catalog.seqs(),
      },
    }
  }

  async commit(records: readonly JournalRecord[]): Promise<string[]> {
    const warnings = await this.#commitRecords(records)
    return this.files.displaced.length === 0 ? warnings : [...warnings, ...(await this.journalDisplaced())]
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
      if (this.files.write(file) === 'done') return []
      return [`${file.path} was edited by hand at this very moment and is left so; your version is change ${change}`]
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      // It stays unproved, and the next turn, of any process, writes it before anything else.
      this.#unwritten.add(file.path)
      return [`${file.path} is safe in the journal but could not be written yet: ${error.message}`]
    }
  }

  /**
   * What a hand saved at the very moment that we wrote becomes a change of its own, after ours, and is what the file holds
   * from then on. Putting it there may displace yet another save; that is journaled in turn.
   */
  async journalDisplaced(): Promise<string[]> {
    const warnings: string[] = []
    for (let found = this.files.displaced.splice(0); found.length > 0; found = this.files.displaced.splice(0)) {
      const plan = this.newPlan()
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

  /**
   * Files that earlier turns wrote and that have come to rest: their signatures go along with the last record, so that no
   * reader needs to read them. As many as this turn makes new, and one more, so that none are left behind.
   */
  signFiles({ records, files }: TurnPlan): void {
    const last = records.at(-1)
    if (!last) return
    const most = records.reduce((sum, record) => sum + record.files.length, 1)
    const { catalog } = this.#workspace
    const signed: [string, Signature][] = []
    for (const path of firstOf(catalog.unsigned, most)) {
      const isAtRest = !files.isPlanned(path) && this.#workspace.files.isAsKnown(path)
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
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const out: T[] = []
  for (const item of items) {
    if (out.length >= count) break
    out.push(item)
  }
  return out
}
