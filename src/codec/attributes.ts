/**
 * The attributes that files of every shape write: each from what YAML or JSON gave to what the model takes, or BrokenText.
 * Nothing unreadable becomes a default, because the next rewrite would make the loss durable.
 */
import { isKeepsakeError } from '../errors.ts'
import { normalizeDescription } from '../model/content.ts'
import { type JsonValue, type Metadata, ORIGINS, type Origin, type OriginBy } from '../model/entry.ts'
import { isId } from '../model/id.ts'
import { normalizeAgentId, normalizeName } from '../model/name.ts'
import { isDay, parseInstant } from '../model/time.ts'
import { BrokenText } from './file-entry.ts'
import { jsonOf } from './json-of.ts'

export function readId(value: unknown): string {
  if (isId(value)) return value
  throw new BrokenText(`id: ${show(value)} is not a UUID in lower case`)
}

/** A date alone, as people write it, is its first moment in UTC. */
export function readInstant(value: unknown, key: string): string {
  const at = parseInstant(typeof value === 'string' && isDay(value) ? `${value}T00:00:00Z` : value)
  if (at !== undefined) return at
  throw new BrokenText(`${key}: ${show(value)} is not a time such as 2026-11-15T14:03:00Z`)
}

export function readName(value: unknown, key: string): string {
  return checked(() => normalizeName(value, key))
}

export function readDescription(value: unknown): string {
  return checked(() => normalizeDescription(value))
}

export function readMetadata(value: unknown): Metadata {
  const json = jsonOf(value, 'metadata')
  if (isMapping(json)) return json
  throw new BrokenText(`metadata: ${show(value)} is not a mapping of keys to values`)
}

/** A word alone says by whom. */
export function readOrigin(value: unknown): Origin {
  if (typeof value === 'string') return { by: readBy(value) }
  const json = jsonOf(value, 'origin')
  if (!isMapping(json)) throw new BrokenText(`origin: ${show(value)} does not say by whom`)
  const { by, agent, session } = json
  if (session !== undefined && typeof session !== 'string') throw new BrokenText('origin: the session is not text')
  return {
    by: readBy(by),
    ...(agent === undefined ? {} : { agent: checked(() => normalizeAgentId(agent)) }),
    ...(session === undefined ? {} : { session }),
  }
}

/** As `readOrigin` reads it: a word where there is no more to say. */
export function originValue({ by, agent, session }: Origin): JsonValue {
  if (agent === undefined && session === undefined) return by
  return { by, ...(agent === undefined ? {} : { agent }), ...(session === undefined ? {} : { session }) }
}

function readBy(value: unknown): OriginBy {
  const by = ORIGINS.find((known) => known === value)
  if (by !== undefined) return by
  throw new BrokenText(`origin: ${show(value)} is none of ${ORIGINS.join(', ')}`)
}

function isMapping(value: JsonValue): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (isKeepsakeError(error)) throw new BrokenText(error.message)
    throw error
  }
}

function show(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 60)}"`
  return typeof value === 'object' && value !== null ? 'this' : String(value)
}
