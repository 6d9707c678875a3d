/** The sessions of an agent at a glance. Each is read from its end, as far as its marker; the past, where it is needed, once for all. */
import type { CallOptions } from '../ports/store.ts'
import { archiveChanges, type ChangesById, type LookUp } from './archives.ts'
import type { SessionPlace } from './place.ts'
import { Transcript } from './transcript.ts'

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

/** Oldest first. */
export async function summariesOf(
  place: Omit<SessionPlace, 'key'>,
  options: CallOptions,
): Promise<readonly SessionSummary[]> {
  const summaries: SessionSummary[] = []
  let read: Promise<ChangesById> | undefined
  const past: LookUp = (call) => {
    read ??= archiveChanges(place, call)
    return read
  }
  for (const { key, createdAt, problem } of await place.sessions.list(place.agent, options)) {
    const { turns, marker } = await new Transcript({ ...place, key }, past).state(options)
    const lastAt = turns.at(-1)?.at ?? marker?.until ?? createdAt
    const told = problem === undefined ? {} : { problem }
    summaries.push({ key, createdAt, lastAt, turns: turns.length, ...told })
  }
  return summaries
}
