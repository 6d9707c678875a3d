/** `/new`: a marker behind all that was said, with nothing to stand for it. The transcript keeps it, and so does `conversation`. */
import { newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import type { SessionPlace } from './place.ts'
import { type Marker, markerRecord } from './records.ts'
import type { Sliding } from './sliding.ts'
import type { Transcript } from './transcript.ts'

export interface Reset {
  /** `false`: there was nothing to leave behind. */
  readonly reset: boolean
  readonly marker?: Marker
  readonly warnings: readonly string[]
}

export async function resetSession(
  place: SessionPlace,
  transcript: Transcript,
  sliding: Sliding,
  options: CallOptions,
): Promise<Reset> {
  const { turns } = await transcript.settled(options)
  const [first, last] = [turns[0], turns.at(-1)]
  if (!first || !last) return { reset: false, warnings: [] }
  const { warnings } = await sliding.slideOut(0, options)
  const marker: Marker = {
    id: newId(place.clock()),
    at: instant(place.clock()),
    reason: 'new',
    first: first.id,
    through: last.id,
    turns: turns.length,
    until: last.at,
  }
  // What came since this was asked for belongs to what is new; and of two at once only one does it.
  const isDone = await transcript.decided((state) => {
    const isThere = state.turns.some(({ id }) => id === last.id)
    return { records: isThere ? [markerRecord(marker)] : [], value: isThere }
  }, options)
  return isDone ? { reset: true, marker, warnings } : { reset: false, warnings }
}
