/**
 * Forgetting for good. First a record of the log says who is gone, so that nobody reads them any more, and the feed begins anew; then
 * what is told of them is taken out of everything that the memory has on the server. What tells their texts goes last, so that
 * a purge that was cut short is finished by the next one, or by `doctor --fix`: until then it is known what to look for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeRecord } from '../../../codec/change-record.ts'
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import type { CallOptions, Purged } from '../../../ports/store.ts'
import { othersPast } from '../../disk/others-past.ts'
import { isTooShort, needlesOf } from '../../disk/purge-needles.ts'
import { removeDerived } from '../derived.ts'
import { readHistory } from '../history.ts'
import { allFiles, removeFilesOf } from '../kept-files.ts'
import { type ConfirmedLease, holding } from '../log/leases.ts'
import { clearLeftOvers } from '../moving/moving-in.ts'
import { type Followed, type Ground, missingMemory, type Replica } from '../replica.ts'
import type { Shelf } from '../server/shelf.ts'
import { purgeSessions } from '../sessions/session-purge.ts'
import { type Snapshot, writeSnapshot } from '../snapshots.ts'
import { removePieces } from '../vectors/piece-records.ts'
import type { Writer } from '../writer.ts'
import { removeNobodysParts } from './purge-parts.ts'
import { goneInPast, type LookFor, scrubPast } from './purge-past.ts'

export interface PurgeGround extends Ground {
  readonly replica: Pick<Replica, 'catchUp'>
  readonly writer: Pick<Writer, 'appendRecord'>
  readonly lease: (name: string) => Promise<ConfirmedLease | undefined>
}

/** Whoever folds the log copies what is to go. */
const LEASE = 'fold'
const WAIT_MS = 10_000
const LOOK_AGAIN_MS = 250

/** Without ids: what purges that were cut short have left. */
export async function purge(ground: PurgeGround, ids: readonly string[], options: CallOptions): Promise<Purged> {
  const followed = await ground.replica.catchUp(options)
  if (!followed) return { cleaned: [], outOfReach: [] }
  const lease = await leaseOf(ground, options)
  return holding(lease, () => purgeAlone({ ...ground, lease }, followed, new Set(ids), options))
}

async function leaseOf({ lease, address }: PurgeGround, { signal }: CallOptions): Promise<ConfirmedLease> {
  for (const end = performance.now() + WAIT_MS; ; await sleep(LOOK_AGAIN_MS)) {
    signal?.throwIfAborted()
    const own = await lease(LEASE)
    if (own) return own
    if (performance.now() > end) throw busy(address)
  }
}

function busy(address: string): KeepsakeError {
  return new KeepsakeError('LOCKED', `another program tidies up or purges the memory at ${address}`, {
    hint: 'Nothing was removed. Try again; if that program was stopped, in a minute.',
    data: { address },
  })
}

interface LeasedGround extends Omit<PurgeGround, 'lease'> {
  readonly lease: ConfirmedLease
}

async function purgeAlone(
  ground: LeasedGround,
  followed: Followed,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<Purged> {
  const wasThere = ids.size > 0 && (await declareGone(ground, ids, options))
  try {
    return await removeTraces(ground, followed, wasThere, options)
  } catch (error) {
    throw isKeepsakeError(error) ? unfinished(error) : error
  }
}

/** Whether any of them was there. From here on nobody can give them another text. */
async function declareGone(
  { writer, clock }: LeasedGround,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<boolean> {
  let wasThere = false
  await writer.appendRecord((newest) => {
    wasThere = [...ids].some((id) => newest.state.get(id) !== undefined)
    const changes = wasThere ? [emptiedChange(newest, clock())] : []
    return { changes, epoch: crypto.randomUUID(), gone: [...ids], nextSeq: newest.nextSeq }
  }, options)
  return wasThere
}

/** Of all who were ever purged: one before may have been cut short. */
async function removeTraces(
  ground: LeasedGround,
  { generation }: Followed,
  wasThere: boolean,
  options: CallOptions,
): Promise<Purged> {
  const { log, lease, connection } = ground
  const { gone, texts } = await goneInPast(log, generation, options)
  const needles = needlesOf(texts)
  const guard = (): Promise<void> => lease.confirm()
  let sessions = await purgeSessions(log, generation, needles, { ...options, guard })
  const newest = await ground.replica.catchUp(options)
  if (!newest) throw missingMemory(ground.address)
  // One that came again with the same id stays.
  const dead = new Set([...gone.keys()].filter((id) => newest.state.get(id) === undefined))
  // Files come with a move alone, before anything is purged: what they hold of these was to go.
  const files = await removeFilesOf(log, generation, new Set(gone.keys()), options)
  await removeDerived(log, generation, options)
  const untouched = await outOfReach(log, newest, { texts, needles }, options)
  await writeSnapshot(log, generation, 'z', snapshotOf(newest), options)
  // Whoever embeds at this moment removes what it has put, if it finds it gone.
  await removePieces(connection.memories, [...dead], options)
  const looked = new Set(texts)
  const lookFor: LookFor = async (told) => {
    // Another one declared them gone meanwhile, and must find them; or we find them for it.
    const fresh = told.filter((text) => !looked.has(text))
    for (const text of fresh) looked.add(text)
    sessions += await purgeSessions(log, generation, needlesOf(fresh), { ...options, guard })
  }
  await scrubPast(log, generation, lookFor, options)
  await lease.confirm()
  await removeNobodysParts(log, generation, options)
  await clearLeftOvers(ground, generation, options)
  const cleaned = [`${wasThere ? 'the entries, the' : 'the'} record of changes and everything derived from it`]
  if (sessions > 0) cleaned.push(`${sessions} session${sessions === 1 ? '' : 's'} that said it`)
  if (files > 0) cleaned.push(`${files} file${files === 1 ? '' : 's'} that came from a folder with its text`)
  return { cleaned, outOfReach: untouched }
}

function unfinished(error: KeepsakeError): KeepsakeError {
  return new KeepsakeError(error.code, error.message, {
    hint: 'They are gone from the memory, but the server may still hold what they said: keepsake doctor --fix finishes it.',
    data: error.data,
    cause: error,
  })
}

/** The change that removed them, without them: the numbers go on. */
function emptiedChange({ number }: Followed, nowMs: number): ChangeRecord {
  return { number: number + 1, at: instant(nowMs), origin: { by: 'hand' }, operations: [], set: [] }
}

/** Without them, from behind the purge: what was to be loaded before is void. */
function snapshotOf({ position, number, nextSeq, epoch, state }: Followed): Snapshot {
  return { position, number, nextSeq, epoch, entries: state.scan({}) }
}

interface Purging {
  readonly texts: readonly string[]
  readonly needles: readonly string[]
}

async function outOfReach(
  log: Shelf,
  followed: Followed,
  { texts, needles }: Purging,
  options: CallOptions,
): Promise<string[]> {
  const told: string[] = []
  if (isTooShort(texts)) {
    told.push('sessions and other files that say it: the text is too short to be looked for by itself')
  }
  if (needles.length > 0) told.push(...othersPast(await readHistory(log, followed, options), needles))
  for await (const { path, bytes } of allFiles(log, followed.generation, options)) {
    const found = Buffer.from(bytes)
    if (!needles.some((needle) => found.includes(needle))) continue
    told.push(`${path}, a file that came from a folder, holds the same text: it is not the entry's own`)
  }
  return [
    ...told,
    "the server's own files: its write-ahead log and the pages that it has not used again yet (whoever runs it can vacuum them)",
    'backups and snapshots of the server, and collections that somebody has copied',
    'programs that have this memory open, until they next look at the server; and an agent that has read it',
  ]
}
