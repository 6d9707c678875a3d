/**
 * Transcripts without some texts: the pieces that say them are rewritten in their places, so that numbers stay, and the metadata counts one
 * purge more before and after. Before, so that one that is cut short has told readers too; after, so that who has read
 * in between begins anew. Purging again finishes one that was cut short. Only one at a time: two could undo each other.
 */
import {
  countPurge,
  type Occurrence,
  type Redactions,
  redactLines,
  transcriptMentions,
} from '../../../model/redaction.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { Shelf } from '../server/shelf.ts'
import { type Piece, type RewriteOptions, SessionLog } from './session-log.ts'
import { allSessions, textsNow } from './session-texts.ts'

/** Returns how many transcripts were changed. */
export async function redactSessions(
  log: Shelf,
  generation: string,
  redactions: Redactions,
  options: RewriteOptions = {},
): Promise<number> {
  if (redactions.cuts.size === 0) return 0
  let changed = 0
  for (const id of await allSessions(log, generation, options)) {
    if (await redactSession(new SessionLog(log, generation, id), redactions, options)) changed++
  }
  return changed
}

/** Transcripts that still contain purged words. */
export async function sessionOccurrences(
  log: Shelf,
  generation: string,
  redactions: Redactions,
  options: CallOptions,
): Promise<Occurrence[]> {
  const texts = await textsNow(log, generation, options)
  const found: Occurrence[] = []
  for await (const { scope, key, text } of texts()) {
    if (transcriptMentions(text, redactions)) found.push({ in: 'session', scope, key })
  }
  return found
}

async function redactSession(session: SessionLog, redactions: Redactions, options: RewriteOptions): Promise<boolean> {
  const redacted = ({ bytes }: Piece): Uint8Array => redactLines(bytes, session.id.scope, redactions)
  const pieces = await session.pieces(0, options)
  if (pieces.every((piece) => redacted(piece) === piece.bytes)) return false
  const begin = pieces.findIndex(({ bytes }) => bytes.length > 0) // one that came empty may have gone on
  const count = async (): Promise<void> => {
    await session.rewrite(begin, { ...options, most: 1 }, ({ bytes }) => countPurge(bytes))
  }
  await count()
  await session.rewrite(0, options, redacted)
  await count()
  return true
}
