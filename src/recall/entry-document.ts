/**
 * What of an entry is searched, and what stands beside it in the index so that filters need no file: the schema, and the
 * entry as a document of it. Whoever changes what is put here moves VERSION, for snapshots made before hold something else.
 */
import type { Entry, EntryHead, Metadata } from '../model/entry.ts'
import { endMs } from '../model/expiry.ts'
import { blankInjected } from '../model/injected.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import { localTime } from '../model/time.ts'
import type { Document, Schema } from '../search/document.ts'
import { dateWords } from './date-words.ts'
import { splitHeadings } from './headings.ts'

export const VERSION = 7

export const FIELDS = ['name', 'description', 'headings', 'tags', 'content', 'date'] as const

export const COLUMNS = ['kind', 'created', 'updated', 'expires', 'turn'] as const

export const COLUMN = { kind: 0, created: 1, updated: 2, expires: 3, turn: 4 } as const

export const SCHEMA: Schema = { fields: FIELDS, columns: COLUMNS }

/** In the column of kinds: an entry of the history that says what its archive says. Whoever finds the one needs no other. */
export const MIRROR: number = KIND_NAMES.length

/** What is stored beside a document begins with the revision of its entry. */
export const REVISION_DIGITS = 16
const SEQ_DIGITS = 16
const STAMP_LENGTH = '0123456789abcdef1970-01-01T00:00:00.000Z1970-01-01T00:00:00.000Z'.length + SEQ_DIGITS

/** Aliases give no words: they are found as names. Nor does what we injected: pasted back, it is still no news. */
export function documentOf(entry: Entry, zone: string): Document {
  const content = blankInjected(entry.content)
  const { headings, rest } = splitHeadings(content)
  const { day } = localTime(entry.createdAt, zone)
  const group = conversationKey(entry)
  return {
    id: entry.id,
    texts: [
      entry.name ?? entry.key ?? '',
      blankInjected(entry.description),
      headings,
      tagsOf(entry.metadata),
      rest,
      dateWords(day),
    ],
    ...(group === undefined ? {} : { group, position: positionOf(entry) }),
    columns: [
      isMirror(entry) ? MIRROR : KIND_NAMES.indexOf(entry.kind),
      Date.parse(entry.createdAt),
      Date.parse(entry.updatedAt),
      endMs(entry),
      turnOf(entry, content),
    ],
    stored: stampOf(entry) + (isEmpty(entry.metadata) ? '' : JSON.stringify(entry.metadata)),
  }
}

/** From the column of kinds. */
export function kindAt(column: number): Kind {
  return KIND_NAMES[column] ?? 'history' // else it is a mirror
}

export function isMirror({ kind, metadata }: EntryHead): boolean {
  return kind === 'history' && typeof metadata['archive'] === 'string'
}

/** What must be equal for a document to be still right; all stamps are of one length. A lost journal numbers anew. */
export function stampOf({ revision, createdAt, updatedAt, seq }: EntryHead): string {
  return revision + createdAt + updatedAt + String(seq).padStart(SEQ_DIGITS, '0')
}

export function storedMetadata(stored: string): Metadata {
  const json = stored.slice(STAMP_LENGTH)
  return json === '' ? {} : (JSON.parse(json) as Metadata) // written above
}

/** The session of a turn. Other entries have none: their neighbours in a session or on the same day may be about something else. */
function conversationKey({ scope, kind, origin }: EntryHead): string | undefined {
  return kind === 'conversation' && origin.session !== undefined ? `${scope}\0${origin.session}` : undefined
}

const ORDER = 2 ** 21

/** By the second, and within one, as a batch has it, in the order they came. Exact: 32 bits of time, 21 of order. */
function positionOf({ createdAt, seq }: EntryHead): number {
  return Math.floor(Date.parse(createdAt) / 1000) + (seq % ORDER) / ORDER
}

const ASKS = 1

/** In one number: whether it asks, and above that who says it, 0 where that is not known. */
function turnOf({ metadata }: Entry, content: string): number {
  const { role } = metadata
  return 2 * (typeof role === 'string' ? ROLES.indexOf(role) + 1 : 0) + (endsInQuestion(content) ? ASKS : 0)
}

/** As transcripts name them. */
const ROLES: readonly string[] = ['user', 'assistant', 'tool', 'system']

/** Its last word is a question: what comes next is the answer. */
export function asks(turn: number): boolean {
  return (turn & ASKS) !== 0
}

/** What comes next answers it, unless the same one goes on. */
export function answers(turn: number, question: number): boolean {
  return asks(question) && (turn < 2 || turn >> 1 !== question >> 1)
}

function endsInQuestion(content: string): boolean {
  const end = content.trimEnd().at(-1)
  return end === '?' || end === '？' || end === '؟'
}

function tagsOf({ tags }: Metadata): string {
  if (typeof tags === 'string') return tags
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string').join('\n') : ''
}

function isEmpty(metadata: Metadata): boolean {
  for (const _ in metadata) return false
  return true
}
