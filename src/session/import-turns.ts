/**
 * Turns of another program's transcript: those that are not here yet, by their ids, in the order that they have, and of those that
 * are here what has grown since. The same one may be imported again and again as it grows, by any number of processes at once: no
 * turn comes twice.
 */
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord } from '../ports/store.ts'
import type { TranscriptPlace } from './place.ts'
import { againAfterRaces } from './races.ts'
import { importedRecord, parseRecords, revisionRecord, type Turn, turnRecord } from './records.ts'
import { hasGrown, turnsIn } from './revisions.ts'

export interface Imported {
  readonly added: number
  /** That say more than before. */
  readonly grown: number
  /** That say what they said. */
  readonly already: number
}

/** In UTF-16 units, about: an append is one line, and a line is read whole; but each is a sync of the disk. */
const LONGEST_APPEND = 1_048_576

/** `timed`: the ids of those that have a time of their own. */
export async function importTurns(
  place: TranscriptPlace,
  turns: readonly Turn[],
  timed: ReadonlySet<string>,
  options: CallOptions,
): Promise<Imported> {
  const { sessions, agent, key } = place
  const done = { turn: 0, revision: 0 }
  await againAfterRaces(async () => {
    const page = await sessions.read(agent, key, 0, options)
    let end = page?.next ?? 0
    for (const records of appendsOf(missingIn(page?.records ?? [], turns, timed, instant(place.clock())))) {
      const appended = await sessions.append(agent, key, records, { ...options, expectEnd: end })
      end = appended.end
      for (const { type } of records) done[type === 'turn' ? 'turn' : 'revision']++
    }
  })
  return { added: done.turn, grown: done.revision, already: turns.length - done.turn - done.revision }
}

function missingIn(
  records: readonly SessionRecord[],
  turns: readonly Turn[],
  timed: ReadonlySet<string>,
  now: string,
): SessionRecord[] {
  const known = new Map(turnsIn(parseRecords(records)).map((turn) => [turn.id, turn]))
  const given = new Map<string, Turn>()
  for (const turn of turns) {
    const same = given.get(turn.id)
    if (!same || hasGrown(same, turn)) given.set(turn.id, turn)
  }
  return [...given.values()].flatMap((turn) => {
    const before = known.get(turn.id)
    if (!before) return [timed.has(turn.id) ? importedRecord(turn) : turnRecord(turn)]
    return hasGrown(before, turn) ? [revisionRecord(now, turn)] : []
  })
}

function* appendsOf(records: readonly SessionRecord[]): Generator<readonly SessionRecord[]> {
  let some: SessionRecord[] = []
  let length = 0
  for (const record of records) {
    const own = JSON.stringify(record).length
    if (some.length > 0 && length + own > LONGEST_APPEND) {
      yield some
      some = []
      length = 0
    }
    some.push(record)
    length += own
  }
  if (some.length > 0) yield some
}
