/**
 * What an undo or a purge of an archive means for a transcript: one that is taken away takes its marker with it, so that the turns
 * are there again; one that is brought back brings it back. It reads the whole transcript, for the marker may be any. After a purge
 * nobody can tell what was there, so the transcript is told before it, too: a crash in its middle leaves no marker in force.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord, Touched } from '../ports/store.ts'
import { isFallback, markerOf } from './archive.ts'
import { archiveChanges, lossFrom } from './archives.ts'
import { type FoundMarker, markersIn } from './markers.ts'
import type { SessionPlace, TranscriptPlace } from './place.ts'
import { againAfterRaces } from './races.ts'
import { markerRecord, replacedRecord, unmarkRecord } from './records.ts'

type Missing = (markers: readonly FoundMarker[]) => SessionRecord[]

/** Archives that are to be purged: as long as they are there, it means nothing. */
export async function announcePurge(
  place: Omit<SessionPlace, 'key'>,
  touched: readonly Touched[],
  options: CallOptions,
): Promise<readonly string[]> {
  return tellOf(place, touched, options, async (id) => () => [replacedRecord(instant(place.clock()), id)])
}

/** The undo, or the purge, itself is done: what fails here is told, and worked out by whoever reads the session. */
export async function followArchives(
  place: Omit<SessionPlace, 'key'>,
  touched: readonly Touched[],
  options: CallOptions,
): Promise<readonly string[]> {
  return tellOf(place, touched, options, async (id, key) => {
    const archive = await place.store.get(id, options)
    return archive ? (markers) => recordsBack(place, key, archive, markers) : recordsGone(place, id, options)
  })
}

async function tellOf(
  place: Omit<SessionPlace, 'key'>,
  touched: readonly Touched[],
  options: CallOptions,
  missingOf: (id: string, key: string) => Promise<Missing>,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const [id, key] of archivesIn(place.agent, touched)) {
    try {
      await tell({ ...place, key }, await missingOf(id, key), id, options)
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

/**
 * An undo may also do again what another one took back: a forgotten archive leaves its marker, and a placeholder, behind. One that was
 * purged takes its marker with it, unless the session began anew there: for that nothing has to stand.
 */
async function recordsGone(place: Omit<SessionPlace, 'key'>, id: string, options: CallOptions): Promise<Missing> {
  const loss = lossFrom((await archiveChanges(place, options)).get(id) ?? [])
  if (loss === 'was forgotten') return () => []
  const isTaken = ({ marker }: FoundMarker): boolean => loss === 'undone' || marker.reason !== 'new'
  return (markers) => unmarksOf(place, markers.filter(isTaken))
}

async function tell(
  { sessions, agent, key }: TranscriptPlace,
  missing: Missing,
  archiveId: string,
  options: CallOptions,
): Promise<void> {
  await againAfterRaces(async () => {
    const page = await sessions.read(agent, key, 0, options)
    const markers = markersIn(page?.records ?? []).filter(({ marker }) => marker.archiveId === archiveId)
    const records = missing(markers)
    if (page && records.length > 0) await sessions.append(agent, key, records, { ...options, expectEnd: page.next })
  })
}

function unmarksOf({ clock }: Pick<TranscriptPlace, 'clock'>, markers: readonly FoundMarker[]): SessionRecord[] {
  const at = instant(clock())
  const inForce = markers.filter(({ unmarked }) => !unmarked)
  return inForce.map(({ marker }) => unmarkRecord(newId(clock()), at, marker.id))
}

/** The entry is the truth: markers of its id may be of another making, where a crash has taken the marker of one of the two. */
function recordsBack(
  { clock }: Pick<TranscriptPlace, 'clock'>,
  key: string,
  archive: Entry,
  markers: readonly FoundMarker[],
): SessionRecord[] {
  const last = markers.at(-1)
  if (!last) return []
  if (isFallback(archive)) return unmarksOf({ clock }, markers)
  const first = archive.metadata['first']
  const own = markerOf(archive, key, typeof first === 'string' ? first : '', newId(clock())) ?? last.marker
  if (markers.some(({ marker, unmarked }) => !unmarked && marker.through === own.through)) return []
  return [...unmarksOf({ clock }, markers), markerRecord({ ...own, id: newId(clock()), at: instant(clock()) })]
}
