/**
 * `/new`: a marker behind all that was said, with nothing to stand for it, nor for what an archive stood for. The transcript keeps
 * it, and so does `conversation`.
 */
import { newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import type { SessionPlace } from './place.ts'
import { type Marker, markerRecord } from './records.ts'
import type { Sliding } from './sliding.ts'
import type { SessionState, Transcript } from './transcript.ts'

export interface ResetOptions extends CallOptions {
  /** The last turn that is left behind, live or in the archive that is shown: what came after it stays. Left out, the last there is. */
  readonly through?: string
}

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
  { through, ...options }: ResetOptions,
): Promise<Reset> {
  const left = leftBy(await transcript.settled(options), through)
  if (!left) return { reset: false, warnings: [] }
  const { warnings } = await sliding.slideThrough(left.through, options)
  const marker: Marker = { id: newId(place.clock()), at: instant(place.clock()), reason: 'new', ...left }
  // What came since this was asked for belongs to what is new; and of two at once only one does it.
  const isDone = await transcript.decided((state) => {
    const isLeft = state.turns.some(({ id }) => id === left.through) || isArchiveOf(state, left.through)
    return { records: isLeft ? [markerRecord(marker)] : [], value: isLeft }
  }, options)
  return isDone ? { reset: true, marker, warnings } : { reset: false, warnings }
}

/** The live turns; where there are none, those that an archive stands for. */
function leftBy(
  { turns: live, marker, archive }: SessionState,
  through: string | undefined,
): Pick<Marker, 'first' | 'through' | 'turns' | 'until'> | undefined {
  const turns = through === undefined ? live : live.slice(0, live.findLastIndex(({ id }) => id === through) + 1)
  const [first, last] = [turns[0], turns.at(-1)]
  if (first && last) return { first: first.id, through: last.id, turns: turns.length, until: last.at }
  if (!marker || !archive || (through ?? marker.through) !== marker.through) return undefined
  return { first: marker.first, through: marker.through, turns: marker.turns, until: marker.until }
}

function isArchiveOf({ archive, marker }: SessionState, through: string): boolean {
  return archive !== undefined && marker?.through === through
}
