/**
 * The archive of a span of turns: how it is called, what it says of the span, and the marker that follows from it. Its id is
 * derived from the session, the first turn and how often such an archive was made before, so that two who compact at once make one,
 * so that a marker that a crash kept from being appended is found again, and so that no two makings are taken for one. Pure.
 */
import type { Entry, EntryHead, Metadata } from '../model/entry.ts'
import { derivedId, isId } from '../model/id.ts'
import type { Marker, MarkerReason, Turn } from './records.ts'

const LONGEST_NAME = 200
/** Room for a dash and a number. */
const LONGEST_STEM = LONGEST_NAME - 12

/** `nth`: those before were taken back, or are another turn's, where a hand has copied a turn that an archive stands for. */
export function archiveId(agent: string, key: string, firstTurn: string, nth: number = 1): string {
  return derivedId(agent, `archive\0${key}\0${firstTurn}${nth === 1 ? '' : `\0${nth}`}`)
}

/**
 * The `conversation` entry of a turn: a retry can't make it twice. A UUID is the same turn wherever it stands, as in a session that a
 * client has copied to go on from it; any other id is known in its session only.
 */
export function conversationId(agent: string, key: string, turn: string): string {
  return derivedId(agent, isId(turn) ? `turn\0${turn}` : `turn\0${key}\0${turn}`)
}

/** `{session}-{n}` from the number after an earlier archive's on. */
export function* archiveNames(key: string, last?: string): Generator<string> {
  const stem = stemOf(key)
  const number = last?.startsWith(`${stem}-`) ? Number(/-([1-9]\d{0,8})$/.exec(last)?.[1] ?? 0) : 0
  for (let n = number + 1; ; n++) yield `${stem}-${n}`
}

/** A key may hold anything, a name may not. */
function stemOf(key: string): string {
  const printable = key
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .normalize('NFC')
    .trim()
  return [...printable].slice(0, LONGEST_STEM).join('').trim() || 'session'
}

export function archiveMetadata(key: string, span: readonly Turn[], reason: MarkerReason): Metadata {
  const [first, last] = [span[0], span.at(-1)]
  if (!first || !last) throw new Error('unreachable: a span has turns')
  return {
    session: key,
    first: first.id,
    through: last.id,
    turns: span.length,
    since: first.at,
    until: last.at,
    ...(reason === 'compact' ? {} : { reason }),
  }
}

/** It holds all that was said, for want of a summary, and stands for nothing: the turns are still there. */
export function isFallback({ kind, metadata }: Pick<EntryHead, 'kind' | 'metadata'>): boolean {
  return kind === 'archive' && metadata['raw'] === true && metadata['reason'] !== 'new'
}

/** `undefined` where the entry is no archive that stands for turns of this session from this one on. */
export function markerOf(entry: Entry, key: string, firstTurn: string, id: string): Marker | undefined {
  const { session, first, through, turns, until, reason } = entry.metadata
  if (entry.kind !== 'archive' || session !== key || first !== firstTurn || typeof through !== 'string')
    return undefined
  if (isFallback(entry)) return undefined
  return {
    id,
    at: entry.createdAt,
    reason: reason === 'trim' || reason === 'new' ? reason : 'compact',
    first,
    through,
    turns: typeof turns === 'number' ? turns : 1,
    until: typeof until === 'string' ? until : entry.createdAt,
    archiveId: entry.id,
    ...(entry.name === null ? {} : { archiveName: entry.name }),
    archivedAt: entry.createdAt,
  }
}
