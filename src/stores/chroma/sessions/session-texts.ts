/**
 * All transcripts of a memory on a server: which ones there are, each whole for a move, and many at once written for a memory that
 * nobody knows of yet. To the byte, also what nobody can read.
 */
import type { Scope } from '../../../model/entry.ts'
import type { CallOptions, SessionText } from '../../../ports/store.ts'
import type { SessionId } from '../../disk/kept-session.ts'
import { openRecord } from '../log/log-reader.ts'
import type { Shelf, ShelfRecord } from '../server/shelf.ts'
import { joinedBytes, type Piece, SESSION_KIND, SessionLog, sessionHash } from './session-log.ts'
import { decodePiece, piecesOf } from './session-piece.ts'

/** How a transcript begins. */
export interface FirstPiece {
  readonly id: SessionId
  readonly piece: Piece
}

/** One of each transcript, in no order. `scope` left out: of all. */
export function firstRecords(
  log: Shelf,
  generation: string,
  where: { readonly scope?: Scope },
  options: CallOptions,
): Promise<readonly ShelfRecord[]> {
  return log.find({ g: generation, kind: SESSION_KIND, n: 1, ...where }, options)
}

/** `undefined`: it is not there any more. */
export async function openFirst(
  log: Shelf,
  generation: string,
  record: ShelfRecord,
  options: CallOptions,
): Promise<FirstPiece | undefined> {
  const opened = await openRecord(log, generation, record, options)
  if (!opened) return undefined
  const { id, bytes } = decodePiece(opened.text, record.id)
  return { id, piece: { number: 1, bytes } }
}

/** In no order. */
export async function allSessions(log: Shelf, generation: string, options: CallOptions): Promise<SessionId[]> {
  const found: SessionId[] = []
  for (const record of await firstRecords(log, generation, {}, options)) {
    const first = await openFirst(log, generation, record, options)
    if (first) found.push(first.id)
  }
  return found
}

/** What is there when this is kept, and no more, also when it is read later: by scope, then by key. */
export async function textsNow(
  log: Shelf,
  generation: string,
  options: CallOptions,
): Promise<() => AsyncIterable<SessionText>> {
  const ends = endsIn(await log.findIds({ g: generation, kind: SESSION_KIND }, options))
  const ids = await allSessions(log, generation, options)
  const sessions = ids
    .map((id) => ({ id, end: ends.get(sessionHash(id)) ?? 0 }))
    .filter(({ end }) => end > 0)
    .sort((a, b) => order(a.id.scope, b.id.scope) || order(a.id.key, b.id.key))
  return async function* texts() {
    for (const { id, end } of sessions) {
      const pieces = await new SessionLog(log, generation, id).pieces(0, { ...options, most: end })
      yield { ...id, text: joinedBytes(pieces) }
    }
  }
}

/** Only for a generation that nobody knows of yet. */
export async function adoptSessions(
  log: Shelf,
  generation: string,
  texts: AsyncIterable<SessionText>,
  options: CallOptions = {},
): Promise<void> {
  for await (const { scope, key, text } of texts) {
    const id = { scope, key }
    await new SessionLog(log, generation, id).fill(piecesOf(id, text), options)
  }
}

/** By session: how far its numbers go without a gap. The ids were told page by page, while others may have appended. */
function endsIn(ids: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, Set<number>>()
  for (const id of ids) {
    const [, , session = '', number] = id.split('/')
    const known = numbers.get(session) ?? new Set()
    numbers.set(session, known.add(Number(number)))
  }
  return new Map([...numbers].map(([session, found]) => [session, unbroken(found)]))
}

function unbroken(numbers: ReadonlySet<number>): number {
  let end = 0
  while (numbers.has(end + 1)) end++
  return end
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
