/**
 * An entry as a record of the seed's collection: its content is the document; `type`, `created_at`, the key of a context and the user's
 * own keys are at the top level, as the seed's program writes and filters them; the rest has keys `keepsake_*`. A record without those
 * keys is read as the seed's program meant it.
 */
import {
  type Entry,
  type EntryHead,
  type JsonValue,
  type Metadata,
  ORIGINS,
  type Origin,
  WORLD,
} from '../../model/entry.ts'
import { defaultExpiry } from '../../model/expiry.ts'
import { derivedId, isId } from '../../model/id.ts'
import { isKind, KINDS, type Kind } from '../../model/kinds.ts'
import { isMemoryType } from '../../model/memory-types.ts'
import { nameFromContent } from '../../model/name.ts'
import { revisionOf } from '../../model/revision.ts'
import { parseInstant } from '../../model/time.ts'
import { isObject, type MetadataPatch, type MetadataValue, parseJson, type RawMetadata } from './client.ts'

/** The agent and the time zone of records that lack our keys. */
export interface Defaults {
  readonly agent: string
  readonly zone: string
}

const NEVER = 'never'
const UNDATED = '1970-01-01T00:00:00.000Z'
const SEQS_PER_MS = 2048
/** The server's JSON parser may change the last digit of a fraction. */
const ROUNDING = 1e-12

export function entryId(recordId: string): string {
  return isId(recordId) ? recordId : derivedId('chroma', recordId)
}

/** By creation time, then by the time within a UUIDv7. The same in every process; two entries may share one. */
export function seqOf({ id, createdAt }: Pick<EntryHead, 'id' | 'createdAt'>): number {
  const seq = Date.parse(createdAt) * SEQS_PER_MS + (Number.parseInt(id.slice(15, 18), 16) >> 1)
  return Math.min(Math.max(seq, 1), Number.MAX_SAFE_INTEGER)
}

/** The seed's program knows three types. Any other kind is a `fact` to it, which it never deletes. */
export function encodeMetadata(entry: Entry): Readonly<Record<string, MetadataValue>> {
  const { kind, name, key, aliases, description } = entry
  const user = Object.entries(entry.metadata)
  const plain = user.filter((pair): pair is [string, MetadataValue] => isPlain(...pair, key !== undefined))
  const hidden = user.filter(([word, value]) => !isPlain(word, value, key !== undefined) || isFraction(value))
  return Object.fromEntries([
    ['type', isMemoryType(kind) ? kind : 'fact'],
    ['created_at', entry.createdAt.slice(0, -1)],
    ['keepsake_kind', kind],
    ['keepsake_scope', entry.scope],
    ['keepsake_updated_at', entry.updatedAt],
    ['keepsake_expires_at', entry.expiresAt ?? NEVER],
    ['keepsake_origin', JSON.stringify(entry.origin)],
    ['keepsake_revision', entry.revision],
    ...(name === null ? [] : [['keepsake_name', name]]),
    ...(aliases.length === 0 ? [] : [['keepsake_aliases', JSON.stringify(aliases)]]),
    ...(description === '' ? [] : [['keepsake_description', description]]),
    ...(key === undefined ? [] : [['context_key', key]]),
    ...plain,
    ...(hidden.length === 0 ? [] : [['keepsake_meta', JSON.stringify(Object.fromEntries(hidden))]]),
  ])
}

/** The patch that turns the metadata of a record into `wanted`. */
export function patchMetadata(before: RawMetadata, wanted: ReturnType<typeof encodeMetadata>): MetadataPatch {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(wanted, key) && !key.startsWith('keepsake_vector'))
  // The seed's program writes microseconds; the same moment is not written again.
  const isSameDate = readDate(before['created_at']) === readDate(wanted['created_at'])
  const kept = Object.entries(wanted).filter(([key]) => key !== 'created_at' || !isSameDate)
  return Object.fromEntries([...kept, ...removed.map((key) => [key, null] as const)])
}

/** `head` is missing if it depends on a document that was not read. `problem`: a date is unreadable, so the entry never expires. */
export function decodeMetadata(
  recordId: string,
  raw: RawMetadata,
  { agent, zone }: Defaults,
  document?: string,
): { readonly head?: EntryHead; readonly problem?: string } {
  const kind = readKind(raw)
  const { scope, naming, fixedName = null } = KINDS[kind]
  const given = naming === 'given' ? (readString(raw['keepsake_name']) ?? nameFromDocument(document)) : null
  const name = naming === 'fixed' ? fixedName : given
  const revision = readString(raw['keepsake_revision'])
  const aliases = parseJson(String(raw['keepsake_aliases']))
  const created = readDate(raw['created_at'])
  const expiry = readExpiry(raw, kind, created, zone)
  const badKey = created === undefined ? 'created_at' : expiry === undefined ? 'keepsake_expires_at' : undefined
  const problem = badKey && `${badKey} is not a date: ${JSON.stringify(raw[badKey]) ?? 'missing'}`
  const id = entryId(recordId)
  const createdAt = created ?? UNDATED
  const key = kind === 'context' ? readString(raw['context_key']) || undefined : undefined
  if (name === undefined || (revision ?? document) === undefined) return {}
  const head = {
    id,
    seq: seqOf({ id, createdAt }),
    scope: scope === 'world' ? WORLD : (readString(raw['keepsake_scope']) ?? agent),
    kind,
    name,
    ...(key === undefined ? {} : { key }),
    aliases: Array.isArray(aliases) ? aliases.map(String) : [],
    description: readString(raw['keepsake_description']) ?? '',
    metadata: readUserMetadata(raw, key !== undefined),
    createdAt,
    updatedAt: readDate(raw['keepsake_updated_at']) ?? createdAt,
    expiresAt: expiry ?? null,
    origin: readOrigin(raw['keepsake_origin']),
  }
  const actual = document === undefined ? (revision ?? '') : revisionOf({ ...head, content: document })
  return { head: { ...head, revision: actual }, ...(problem === undefined ? {} : { problem }) }
}

function readKind({ keepsake_kind: kind, type }: RawMetadata): Kind {
  if (isKind(kind)) return kind
  const word = String(type).toLowerCase()
  return isMemoryType(word) ? word : 'fact'
}

/** Blank documents have no words for a name. */
function nameFromDocument(document: string | undefined): string | undefined {
  return document?.trim() === '' ? 'untitled' : document && nameFromContent(document)
}

function isUserKey(key: string, hasContextKey: boolean): boolean {
  if (key === 'type' || key === 'created_at' || (hasContextKey && key === 'context_key')) return false
  return key !== '' && !/^(keepsake_|chroma:|[$#])/.test(key)
}

function isPlain(key: string, value: JsonValue, hasContextKey: boolean): boolean {
  return isUserKey(key, hasContextKey) && ['string', 'number', 'boolean'].includes(typeof value)
}

function isFraction(value: unknown): value is number {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}

function readUserMetadata(raw: RawMetadata, hasContextKey: boolean): Metadata {
  const hidden = readObject(raw['keepsake_meta'])
  // A type that the seed does not know is the user's own metadata.
  const hasOwnType = raw['keepsake_kind'] === undefined && !isMemoryType(String(raw['type'] ?? 'fact').toLowerCase())
  const top = Object.entries(raw).flatMap(([key, value]): [string, JsonValue][] => {
    if (!isUserKey(key, hasContextKey) && !(key === 'type' && hasOwnType)) return []
    const exact = hidden[key]
    const isRounded = isFraction(exact) && Math.abs(Number(value) - exact) <= Math.abs(exact) * ROUNDING
    return [[key, isRounded ? exact : (value as JsonValue)]] // values of metadata are JSON
  })
  return Object.fromEntries([
    ...Object.entries(hidden).filter(([key, value]) => !isPlain(key, value, hasContextKey)),
    ...top,
  ])
}

/** `undefined`: unreadable. Records of the seed's program have none, and expire by their type. */
function readExpiry(
  raw: RawMetadata,
  kind: Kind,
  created: string | undefined,
  zone: string,
): string | null | undefined {
  const { keepsake_expires_at: expiry } = raw
  if (expiry !== undefined) return expiry === NEVER ? null : readDate(expiry)
  return created === undefined ? null : defaultExpiry(kind, created, zone)
}

/** The seed's program writes UTC without a zone, as Python's `isoformat` does. */
function readDate(value: unknown): string | undefined {
  return parseInstant(value) ?? parseInstant(`${value}Z`)
}

function readOrigin(value: unknown): Origin {
  const origin = readObject(value) as Partial<Origin> // `by` is checked here, the rest is as encodeMetadata wrote it
  return { ...origin, by: ORIGINS.find((known) => known === origin.by) ?? 'hand' }
}

function readObject(value: unknown): Metadata {
  const object = parseJson(String(value))
  return isObject(object) ? (object as Metadata) : {} // it was parsed from JSON
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
