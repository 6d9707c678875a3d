/**
 * Transcripts without some texts: the pieces that say them are rewritten in their places, so that numbers stay, and the metadata counts one
 * purge more before and after. Before, so that one that is cut short has told readers too; after, so that who has read
 * in between begins anew. Purging again finishes one that was cut short. Only one at a time: two could undo each other.
 */
import { countedOnce, purgedLines } from '../../disk/purged-transcript.ts'
import type { Shelf } from '../server/shelf.ts'
import { type RewriteOptions, SessionLog } from './session-log.ts'
import { allSessions } from './session-texts.ts'

/** How many transcripts said one of them. */
export async function purgeSessions(
  log: Shelf,
  generation: string,
  needles: readonly string[],
  options: RewriteOptions = {},
): Promise<number> {
  if (needles.length === 0) return 0
  let purged = 0
  for (const id of await allSessions(log, generation, options)) {
    if (await purgeSession(new SessionLog(log, generation, id), needles, options)) purged++
  }
  return purged
}

async function purgeSession(
  session: SessionLog,
  needles: readonly string[],
  options: RewriteOptions,
): Promise<boolean> {
  const pieces = await session.pieces(0, options)
  if (pieces.every(({ bytes }) => purgedLines(bytes, needles) === bytes)) return false
  const begin = pieces.findIndex(({ bytes }) => bytes.length > 0) // one that came empty may have gone on
  const count = async (): Promise<void> => {
    await session.rewrite(begin, { ...options, most: 1 }, ({ bytes }) => countedOnce(bytes))
  }
  await count()
  await session.rewrite(0, options, ({ bytes }) => purgedLines(bytes, needles))
  await count()
  return true
}
