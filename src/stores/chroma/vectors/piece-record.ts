/**
 * One piece of an entry as a record of the collection `memories`, so that any client of the server can read and filter what Keepsake
 * knows: the entry's text stands at the first, its facts at all of them. Pure.
 */
import type { Entry, JsonValue } from '../../../model/entry.ts'
import type { EntryVectors } from '../../../ports/vectors.ts'
import type { VectorLabel, VectorMetadata, VectorRecord } from '../server/vector-shelf.ts'

const BEHIND = '~'
/** Room is left to 16,384. */
const TEXT_BYTES = 16_000
const VALUE_BYTES = 1000
const MOST_OWN = 16
const OWN_PREFIX = 'm_'
const NAME_BYTES = 36

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Of the first piece, the entry's own. */
export function pieceId(id: string, piece: number): string {
  return piece === 0 ? id : `${id}${BEHIND}${piece}`
}

export function entryOf(pieceId: string): string {
  const [id = pieceId] = pieceId.split(BEHIND)
  return id
}

/** Ids of pieces from one on, up to before another. */
export function pieceIds(id: string, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => pieceId(id, from + n))
}

export function pieceRecords({ entry, pieces, of }: EntryVectors): VectorRecord[] {
  const facts = factsOf(entry)
  return pieces.map(({ hash, vector }, piece) => ({
    id: pieceId(entry.id, piece),
    vector,
    metadata: { ...facts, piece, hash, ...(piece === 0 ? { of } : {}) },
    ...(piece === 0 && entry.content !== '' ? { document: cutTo(TEXT_BYTES, entry.content) } : {}),
  }))
}

/** How many pieces the entry has whose first this is, when all are there. */
export function countIn({ of }: VectorMetadata): number {
  return typeof of === 'number' ? of : 1
}

export function hashIn({ hash }: VectorMetadata): string {
  return String(hash)
}

export function revisionIn({ revision }: VectorMetadata): string {
  return String(revision)
}

function factsOf(entry: Entry): VectorMetadata {
  const { id, scope, kind, name, description, seq, createdAt, updatedAt, expiresAt, revision, metadata } = entry
  return {
    ...ownFacts(metadata),
    entry: id,
    scope,
    kind,
    ...(name === null ? {} : { name: cutTo(VALUE_BYTES, name) }),
    ...(description === '' ? {} : { description: cutTo(VALUE_BYTES, description) }),
    seq,
    created: createdAt,
    updated: updatedAt,
    ...(expiresAt === null ? {} : { expires: expiresAt }),
    revision,
  }
}

/** What the user keeps beside the entry, as far as a server can filter by it. */
function ownFacts(metadata: Entry['metadata']): VectorMetadata {
  const facts: [string, VectorLabel][] = []
  for (const [key, value] of Object.entries(metadata)) {
    const name = OWN_PREFIX + cutTo(NAME_BYTES, key)
    const label = labelOf(value)
    if (label === undefined || encoder.encode(name).length > NAME_BYTES) continue
    facts.push([name, label])
  }
  return Object.fromEntries(facts.slice(0, MOST_OWN))
}

function labelOf(value: JsonValue): VectorLabel | undefined {
  if (typeof value === 'string') return cutTo(VALUE_BYTES, value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** At a character, and with what is no text replaced: a server refuses half a character. */
function cutTo(bytes: number, text: string): string {
  const room = new Uint8Array(bytes)
  const { written } = encoder.encodeInto(text, room)
  return decoder.decode(room.subarray(0, written))
}
