/**
 * A memory on a server as it is held in RAM: every entry as of one position of its log, and the last changes for who follows the feed.
 * Invariant: it is always what the log up to its position comes to. Records are proved before the first of them is taken, and taken in one
 * synchronous step, so no reader sees half of one.
 */
import type { ChangeRecord } from '../../codec/change-record.ts'
import type { Entry } from '../../model/entry.ts'
import type { Change } from '../../model/operation.ts'
import type { Settings } from '../../ports/store.ts'
import { take } from '../disk/head-change.ts'
import { deepFreeze } from '../memory/deep-freeze.ts'
import { MemoryState } from '../memory/state.ts'
import { changesLog, damagedRecord, decodeLog, type LogText, recordName, refuseOtherBefore } from './changes-log.ts'
import type { LogRecord, NumberedLog } from './log/numbered-log.ts'
import type { LogPoint, Root } from './root.ts'
import type { Shelf } from './server/shelf.ts'
import type { Snapshot } from './snapshots.ts'

/** What everybody else may know of it. It moves on by itself: what must stay together is read without waiting in between. */
export interface Followed {
  readonly generation: string
  readonly settings: Settings
  readonly state: MemoryState
  readonly epoch: string
  /** Of the last change. */
  readonly number: number
  /** Of the last record of the log that was taken. */
  readonly position: number
  /** Of that record; missing where the log has none yet. */
  readonly tag: string | undefined
  readonly nextSeq: number
  /** Where the log begins. */
  readonly at: LogPoint
}

/** One record of the log, for who reads the feed. */
export interface FeedRow {
  readonly position: number
  readonly tag: string
  /** Of the last change in it or before it. */
  readonly number: number
  readonly changes: readonly Change[]
  /** Whatever is told of these up to here does not count. */
  readonly gone: readonly string[]
}

/** So many changes are held at least, if there are as many. */
const WINDOW_CHANGES = 1000

export class FollowedMemory implements Followed {
  readonly generation: string
  readonly settings: Settings
  readonly at: LogPoint
  /** Before any purge. */
  readonly firstEpoch: string
  readonly log: NumberedLog
  readonly state: MemoryState = new MemoryState()
  epoch: string
  number: number
  position: number
  tag: string | undefined
  /** Where the snapshot is that spares the log before it. */
  foldedTo: number
  #rows: readonly FeedRow[] = []
  #before: Pick<LogPoint, 'position' | 'number'>

  constructor(shelf: Shelf, root: Root, snapshot: Snapshot | undefined) {
    const { entries, nextSeq, position, number, epoch } = snapshot ?? { ...root.at, entries: [], epoch: root.epoch }
    this.generation = root.generation
    this.settings = root.settings
    this.at = root.at
    this.firstEpoch = root.epoch
    this.log = changesLog(shelf, root.generation)
    this.state.adopt(entries, Math.max(nextSeq, root.at.nextSeq))
    this.epoch = epoch
    this.number = number
    this.position = position
    this.foldedTo = position
    this.#before = { position, number }
  }

  get nextSeq(): number {
    return this.state.nextSeq
  }

  /** The last ones, oldest first, without a gap up to here. */
  get rows(): readonly FeedRow[] {
    return this.#rows
  }

  /** Where the first of these begins. */
  get beforeRows(): Pick<LogPoint, 'position' | 'number'> {
    return this.#before
  }

  /** In order, without a gap. What was taken before is passed over; behind a gap nothing is taken. */
  take(records: readonly LogRecord[]): void {
    const fresh = records.filter(({ position }, index) => {
      const first = records[0]?.position ?? 0
      return position > this.position && first <= this.position + 1 && position === first + index
    })
    const texts = fresh.map(({ position, text }) => decodeLog(text, recordName(this.generation, position)))
    this.#refuseOldNumbers(fresh, texts)
    this.#refuseOtherRow(fresh, texts)
    for (const [index, record] of fresh.entries()) this.#takeOne(record, texts[index] ?? { changes: [] })
  }

  #refuseOldNumbers(records: readonly LogRecord[], texts: readonly LogText[]): void {
    let last = this.number
    for (const [index, { changes }] of texts.entries()) {
      for (const { number } of changes) {
        if (number <= last) {
          const name = recordName(this.generation, records[index]?.position ?? 0)
          throw damagedRecord(name, `tells change ${number} after change ${last}`)
        }
        last = number
      }
    }
  }

  /** Behind a snapshot whose record was not read, nobody knows what the first one must follow. */
  #refuseOtherRow(records: readonly LogRecord[], texts: readonly LogText[]): void {
    let before = this.tag
    let isKnown = before !== undefined || this.position === this.at.position
    for (const [index, { position, tag }] of records.entries()) {
      const text = texts[index]
      if (isKnown && text) refuseOtherBefore(text, before, recordName(this.generation, position))
      before = tag
      isKnown = true
    }
  }

  #takeOne({ position, tag }: LogRecord, { changes, epoch, gone = [], nextSeq = 1 }: LogText): void {
    for (const change of changes) {
      this.state.takeTouched(take(this.#entriesOf(change), change), seqBehind(change))
      this.number = change.number
    }
    const left = gone.map((id) => ({ id }))
    this.state.takeTouched(left, nextSeq)
    this.epoch = epoch ?? this.epoch
    this.position = position
    this.tag = tag
    // Handed out as they are, so nobody may reach into them.
    const row = { position, tag, number: this.number, changes: deepFreeze(changes.map(changeOf)), gone }
    this.#hold(gone.length > 0 ? withoutGone([...this.#rows, row]) : [...this.#rows, row])
  }

  #entriesOf({ operations }: ChangeRecord): Map<string, Entry> {
    const entries = new Map<string, Entry>()
    for (const { id = '' } of operations) {
      const entry = this.state.get(id)
      if (entry) entries.set(id, entry)
    }
    return entries
  }

  #hold(rows: readonly FeedRow[]): void {
    let changes = rows.reduce((sum, row) => sum + row.changes.length, 0)
    let cut = 0
    for (const row of rows) {
      if (changes - row.changes.length < WINDOW_CHANGES) break
      changes -= row.changes.length
      this.#before = { position: row.position, number: row.number }
      cut++
    }
    this.#rows = cut === 0 ? rows : rows.slice(cut)
  }
}

/** Each without what is told in it of that which it or a later one took away. The changes stay, with their numbers. */
export function withoutGone(rows: readonly FeedRow[]): readonly FeedRow[] {
  const ids = new Set<string>()
  return rows
    .toReversed()
    .map((row) => {
      for (const id of row.gone) ids.add(id)
      return ids.size === 0 ? row : { ...row, changes: row.changes.map((change) => withoutOperations(change, ids)) }
    })
    .toReversed()
}

function withoutOperations(change: Change, ids: ReadonlySet<string>): Change {
  const operations = change.operations.filter(({ id }) => id === undefined || !ids.has(id))
  return operations.length === change.operations.length ? change : { ...change, operations }
}

/** Without what only the log needs to know. */
export function changeOf({ set: _, ...change }: ChangeRecord): Change {
  return change
}

/** Past every seq that a change gave, also to what it removed again. */
export function seqBehind({ operations }: ChangeRecord): number {
  const seqs = operations.map((operation) => (operation.op === 'add' ? (operation.seq ?? 0) : 0))
  return seqs.reduce((most, seq) => Math.max(most, seq), 0) + 1
}
