/**
 * `doctor --fix` of a memory on a server: what was left behind goes, and a snapshot is made where the one that is there can't be used.
 * No entry, change or transcript is touched, so nothing is backed up before.
 */
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { mendable } from '../../disk/doctor/codes.ts'
import { goneSince, type Mending } from '../../disk/doctor/examination.ts'
import type { Finding } from '../../disk/doctor/finding.ts'
import { chromaLeases } from '../log/leases.ts'
import { clearLeftOvers } from '../moving/moving-in.ts'
import { removeNobodysParts } from '../purge/purge-parts.ts'
import type { Connection } from '../server/connection.ts'
import { removeSnapshots, snapshotNotes, writeSnapshot } from '../snapshots.ts'
import { type Examined, type ExamineServerOptions, examineServer } from './examine.ts'

/** Whoever folds the log, or purges, does the same. */
const LEASE = 'fold'
const BY_SNAPSHOT: readonly Finding['code'][] = ['damaged-snapshot', 'snapshot-differs']

export async function mendServer(connection: Connection, options: ExamineServerOptions = {}): Promise<Mending> {
  const before = await examineServer(connection, options)
  const wanted = mendable(before.findings)
  if (wanted.length === 0) return { mended: [], examination: plain(before), warnings: notMended(before) }
  const warnings: string[] = []
  try {
    await underLease(connection, before, () => mend(connection, before, wanted, options), warnings)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    warnings.push(error.message)
  }
  const after = await examineServer(connection, options)
  return { mended: goneSince(before.findings, after.findings), examination: plain(after), warnings }
}

async function underLease(
  { log, time }: Connection,
  { root }: Examined,
  run: () => Promise<void>,
  warnings: string[],
): Promise<void> {
  if (!root) return
  const leases = chromaLeases(log, async () => root.generation, time)
  try {
    const lease = await leases.lease(LEASE)
    if (!lease) {
      warnings.push('nothing was mended, for another program folds or purges this memory just now: try again')
      return
    }
    await run().finally(() => lease.release())
  } finally {
    await leases.close()
  }
}

async function mend(
  connection: Connection,
  { root, memory }: Examined,
  wanted: readonly Finding[],
  { signal }: ExamineServerOptions,
): Promise<void> {
  if (!root) return
  const { log } = connection
  const { generation } = root
  const call: CallOptions = signal ? { signal } : {}
  if (memory && wanted.some(({ code }) => BY_SNAPSHOT.includes(code))) {
    const old = await snapshotNotes(log, generation, 'z', call)
    await removeSnapshots(log, generation, old, call)
    const { position, number, nextSeq, epoch, state } = memory
    await writeSnapshot(log, generation, 'z', { position, number, nextSeq, epoch, entries: state.scan({}) }, call)
  }
  await removeNobodysParts(log, generation, call)
  await clearLeftOvers({ log, connection }, generation, call)
}

/** Why something that one may expect is not done. */
function notMended({ findings }: Examined): string[] {
  if (!findings.some(({ fixable }) => fixable)) return []
  return ['nothing was mended, for something keeps this memory from being used as it is asked for']
}

function plain({ findings, checked }: Examined): Mending['examination'] {
  return { findings, checked }
}
