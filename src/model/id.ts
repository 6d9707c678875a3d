/**
 * Ids. New entries get a UUIDv7, whose first 48 bits are the time; files that a person made get an id derived from
 * where they are, so that every reader gives them the same one without writing anything.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
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
  const random = crypto.randomUUID()
  const ms = Math.floor(nowMs)
  if (ms > lastMs) {
    lastMs = ms
    counter = Number.parseInt(random.slice(0, 3), 16) & 0x7ff
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  // The rest is taken from the random id, with its variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}${random.slice(18)}`
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
  const hex = bytesToHex(bytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
