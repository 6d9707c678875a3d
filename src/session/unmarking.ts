/**
 * What an undo or a purge of an archive means for a transcript: one that is taken away takes its marker with it, so that the turns
 * are there again; one that is brought back brings it back. It reads the whole transcript, for the marker may be any.
 */
import { isKeepsakeError } from '../errors.ts'
import { newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord, Touched } from '../ports/store.ts'
import { markersIn } from './markers.ts'
import type { SessionPlace, TranscriptPlace } from './place.ts'
import { againAfterRaces } from './races.ts'
import { markerRecord, unmarkRecord } from './records.ts'

/** The undo, or the purge, itself is done: what fails here is told, and worked out by whoever reads the session. */
export async function followArchives(
  place: Omit<SessionPlace, 'key'>,
  touched: readonly Touched[],
  options: CallOptions,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const [id, key] of archivesIn(place.agent, touched)) {
    try {
      const isThere = (await place.store.get(id, options)) !== undefined
      await follow({ ...place, key }, id, isThere, options)
    } catch (error) {
      if (!isKeepsakeError(error) && !options.signal?.aborted) throw error
      const reason = error instanceof Error ? error.message : String(error)
      warnings.push(`the session ${JSON.stringify(key)} could not be told of it: ${reason}`)
    }
  }
  return warnings
}

/** Each archive with the session that it is of. */
function archivesIn(agent: string, touched: readonly Touched[]): Map<string, string> {
  const archives = new Map<string, string>()
  for (const { id, before, after } of touched) {
    const { kind, scope, metadata } = after ?? before ?? {}
    const session = metadata?.['session']
    if (kind === 'archive' && scope === agent && typeof session === 'string' && session !== '')
      archives.set(id, session)
  }
  return archives
}

async function follow(
  place: TranscriptPlace,
  archiveId: string,
  isThere: boolean,
  options: CallOptions,
): Promise<void> {
  const { sessions, agent, key } = place
  await againAfterRaces(async () => {
    const page = await sessions.read(agent, key, 0, options)
    const records = page ? recordsFor(place, page.records, archiveId, isThere) : []
    if (page && records.length > 0) await sessions.append(agent, key, records, { ...options, expectEnd: page.next })
  })
}

function recordsFor(
  { clock }: TranscriptPlace,
  records: readonly SessionRecord[],
  archiveId: string,
  isThere: boolean,
): SessionRecord[] {
  const at = instant(clock())
  const markers = markersIn(records).filter(({ marker }) => marker.archiveId === archiveId)
  const inForce = markers.filter(({ unmarked }) => !unmarked)
  if (!isThere) return inForce.map(({ marker }) => unmarkRecord(newId(clock()), at, marker.id))
  const last = markers.at(-1)
  return last && inForce.length === 0 ? [markerRecord({ ...last.marker, id: newId(clock()), at })] : []
}
