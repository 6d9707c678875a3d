/**
 * How far back the past goes. Records of the log that are older than the memory wants to keep are erased, and what was there after them
 * becomes the base of the rest. Nothing younger than 30 days goes for its size, nor because one machine has a wrong clock: the server's must
 * say so too. Only for the holder of the lease.
 * Invariant: what is erased is in the base before, and the record that the base ends with stays, for who loads from there.
 */
import type { Entry } from '../../model/entry.ts'
import { instant } from '../../model/time.ts'
import type { Settings } from '../../ports/store.ts'
import { take } from '../disk/head-change.ts'
import { changesLog } from './changes-log.ts'
import { type FollowedMemory, seqBehind } from './followed-memory.ts'
import { beginningOfPast, type Past, type PastRecord, readPast } from './history.ts'
import { type ConfirmedLease, confirmOr } from './log/leases.ts'
import { openRecord } from './log/log-reader.ts'
import type { LogRecord } from './log/numbered-log.ts'
import { goneIn, goneInRecord, goneOf } from './purge/purge-past.ts'
import type { Ground, Replica } from './replica.ts'
import type { Shelf } from './server/shelf.ts'
import { readSnapshot, removeSnapshots, type Snapshot, snapshotNotes, writeSnapshot } from './snapshots.ts'

const DAY_MS = 86_400_000
const FEWEST_DAYS = 30
const MEGABYTE = 1024 * 1024
/** So many are erased at once. */
const AT_ONCE = 256

export async function cutOldPast(
  { log: shelf, clock, connection }: Ground,
  replica: Replica,
  lease: ConfirmedLease,
): Promise<void> {
  const memory = await replica.catchUp()
  if (!memory) return
  await eraseLeftBefore(shelf, memory, lease)
  const oldest = await oldestRecord(shelf, memory)
  if (!isOld(oldest, clock())) return
  const nowMs = Math.min(clock(), await connection.time())
  if (!isOld(oldest, nowMs)) return
  const { generation, settings, epoch } = memory
  const past = await readPast(shelf, memory)
  if (tellsOfPurged(past)) return
  const base = baseBehind(past, countToCut(past.records, settings, nowMs), memory)
  if (!base) return
  const before = await snapshotNotes(shelf, generation, 'b')
  const note = await writeSnapshot(shelf, generation, 'b', base)
  const now = await replica.catchUp()
  // A purge came meanwhile, and does not know of this one.
  if (now?.generation !== generation || now.epoch !== epoch) return removeSnapshots(shelf, generation, [note])
  // Who removes what belongs to nobody may have met its parts before the record that names them.
  if (!(await readSnapshot(shelf, generation, note))) return removeSnapshots(shelf, generation, [note])
  await confirmOr(lease, () => removeSnapshots(shelf, generation, [note]))
  await removeSnapshots(
    shelf,
    generation,
    before.filter(({ position }) => position < base.position),
  )
  await eraseLots(shelf, generation, await leftBefore(shelf, memory, base.position), lease)
}

/** A purge that was cut short is finished by who finds the texts that it was to look for: until then, none is cut off. */
function tellsOfPurged({ base, records }: Past): boolean {
  const all = records.map(({ record, text }) => ({ record, told: text }))
  const gone = goneIn(all)
  const ofBase = base?.entries.map(({ id }) => id) ?? []
  return (
    goneOf(gone, base?.position ?? 0, ofBase).size > 0 ||
    all.some(({ record, told }) => goneInRecord(gone, record.position, told).size > 0)
  )
}

/** What an earlier cut was kept from erasing; only where the base that it made can be read. */
async function eraseLeftBefore(shelf: Shelf, memory: FollowedMemory, lease: ConfirmedLease): Promise<void> {
  const { generation } = memory
  const [base] = await snapshotNotes(shelf, generation, 'b')
  if (!base) return
  const left = await leftBefore(shelf, memory, base.position)
  if (left.length > 0 && (await readSnapshot(shelf, generation, base))) await eraseLots(shelf, generation, left, lease)
}

/** That is kept. */
async function oldestRecord(shelf: Shelf, memory: FollowedMemory): Promise<PastRecord | undefined> {
  const { position } = await beginningOfPast(shelf, memory)
  if (position >= memory.position) return undefined
  const { generation, at } = memory
  const { records } = await readPast(shelf, { generation, at, position: position + 1 })
  return records[0]
}

/** Whether it may go at all: one record tells whether there is anything to cut. */
function isOld(oldest: PastRecord | undefined, nowMs: number): boolean {
  return oldest !== undefined && countToCut([oldest], { retentionDays: FEWEST_DAYS, retentionMb: 0 }, nowMs) > 0
}

/** How many of the oldest records are past keeping: of a row that is old without a gap, for clocks go back. */
function countToCut(
  records: readonly PastRecord[],
  { retentionDays, retentionMb }: Pick<Settings, 'retentionDays' | 'retentionMb'>,
  nowMs: number,
): number {
  const limit = daysBefore(nowMs, retentionDays)
  const hardLimit = daysBefore(nowMs, FEWEST_DAYS)
  let bytes = records.reduce((sum, { record }) => sum + Buffer.byteLength(record.text), 0)
  for (const [index, { record, text }] of records.entries()) {
    // By the later of two clocks: a writer whose own is behind keeps its undo too.
    const newest = text.changes.reduce((last, { at }) => (at > last ? at : last), text.serverAt ?? '')
    if (newest >= hardLimit) return index
    if (newest >= limit && bytes <= retentionMb * MEGABYTE) return index
    bytes -= Buffer.byteLength(record.text)
  }
  return records.length
}

/** Not before times begin: more days than there were keep all. */
function daysBefore(nowMs: number, days: number): string {
  return instant(Math.max(0, nowMs - days * DAY_MS))
}

/** What was there after the first records, which are cut off. `undefined`: they tell of no change, so it can't say since when it is. */
function baseBehind({ base, records }: Past, count: number, { at, firstEpoch }: FollowedMemory): Snapshot | undefined {
  const entries = new Map<string, Entry>(base?.entries.map((entry) => [entry.id, entry]))
  let { position, number, nextSeq, epoch } = base ?? { ...at, epoch: firstEpoch }
  let since = base?.since
  for (const { record, text } of records.slice(0, count)) {
    for (const change of text.changes) {
      take(entries, change)
      nextSeq = Math.max(nextSeq, seqBehind(change))
      number = change.number
      since = change.at
    }
    for (const id of text.gone ?? []) entries.delete(id)
    nextSeq = Math.max(nextSeq, text.nextSeq ?? 1)
    epoch = text.epoch ?? epoch
    position = record.position
  }
  if (count === 0 || since === undefined) return undefined
  return { position, number, nextSeq, epoch, since, entries: [...entries.values()] }
}

/** Lots of what is not erased yet, the oldest first. */
async function leftBefore(
  shelf: Shelf,
  { generation, at }: FollowedMemory,
  position: number,
): Promise<readonly (readonly LogRecord[])[]> {
  const left: (readonly LogRecord[])[] = []
  for (let to = position - 1; to > at.position; to -= AT_ONCE) {
    const from = Math.max(at.position, to - AT_ONCE)
    const records = await unerased(shelf, generation, from, to)
    if (records.length > 0) left.unshift(records)
    if (records.length < to - from) break
  }
  return left
}

/** In their order, so that where this is cut short, those that are left are the last ones before the base. */
async function eraseLots(
  shelf: Shelf,
  generation: string,
  lots: readonly (readonly LogRecord[])[],
  lease: ConfirmedLease,
): Promise<void> {
  for (const records of lots) {
    await lease.confirm()
    await changesLog(shelf, generation).erase(records)
  }
}

async function unerased(shelf: Shelf, generation: string, after: number, to: number): Promise<readonly LogRecord[]> {
  const ids = Array.from({ length: to - after }, (_, index) => `${generation}/c/${after + 1 + index}`)
  const found = await shelf.get(ids)
  const records: LogRecord[] = []
  for (const id of ids) {
    const record = found.get(id)
    const opened = record && (await openRecord(shelf, generation, record))
    if (opened) records.push(opened)
  }
  return records
}
