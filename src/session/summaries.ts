/**
 * A summary of each session of an agent. The turns of a transcript are counted once; the counts are stored with the derived data, and
 * the next list reads only what was appended since. If a marker or an archive has changed since, the turns are counted again.
 */
import type { CallOptions } from '../ports/store.ts'
import { archiveChanges, archiveHeads, type ChangesById, type LookUp } from './archives.ts'
import type { SessionPlace } from './place.ts'
import { movesNoMarker, Transcript } from './transcript.ts'

export interface SessionSummary {
  readonly key: string
  /** `null`: nobody can read it any more. */
  readonly createdAt: string | null
  /** When it was last spoken in; where nothing was said yet, when it was made. */
  readonly lastAt: string | null
  /** Since the marker. */
  readonly turns: number
  /** What is wrong with its metadata. */
  readonly problem?: string
}

/** The live turns of a transcript up to a position. */
interface Count {
  readonly turns: number
  readonly lastAt: string | null
  readonly end: number
  /** Everything else that the count depends on: when the session was made, and the ids of its archives. */
  readonly basis: string
}

interface NewCount {
  readonly count: Count
  /** How many records the next list need not read if this count is stored. */
  readonly saved: number
}

const VERSION = 1
/** The basis of a count that no later list may build on. */
const UNCERTAIN = ''
/** Reading fewer records again costs less than storing the counts. */
const RECORDS_WORTH_STORING = 500
/** A transcript is read in pages from its end, so even a short count reads about this many. */
const PAGE_RECORDS = 100

/** Oldest first. */
export async function summariesOf(
  place: Omit<SessionPlace, 'key'>,
  options: CallOptions,
): Promise<readonly SessionSummary[]> {
  const { sessions, store, agent } = place
  const { derived } = store
  const derivedKey = `sessions-${agent}`
  const kept = parseCounts(await derived.read(derivedKey, options))
  const archives = await archivesBySession(place, options)
  let changes: Promise<ChangesById> | undefined
  const past: LookUp = (call) => {
    changes ??= archiveChanges(place, call)
    return changes
  }
  const summaries: SessionSummary[] = []
  const counts = new Map<string, Count>()
  let savedRecords = 0
  for (const { key, createdAt, problem } of await sessions.list(agent, options)) {
    const transcript = new Transcript({ ...place, key }, past)
    const basis = `${createdAt}${archives.get(key) ?? ''}`
    const { count, saved } = await countTurns(transcript, kept.get(key), basis, options)
    const told = problem === undefined ? {} : { problem }
    summaries.push({ key, createdAt, lastAt: count.lastAt ?? createdAt, turns: count.turns, ...told })
    counts.set(key, count)
    savedRecords += saved
  }
  if (savedRecords >= RECORDS_WORTH_STORING) await derived.write(derivedKey, formatCounts(counts))
  return summaries
}

async function countTurns(
  transcript: Transcript,
  before: Count | undefined,
  basis: string,
  options: CallOptions,
): Promise<NewCount> {
  const since = before?.basis === basis ? await transcript.since(before.end, options) : undefined
  if (before && since?.records.every(movesNoMarker)) {
    const added = since.records.flatMap((record) => (record.type === 'turn' ? [record.turn] : []))
    const [turns, lastAt] = [before.turns + added.length, added.at(-1)?.at ?? before.lastAt]
    return { count: { turns, lastAt, end: since.end, basis }, saved: since.records.length }
  }
  const { turns, marker, archive, end, owed } = await transcript.state(options)
  const lastAt = turns.at(-1)?.at ?? marker?.until ?? null
  const count = { turns: turns.length, lastAt, end, basis }
  // Why an archive is missing may change without a record in the transcript.
  const isCertain = owed.length === 0 && archive?.missing === undefined
  return isCertain
    ? { count, saved: Math.max(turns.length, PAGE_RECORDS) }
    : { count: { ...count, basis: UNCERTAIN }, saved: 0 }
}

/** The ids of the archives of each session. */
async function archivesBySession(
  place: Omit<SessionPlace, 'key'>,
  options: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  for (const { id, metadata } of await archiveHeads(place, options)) {
    const session = String(metadata['session'])
    ids.set(session, `${ids.get(session) ?? ''} ${id}`)
  }
  return ids
}

function formatCounts(counts: ReadonlyMap<string, Count>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ version: VERSION, sessions: Object.fromEntries(counts) }))
}

/** Empty if nothing is stored, or another version stored it. */
function parseCounts(bytes: Uint8Array | undefined): ReadonlyMap<string, Count> {
  try {
    const { version, sessions } = JSON.parse(new TextDecoder().decode(bytes))
    return new Map(version === VERSION ? Object.entries<Count>(sessions) : [])
  } catch {
    return new Map()
  }
}
