/**
 * A transcript on the server as its readers see it, from either end. A position is the number of the last piece before it, and how
 * often the transcript was purged before, so that none from before a purge counts after it; what has no end yet is not there yet.
 * Pieces are fetched by their numbers, so a page takes as long for a long session as for a short one. Deliberately absent: a count of
 * lines. It is made when a line is broken, for its number, and would else cost the whole text.
 */
import { purgeCount } from '../../../model/transcript-metadata.ts'
import type { CallOptions, SessionPage, SessionRecord, SessionTail } from '../../../ports/store.ts'
import type { SessionMetadata } from '../../disk/session-metadata.ts'
import { NEWLINE, recordsIn } from '../../disk/session-tail.ts'
import { type FirstLine, firstLineIn, readFirstLine } from './session-first-line.ts'
import { isUnended, joinedBytes, type Piece, type SessionLog } from './session-log.ts'

/** What one page read from behind holds; more where one append brought more. */
const PAGE_BYTES = 64 * 1024
const PAGE_PIECES = 256
/** So many are fetched at first, and each time so many times more: mostly a few fill a page. */
const FIRST_PIECES = 8
const TIMES_MORE = 8
/** Of a transcript, and of purges before the count begins anew: together they fill the numbers that are exact. */
const MOST_PIECES = 2 ** 40
const MOST_PURGES = 2 ** 13

/** The position behind a piece. */
export function positionAt(first: SessionMetadata | undefined, number: number): number {
  return (purgeCount(first?.meta ?? {}) % MOST_PURGES) * MOST_PIECES + number
}

/** All whole lines from a position on; `undefined` when there is not one whole line. */
export async function readForward(
  session: SessionLog,
  from: number,
  options: CallOptions,
): Promise<SessionPage | undefined> {
  const number = numberIn(from)
  if (from === 0 || number === undefined) {
    const pieces = await session.pieces(0, options)
    const first = firstLineIn(pieces)
    const page = first && (await pageOf(session, first, { after: 0, pieces }, options))
    return from === 0 ? page : restarted(page)
  }
  const [first, pieces] = await Promise.all([
    readFirstLine(session, options),
    session.pieces(Math.max(0, number - 1), options), // with the one before it, which proves that there is such a place
  ])
  if (!first) return undefined
  if (positionAt(first, number) !== from || !isPlace(number, pieces[0])) {
    return restarted(await readForward(session, 0, options))
  }
  return pageOf(session, first, { after: number, pieces: number === 0 ? pieces : pieces.slice(1) }, options)
}

/** The whole lines that end at a position (left out: at the end): as many as a page holds, or the one piece that is longer. */
export async function readBackward(
  session: SessionLog,
  before: number | undefined,
  known: number,
  options: CallOptions,
): Promise<SessionTail | undefined> {
  const [first, end] = await Promise.all([readFirstLine(session, options), session.end(known, options)])
  if (!first) return undefined
  if (before !== undefined && before !== 0) {
    const number = numberIn(before)
    const isThere = number !== undefined && number <= end && positionAt(first, number) === before
    const part = isThere ? await lastPieces(session, number, options) : undefined
    if (part && isPlace(number ?? 0, part.pieces.at(-1))) return tailOf(session, first, part, options)
    return restarted(await readBackward(session, undefined, end, options))
  }
  const part = await lastPieces(session, before ?? end, options)
  // The server was put back to an earlier state: what was known of it is not so any more.
  const isLost = known > 0 && before === undefined && part.pieces.at(-1)?.number !== end
  return isLost ? readBackward(session, undefined, 0, options) : tailOf(session, first, part, options)
}

/** Pieces that follow each other. */
interface Part {
  /** The number of the piece before them. */
  readonly after: number
  readonly pieces: readonly Piece[]
}

/** `undefined`: nobody was ever given such a position. */
function numberIn(position: number): number | undefined {
  return Number.isSafeInteger(position) && position >= 0 ? position % MOST_PIECES : undefined
}

/** Behind a piece that is there and has its end, or at the beginning. */
function isPlace(number: number, piece: Piece | undefined): boolean {
  return number === 0 || (piece?.number === number && !isUnended(piece))
}

/** Read back until they are a page or more, and cut to one. */
async function lastPieces(session: SessionLog, last: number, options: CallOptions): Promise<Part> {
  const least = Math.max(0, last - PAGE_PIECES - 1)
  let after = last
  let pieces: readonly Piece[] = []
  for (let most = FIRST_PIECES; after > least && joinedSize(pieces) <= PAGE_BYTES; most *= TIMES_MORE) {
    const from = Math.max(least, after - most)
    pieces = [...(await session.pieces(from, { ...options, most: after - from })), ...pieces]
    after = from
  }
  const start = startOfPage(pieces)
  return { after: after + start, pieces: pieces.slice(start) }
}

function startOfPage(pieces: readonly Piece[]): number {
  let size = 0
  for (let start = pieces.length - 1; start >= 0; start--) {
    const piece = pieces[start]
    size += piece?.bytes.length ?? 0
    const isFull = size > PAGE_BYTES || pieces.length - start > PAGE_PIECES
    // What has no end goes with what ends it, and a page has one piece at least.
    if (isFull && start < pieces.length - 1 && piece && !isUnended(piece)) return start + 1
  }
  return 0
}

async function tailOf(session: SessionLog, first: FirstLine, part: Part, options: CallOptions): Promise<SessionTail> {
  const { after } = part
  const isAll = after < first.piece || (after === first.piece && first.isAlone)
  return { ...(await pageOf(session, first, part, options)), start: isAll ? 0 : positionAt(first, after) }
}

async function pageOf(
  session: SessionLog,
  first: FirstLine,
  { after, pieces }: Part,
  options: CallOptions,
): Promise<SessionPage> {
  const records: SessionRecord[] = []
  const broken: { line: number; problem: string }[] = []
  if (first.problem !== undefined) broken.push({ line: 1, problem: first.problem })
  const bytes = joinedBytes(pieces)
  const skipped = after < first.piece ? first.start : 0
  let linesBefore: number | undefined
  let at = skipped
  for (let line = 1, end = bytes.indexOf(NEWLINE, at); end !== -1; line++, end = bytes.indexOf(NEWLINE, at)) {
    const found = recordsIn(bytes.subarray(at, end))
    if (found) for (const record of found) records.push(record)
    else {
      linesBefore ??= (await linesUpTo(session, after, options)) + linesIn(bytes.subarray(0, skipped))
      broken.push({ line: linesBefore + line, problem: 'it is not a JSON object' })
    }
    at = end + 1
  }
  const last = pieces.at(-1)
  const next = last && isUnended(last) ? last.number - 1 : (last?.number ?? after)
  return { meta: first.meta, records, next: positionAt(first, next), broken }
}

async function linesUpTo(session: SessionLog, number: number, options: CallOptions): Promise<number> {
  if (number === 0) return 0
  const pieces = await session.pieces(0, { ...options, most: number })
  return pieces.reduce((sum, { bytes }) => sum + linesIn(bytes), 0)
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

function joinedSize(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function restarted<Page extends SessionPage>(page: Page | undefined): Page | undefined {
  return page && { ...page, restarted: true }
}
