/**
 * A new file from the one that is there: its frames as they are, the past cut where it is older than what is to be kept, transcripts
 * in fewer pieces, derived bytes that still count, and a catalogue of it all. A purge is the same with some entries left out.
 * Every frame is proved as it is copied. Nothing of the old file is changed.
 */
import { crc32 } from 'node:zlib'
import type { ChangeRecord } from '../../codec/change-record.ts'
import type { Extent, SessionRow } from '../../codec/one-file/catalogue.ts'
import { decodeKeptFile, encodeDerived, encodeSession } from '../../codec/one-file/named-bytes.ts'
import { encodeSettings } from '../../codec/one-file/settings.ts'
import { type Redactions, redactTranscript } from '../../model/redaction.ts'
import { uncounted } from '../disk/reading.ts'
import { type CatalogueParts, contestedAmong, headsOf } from './catalogue-parts.ts'
import { piecesOf } from './extent-source.ts'
import { type FileBuilder, payloadAt } from './file-builder.ts'
import type { FollowedFile } from './follower.ts'
import { wholeTranscript } from './image.ts'
import { BACKUPS_KEY } from './known-backups.ts'
import { writePast } from './rebuild-past.ts'

export interface Purging {
  readonly ids: ReadonlySet<string>
  /** What transcripts lose. */
  readonly redactions: Redactions
  /** Takes the place of the change that removes them. */
  readonly change: ChangeRecord
}

export interface RebuildOptions {
  readonly nowMs: number
  /** A new one: whoever follows the feed starts over. */
  readonly epoch?: string
  readonly purging?: Purging
  /** Called now and then, so that others get on. Only where nothing can be appended meanwhile. */
  readonly pause?: () => Promise<unknown>
}

/** Ends the builder. How many transcripts say less than before. */
export async function rebuild(state: FollowedFile, builder: FileBuilder, options: RebuildOptions): Promise<number> {
  const { catalogue } = state
  const { purging, epoch = catalogue.epoch } = options
  const heads = headsOf(catalogue).filter(({ id }) => !purging?.ids.has(id))
  const contested = contestedAmong(heads, catalogue)
  builder.append('sett', encodeSettings(catalogue.settings))
  const past = await writePast(state, builder, options)
  await options.pause?.()
  const sessions = writeSessions(state, builder, purging)
  const files = writeFiles(state, builder, purging)
  const derived = writeDerived(state, builder, (key) => !purging || key === BACKUPS_KEY)
  const { changes, since } = past
  const number = purging?.change.number ?? catalogue.number
  const first = changes[0]?.number ?? number + 1
  const parts: CatalogueParts = {
    epoch,
    number,
    nextSeq: catalogue.nextSeq,
    firstOfEpoch: epoch === catalogue.epoch ? Math.max(first, catalogue.firstOfEpoch) : first,
    ...(since === undefined ? {} : { since }),
    contested,
    bases: past.bases,
    files,
    derived,
    heads,
    placeOf: (id) => past.texts.of(id, catalogue.placeOf(id)),
    changes,
    sessions: sessions.rows,
  }
  await builder.finish(parts)
  return sessions.purged
}

function writeSessions(
  { file, catalogue }: FollowedFile,
  builder: FileBuilder,
  purging: Purging | undefined,
): { readonly rows: readonly SessionRow[]; readonly purged: number } {
  let purged = 0
  const rows = [...catalogue.sessions()].map(({ scope, key, extents }): SessionRow => {
    const whole = wholeTranscript(file, { scope, key, extents })
    const text = purging ? redactTranscript(whole, scope, purging.redactions) : whole
    if (text !== whole) purged++
    return [scope, key, piecesOf(text).map((piece) => writePiece(builder, { scope, key }, piece))]
  })
  return { rows, purged }
}

export function writePiece(
  builder: FileBuilder,
  session: { readonly scope: string; readonly key: string },
  piece: Uint8Array,
): Extent {
  const parts = encodeSession(session, piece, crc32)
  const at = builder.append('sess', parts)
  return [payloadAt(at) + (parts[0]?.length ?? 0), piece.length, crc32(piece)]
}

/** Those that hold a text of a purged entry go: their bytes can't be cut without knowing them as a folder does. */
function writeFiles(
  { file, catalogue }: FollowedFile,
  builder: FileBuilder,
  purging: Purging | undefined,
): (readonly [string, number])[] {
  return [...catalogue.files].flatMap(([path, at]) => {
    const { payload } = file.frame(at)
    const { entries } = decodeKeptFile(payload, { path: file.path, at: payloadAt(at) })
    if (entries.some(({ id }) => purging?.ids.has(id))) return []
    return [[path, builder.append('file', [payload])] as const]
  })
}

/** What is damaged can be made anew, and is left out. */
function writeDerived(
  { file, catalogue }: FollowedFile,
  builder: FileBuilder,
  isKept: (key: string) => boolean,
): (readonly [string, Extent])[] {
  return [...catalogue.derived].flatMap(([key, place]) => {
    const bytes = isKept(key) ? file.proved(place, uncounted) : undefined
    if (!bytes) return []
    const parts = encodeDerived({ key }, bytes, crc32)
    const at = builder.append('derv', parts)
    const extent: Extent = [payloadAt(at) + (parts[0]?.length ?? 0), place.length, place.crc]
    return [[key, extent] as const]
  })
}
