/**
 * The snapshots: the newest can be read and is what the log comes to, and so is the base of the past. A snapshot can be made anew of the log,
 * a base can not. What others took away while it was read is no finding.
 */
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { FollowedMemory } from '../followed-memory.ts'
import type { LogRecord } from '../log/log-record.ts'
import type { Root } from '../root.ts'
import type { Shelf } from '../server/shelf.ts'
import { readSnapshot, type Snapshot, type SnapshotKind, type SnapshotNote, snapshotNotes } from '../snapshots.ts'

export interface CheckedSnapshots {
  readonly findings: readonly Finding[]
  /** What the base and the log come to; missing where that can't be told. */
  readonly memory: FollowedMemory | undefined
}

const ANEW = 'Nothing is lost by it: the log tells the same, and takes longer to read. --fix makes a new one.'
const NO_PAST =
  'The entries are not touched by it. To see the past again, put the data of the server back from a backup.'

/** `records`: the whole log behind the base; `undefined` where it is broken. */
export async function checkSnapshots(
  log: Shelf,
  root: Root,
  records: readonly LogRecord[] | undefined,
  options: CallOptions,
): Promise<CheckedSnapshots> {
  const base = await newest(log, root.generation, 'b', options)
  const snapshot = await newest(log, root.generation, 'z', options)
  const findings = [...base.findings, ...snapshot.findings]
  if (!records || base.findings.length > 0) return { findings, memory: undefined }
  const memory = new FollowedMemory(log, root, base.snapshot)
  const isLater = (record: LogRecord): boolean => record.position > (snapshot.snapshot?.position ?? 0)
  memory.take(records.filter((record) => !isLater(record)))
  // One that is newer than the log that was read is not to be compared with it.
  const isReached = snapshot.snapshot && snapshot.snapshot.position <= (records.at(-1)?.position ?? memory.position)
  const differs = isReached ? differsFrom(memory, snapshot.snapshot) : undefined
  memory.take(records.filter(isLater))
  // Nothing is mended by what not all of the log came to.
  if (memory.position !== (records.at(-1)?.position ?? memory.position)) return { findings, memory: undefined }
  const found = differs ? [finding('snapshot-differs', snapshot.id ?? '', differs, ANEW)] : []
  return { findings: [...findings, ...found], memory }
}

interface Newest {
  readonly findings: readonly Finding[]
  readonly id?: string
  readonly snapshot?: Snapshot
}

async function newest(log: Shelf, generation: string, kind: SnapshotKind, options: CallOptions): Promise<Newest> {
  const [note] = await snapshotNotes(log, generation, kind, options)
  if (!note) return { findings: [] }
  const read = await readOne(log, generation, note, options)
  const { id } = note
  if (typeof read !== 'string') return { findings: [], id, snapshot: read }
  const [now] = await snapshotNotes(log, generation, kind, options)
  if (now?.id !== id) return newest(log, generation, kind, options)
  return {
    findings: [kind === 'z' ? finding('damaged-snapshot', id, read, ANEW) : finding('damaged-base', id, read, NO_PAST)],
  }
}

/** A sentence where it can't be. */
async function readOne(
  log: Shelf,
  generation: string,
  note: SnapshotNote,
  options: CallOptions,
): Promise<Snapshot | string> {
  try {
    const what = note.kind === 'z' ? 'the snapshot' : 'the base of the past'
    return (await readSnapshot(log, generation, note, options)) ?? `parts of ${what} are missing, or not as written`
  } catch (error) {
    if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
    return saidOf(error)
  }
}

function differsFrom({ state, number }: FollowedMemory, { entries, ...told }: Snapshot): string | undefined {
  if (told.number !== number) return `the snapshot ends with change ${told.number}, and the log there with ${number}`
  const other = entries.find(({ id, revision }) => state.get(id)?.revision !== revision)
  if (other) return `the snapshot has the entry ${other.id} otherwise than the log`
  if (entries.length === state.size) return undefined
  return `the snapshot has ${entries.length} entries, and the log ${state.size}`
}
