/** The sessions of an agent at a glance. Each is read from its end, as far as its marker. */
import type { CallOptions } from '../ports/store.ts'
import type { SessionPlace } from './place.ts'
import { Transcript } from './transcript.ts'

export interface SessionSummary {
  readonly key: string
  readonly createdAt: string
  /** When it was last spoken in, as far as it counts; else when it was compacted, reset or made. */
  readonly lastAt: string
  /** Since the marker. */
  readonly turns: number
}

/** Oldest first. */
export async function summariesOf(
  place: Omit<SessionPlace, 'key'>,
  options: CallOptions,
): Promise<readonly SessionSummary[]> {
  const summaries: SessionSummary[] = []
  for (const { key, createdAt } of await place.sessions.list(place.agent, options)) {
    const { turns, marker } = await new Transcript({ ...place, key }).state(options)
    summaries.push({ key, createdAt, lastAt: turns.at(-1)?.at ?? marker?.at ?? createdAt, turns: turns.length })
  }
  return summaries
}
