/**
 * Turns of another program's transcript: those that are not here yet, by their ids, in the order that they have, and of those that
 * are here what has grown since. The same one may be imported again and again as it grows, by any number of processes at once: no
 * turn comes twice.
 */
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord } from '../ports/store.ts'
import type { TranscriptPlace } from './place.ts'
import { parseRecords, revisionRecord, type Turn, turnRecord } from './records.ts'
import { hasGrown, turnsIn } from './revisions.ts'
import { isConflict } from './transcript.ts'

export interface Imported {
  readonly added: number
  readonly already: number
}

/** An append is one line, and a line is read whole. */
const MOST_AT_ONCE = 100
const MOST_RACES = 50

export async function importTurns(
  place: TranscriptPlace,
  turns: readonly Turn[],
  options: CallOptions,
): Promise<Imported> {
  const { sessions, agent, key } = place
  let added = 0
  for (let races = 0; ; races++) {
    const page = await sessions.read(agent, key, 0, options)
    const missing = missingIn(page?.records ?? [], turns, instant(place.clock()))
    let end = page?.next ?? 0
    try {
      for (let at = 0; at < missing.length; at += MOST_AT_ONCE) {
        const records = missing.slice(at, at + MOST_AT_ONCE)
        const appended = await sessions.append(agent, key, records, { ...options, expectEnd: end })
        end = appended.end
        added += records.filter(({ type }) => type === 'turn').length
      }
      return { added, already: turns.length - added }
    } catch (error) {
      if (!isConflict(error) || races >= MOST_RACES) throw error
    }
  }
}

function missingIn(records: readonly SessionRecord[], turns: readonly Turn[], now: string): SessionRecord[] {
  const known = new Map(turnsIn(parseRecords(records)).map((turn) => [turn.id, turn]))
  const given = new Map(turns.map((turn) => [turn.id, turn]))
  return [...given.values()].flatMap((turn) => {
    const before = known.get(turn.id)
    if (!before) return [turnRecord(turn)]
    return hasGrown(before, turn) ? [revisionRecord(now, turn)] : []
  })
}
