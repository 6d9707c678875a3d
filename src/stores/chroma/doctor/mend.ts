/**
 * `doctor --fix` of a memory on a server: what was left behind goes, and a snapshot is made where the one that is there can't be used.
 * No entry and no change is touched, and of transcripts only what a purge was to take out, so nothing is backed up before.
 */
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { mendable } from '../../disk/doctor/codes.ts'
import { goneSince, type Mending } from '../../disk/doctor/examination.ts'
import type { Finding } from '../../disk/doctor/finding.ts'
import type { FollowedMemory } from '../followed-memory.ts'
import { type ConfirmedLease, chromaLeases, confirmOr, holding } from '../log/leases.ts'
import { clearLeftOvers } from '../moving/moving-in.ts'
import { removeNobodysParts } from '../purge/purge-parts.ts'
import type { Connection } from '../server/connection.ts'
import type { Shelf } from '../server/shelf.ts'
import { readSnapshot, removeSnapshots, snapshotNotes, writeSnapshot } from '../snapshots.ts'
import { storeOn } from '../store.ts'
import { type Examined, type ExamineServerOptions, examineServer } from './examine.ts'

/** Whoever folds the log, or purges, does the same. */
const LEASE = 'fold'
const BUSY = 'nothing was mended, for another program folds or purges this memory just now: try again'
const BY_SNAPSHOT: readonly Finding['code'][] = ['damaged-snapshot', 'snapshot-differs']

export async function mendServer(connection: Connection, options: ExamineServerOptions = {}): Promise<Mending> {
  const before = await examineServer(connection, options)
  const wanted = mendable(before.findings)
  if (wanted.length === 0) return { mended: [], examination: plain(before), warnings: notMended(before) }
  const warnings: string[] = []
  try {
    const isDone = await underLease(connection, before, (lease) => mend(connection, lease, options))
    // It takes the lease itself.
    if (isDone && has(wanted, ['unfinished-purge'])) await storeOn(connection).purge([], callOf(options))
    if (!isDone) warnings.push(BUSY)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    warnings.push(error.message)
  }
  const after = await examineServer(connection, options)
  return { mended: goneSince(before.findings, after.findings), examination: plain(after), warnings }
}

/** Whether it was to be had. */
async function underLease(
  { log, time }: Connection,
  { root }: Examined,
  run: (lease: ConfirmedLease) => Promise<void>,
): Promise<boolean> {
  if (!root) return true
  const leases = chromaLeases(log, async () => root.generation, time)
  try {
    const lease = await leases.lease(LEASE)
    if (lease) await holding(lease, () => run(lease))
    return lease !== undefined
  } finally {
    await leases.close()
  }
}

/** What it looked at before it had the lease may be purged or folded since. */
async function mend(connection: Connection, lease: ConfirmedLease, options: ExamineServerOptions): Promise<void> {
  const { root, memory, findings } = await examineServer(connection, options)
  if (!root || findings.some(({ severity }) => severity === 'damage')) return
  const { log } = connection
  const { generation } = root
  const call = callOf(options)
  if (memory && has(findings, BY_SNAPSHOT)) await newSnapshot(log, memory, lease, call)
  await lease.confirm()
  await removeNobodysParts(log, generation, call)
  await clearLeftOvers({ log, connection }, generation, call)
}

/** The old ones go when the new one can be read: at no moment is there none that could be. */
async function newSnapshot(
  log: Shelf,
  { generation, position, number, nextSeq, epoch, state }: FollowedMemory,
  lease: ConfirmedLease,
  call: CallOptions,
): Promise<void> {
  const old = await snapshotNotes(log, generation, 'z', call)
  const entries = state.scan({})
  const note = await writeSnapshot(log, generation, 'z', { position, number, nextSeq, epoch, entries }, call)
  // A purge may have come meanwhile, and does not know of this one.
  await confirmOr(lease, () => removeSnapshots(log, generation, [note], call))
  if (await readSnapshot(log, generation, note, call)) await removeSnapshots(log, generation, old, call)
}

function has(findings: readonly Finding[], codes: readonly Finding['code'][]): boolean {
  return findings.some(({ code }) => codes.includes(code))
}

function callOf({ signal }: ExamineServerOptions): CallOptions {
  return signal ? { signal } : {}
}

/** Why something that one may expect is not done. */
function notMended({ findings }: Examined): string[] {
  if (!findings.some(({ fixable }) => fixable)) return []
  return ['nothing was mended, for something keeps this memory from being used as it is asked for']
}

function plain({ findings, checked }: Examined): Mending['examination'] {
  return { findings, checked }
}
