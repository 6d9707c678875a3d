/**
 * Ids. New entries get a UUIDv7, whose first 48 bits are the time; files that a person made get an id derived from
 * where they are, so that every reader gives them the same one without writing anything.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import type { Scope } from './entry.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const encoder = new TextEncoder()
let lastMs = 0
let counter = 0

export function isId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

/** Sorts after every id this process made before, also within a millisecond and when the clock goes back. */
export function newId(nowMs: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = ((bytes[6] ?? 0) & 0x07) * 256 + (bytes[7] ?? 0)
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  let ms = lastMs
  for (let i = 5; i >= 0; i--) {
    bytes[i] = ms % 256
    ms = Math.floor(ms / 256)
  }
  bytes[6] = 0x70 | (counter >> 8)
  bytes[7] = counter & 0xff
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return format(bytes)
}

/** The id of what lies at a path of a scope and says no other. A UUIDv8: the same everywhere, and never a v7. */
export function derivedId(scope: Scope, path: string): string {
  const bytes = sha256(encoder.encode(`keepsake:${scope}\0${path}`)).slice(0, 16)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return format(bytes)
}

/** The millisecond in a UUIDv7; `undefined` for every other id. */
export function timeOfId(id: string): number | undefined {
  if (!isId(id) || id[14] !== '7') return undefined
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function format(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
