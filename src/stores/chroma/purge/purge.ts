/**
 * Forgetting for good. First a record of the log says who is gone, so that nobody reads them any more, and the feed begins anew; then
 * what is told of them is taken out of everything that the memory has on the server. What tells their texts goes last, so that
 * a purge that was cut short is finished by the next one, or by `doctor --fix`: until then it is known what to look for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeRecord } from '../../../codec/change-record.ts'
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import type { Origin, Scope } from '../../../model/entry.ts'
import { normalizeAgentId } from '../../../model/name.ts'
import {
  collectPurged,
  entryOccurrences,
  fileMentions,
  type Occurrence,
  type PurgedText,
  type Redactions,
  redactedSessionsText,
  redactionsFor,
  shortTextNotice,
} from '../../../model/redaction.ts'
import { instant } from '../../../model/time.ts'
import type { CallOptions, Purged } from '../../../ports/store.ts'
import { removeDerived } from '../derived.ts'
import { readHistory } from '../history.ts'
import { allFiles, removeFilesOf } from '../kept-files.ts'
import { type ConfirmedLease, holding } from '../log/leases.ts'
import { clearLeftOvers } from '../moving/moving-in.ts'
import { type Followed, type Ground, missingMemory, type Replica } from '../replica.ts'
import type { Shelf } from '../server/shelf.ts'
import { redactSessions, sessionOccurrences } from '../sessions/session-purge.ts'
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
export async function purge(
  ground: PurgeGround,
  ids: readonly string[],
  { origin, ...options }: CallOptions & { readonly origin: Origin },
): Promise<Purged> {
  const followed = await ground.replica.catchUp(options)
  if (!followed) return { cleaned: [], occurrences: [], outOfReach: [] }
  const lease = await leaseOf(ground, options)
  return holding(lease, () => purgeAlone({ ...ground, lease, origin }, followed, new Set(ids), options))
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
  readonly origin: Origin
  readonly lease: ConfirmedLease
}

async function purgeAlone(
  ground: LeasedGround,
  followed: Followed,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<Purged> {
  const wasThere = ids.size > 0 && (await declareGone(ground, followed, ids, options))
  try {
    return await removeTraces(ground, followed, wasThere, options)
  } catch (error) {
    throw isKeepsakeError(error) ? unfinished(error) : error
  }
}

/** Whether any of them was there. From here on nobody can give them another text. */
async function declareGone(
  { log, writer, origin, clock }: LeasedGround,
  followed: Followed,
  ids: ReadonlySet<string>,
  options: CallOptions,
): Promise<boolean> {
  let wasThere = false
  const { scopes } = collectPurged(await readHistory(log, followed, options), ids)
  await writer.appendRecord((newest) => {
    wasThere = [...ids].some((id) => newest.state.get(id) !== undefined)
    const { agent } = origin
    return {
      changes: [purgeChange(newest, origin, scopes, clock())],
      epoch: crypto.randomUUID(),
      gone: [...ids],
      ...(agent === undefined ? {} : { agent: normalizeAgentId(agent) }),
      nextSeq: newest.nextSeq,
    }
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
  const redactions = redactionsFor(texts)
  const guard = (): Promise<void> => lease.confirm()
  let sessions = await redactSessions(log, generation, redactions, { ...options, guard })
  const newest = await ground.replica.catchUp(options)
  if (!newest) throw missingMemory(ground.address)
  // One that came again with the same id stays.
  const dead = new Set([...gone.keys()].filter((id) => newest.state.get(id) === undefined))
  // Files come with a move alone, before anything is purged: what they hold of these was to go.
  const files = await removeFilesOf(log, generation, new Set(gone.keys()), options)
  await removeDerived(log, generation, options)
  const occurrences = await occurrencesIn(log, newest, redactions, options)
  await writeSnapshot(log, generation, 'z', snapshotOf(newest), options)
  // Whoever embeds at this moment removes what it has put, if it finds it gone.
  await removePieces(connection.memories, [...dead], options)
  const textKey = ({ agent, text }: PurgedText): string => `${agent} ${text}`
  const looked = new Set(texts.map(textKey))
  const lookFor: LookFor = async (told) => {
    // Another one declared them gone meanwhile, and must find them; or we find them for it.
    const fresh = told.filter((text) => !looked.has(textKey(text)))
    for (const text of fresh) looked.add(textKey(text))
    sessions += await redactSessions(log, generation, redactionsFor(fresh), { ...options, guard })
  }
  await scrubPast(log, generation, lookFor, options)
  await lease.confirm()
  await removeNobodysParts(log, generation, options)
  await clearLeftOvers(ground, generation, options)
  const cleaned = [
    `${wasThere ? 'the entries, the' : 'the'} record of changes and everything derived from it`,
    ...redactedSessionsText(sessions),
  ]
  if (files > 0) cleaned.push(`${files} file${files === 1 ? '' : 's'} that came from a folder with its text`)
  const outOfReach = [
    ...shortTextNotice(redactions),
    "the server's own files: its write-ahead log and the pages that it has not reused yet (its administrator can vacuum them)",
    'backups and snapshots of the server, and copies of its collections',
    'programs that have this memory open, until they next look at the server; and an agent that has read it',
  ]
  return { cleaned, occurrences, outOfReach }
}

function unfinished(error: KeepsakeError): KeepsakeError {
  return new KeepsakeError(error.code, error.message, {
    hint: 'They are gone from the memory, but the server may still hold what they said: keepsake doctor --fix finishes it.',
    data: error.data,
    cause: error,
  })
}

/** The change that removed them, without them: the numbers go on. */
function purgeChange({ number }: Followed, origin: Origin, purged: readonly Scope[], nowMs: number): ChangeRecord {
  return { number: number + 1, at: instant(nowMs), origin, operations: [], set: [], purged }
}

/** Without them, from behind the purge: what was to be loaded before is void. */
function snapshotOf({ position, number, nextSeq, epoch, state }: Followed): Snapshot {
  return { position, number, nextSeq, epoch, entries: state.scan({}) }
}

async function occurrencesIn(
  log: Shelf,
  followed: Followed,
  redactions: Redactions,
  options: CallOptions,
): Promise<Occurrence[]> {
  if (redactions.reported.length === 0) return []
  const found = entryOccurrences(await readHistory(log, followed, options), redactions)
  found.push(...(await sessionOccurrences(log, followed.generation, redactions, options)))
  for await (const { path, bytes } of allFiles(log, followed.generation, options)) {
    if (fileMentions(bytes, redactions)) found.push({ in: 'file', path })
  }
  return found
}
