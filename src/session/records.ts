/**
 * What a transcript holds, as values: turns and their revisions, markers, unmarks, what has slid out and what was replaced. A transcript is a file that anybody may have
 * written to, so reading a record never throws: what is none of ours, or half of one, is passed over. Pure.
 */
import type { JsonValue, Metadata } from '../model/entry.ts'
import { parseInstant } from '../model/time.ts'
import type { SessionRecord } from '../ports/store.ts'

export const ROLES = ['user', 'assistant', 'tool', 'system'] as const
export type Role = (typeof ROLES)[number]

/** One message of a conversation as somebody brings it. */
export interface TurnInput {
  readonly role: Role
  readonly content: string
  /** Default: now. */
  readonly at?: string
  /** The tools that an assistant's turn calls, or that a tool's turn answers for. */
  readonly tools?: readonly string[]
  readonly metadata?: Metadata
  /** Default: a new one. No two turns of a session may have the same. */
  readonly id?: string
}

/** One message of a conversation as the transcript keeps it. */
export interface Turn {
  readonly id: string
  readonly role: Role
  readonly content: string
  readonly at: string
  readonly tools: readonly string[]
  readonly metadata: Metadata
}

/** What a model is given of a turn. */
export interface Message {
  readonly role: Role
  readonly content: string
  readonly at: string
}

export const MARKER_REASONS = ['compact', 'trim', 'new'] as const
export type MarkerReason = (typeof MARKER_REASONS)[number]

/** From where on a session counts: behind the turn `through`. */
export interface Marker {
  readonly id: string
  readonly at: string
  readonly reason: MarkerReason
  /** The ids of the first and the last turn that it covers, and how many these are. */
  readonly first: string
  readonly through: string
  readonly turns: number
  /** The time of the last turn that it covers. */
  readonly until: string
  /** What stands for these turns; only where there is such an archive. */
  readonly archiveId?: string
  readonly archiveName?: string
  readonly archivedAt?: string
}

/** What a turn says by now: a client may write a message down before it is whole. */
export interface Revision {
  readonly turn: string
  readonly content: string
  readonly tools: readonly string[]
}

export type TranscriptRecord =
  | { readonly type: 'revision'; readonly revision: Revision }
  | { readonly type: 'turn'; readonly turn: Turn }
  | { readonly type: 'marker'; readonly marker: Marker }
  | { readonly type: 'unmark'; readonly marker: string }
  | { readonly type: 'slid'; readonly through: string }
  | { readonly type: 'replaced'; readonly archive: string }

/** `undefined` for what is none of these. */
export function parseRecord(record: SessionRecord): TranscriptRecord | undefined {
  switch (record['type']) {
    case 'turn':
      return parseTurn(record)
    case 'revision':
      return parseRevision(record)
    case 'marker':
      return parseMarker(record)
    case 'unmark':
      return isText(record['marker']) ? { type: 'unmark', marker: record['marker'] } : undefined
    case 'slid':
      return isText(record['through']) ? { type: 'slid', through: record['through'] } : undefined
    case 'replaced':
      return isText(record['archive_id']) ? { type: 'replaced', archive: record['archive_id'] } : undefined
    default:
      return undefined
  }
}

export function parseRecords(records: readonly SessionRecord[]): TranscriptRecord[] {
  return records.flatMap((record) => parseRecord(record) ?? [])
}

export function turnRecord({ id, at, role, content, tools, metadata }: Turn): SessionRecord {
  return {
    type: 'turn',
    id,
    at,
    role,
    content,
    ...(tools.length > 0 ? { tools } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
}

/** Its time is that of another program's transcript: it may be before that of records that stand before it. */
export function importedRecord(turn: Turn): SessionRecord {
  return { ...turnRecord(turn), imported: true }
}

export function revisionRecord(at: string, { id, content, tools }: Turn): SessionRecord {
  return { type: 'revision', at, turn: id, content, ...(tools.length > 0 ? { tools } : {}) }
}

export function markerRecord(marker: Marker): SessionRecord {
  const { id, at, reason, first, through, turns, until, archiveId, archiveName, archivedAt } = marker
  return {
    type: 'marker',
    id,
    at,
    reason,
    first,
    through,
    turns,
    until,
    ...(archiveId === undefined ? {} : { archive_id: archiveId }),
    ...(archiveName === undefined ? {} : { archive_name: archiveName }),
    ...(archivedAt === undefined ? {} : { archived_at: archivedAt }),
  }
}

export function unmarkRecord(id: string, at: string, marker: string): SessionRecord {
  return { type: 'unmark', id, at, marker }
}

/** Turns up to this one were offered to `conversation`: one that was forgotten there does not come back. */
export function slidRecord(at: string, through: string): SessionRecord {
  return { type: 'slid', at, through }
}

/**
 * An archive makes way, for another one or, where it is purged, for its turns. Its id is not given again, so that what was made after
 * it is found; and once it is not there its marker does not count.
 */
export function replacedRecord(at: string, archive: string): SessionRecord {
  return { type: 'replaced', at, archive_id: archive }
}

function parseTurn(record: SessionRecord): TranscriptRecord | undefined {
  const { id, role, content, tools, metadata } = record
  const at = parseInstant(record['at'])
  const known = ROLES.find((one) => one === role)
  if (!isText(id) || known === undefined || typeof content !== 'string' || at === undefined) return undefined
  const turn: Turn = {
    id,
    role: known,
    content,
    at,
    tools: parseTools(tools),
    metadata: isObject(metadata) ? metadata : {},
  }
  return { type: 'turn', turn }
}

function parseRevision({ turn, content, tools }: SessionRecord): TranscriptRecord | undefined {
  if (!isText(turn) || typeof content !== 'string') return undefined
  return { type: 'revision', revision: { turn, content, tools: parseTools(tools) } }
}

function parseTools(tools: JsonValue | undefined): string[] {
  return Array.isArray(tools) ? tools.filter(isText) : []
}

function parseMarker(record: SessionRecord): TranscriptRecord | undefined {
  const { id, first, through, turns } = record
  const reason = MARKER_REASONS.find((one) => one === record['reason'])
  const at = parseInstant(record['at'])
  if (!isText(id) || !isText(first) || !isText(through) || reason === undefined || at === undefined) return undefined
  const { archive_id: archiveId, archive_name: archiveName } = record
  const archivedAt = parseInstant(record['archived_at'])
  const marker: Marker = {
    id,
    at,
    reason,
    first,
    through,
    turns: typeof turns === 'number' && Number.isSafeInteger(turns) && turns > 0 ? turns : 1,
    until: parseInstant(record['until']) ?? at,
    ...(isText(archiveId) ? { archiveId } : {}),
    ...(isText(archiveName) ? { archiveName } : {}),
    ...(archivedAt === undefined ? {} : { archivedAt }),
  }
  return { type: 'marker', marker }
}

export function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function isObject(value: JsonValue | undefined): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
