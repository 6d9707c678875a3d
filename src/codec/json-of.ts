/** What a YAML library may return, as JSON: dates become text, what JSON can't hold is refused and never dropped. */
import { isKeepsakeError } from '../errors.ts'
import type { JsonValue } from '../model/entry.ts'
import { normalizeMetadata } from '../model/json.ts'
import { BrokenText } from './file-entry.ts'

export function jsonOf(value: unknown, key: string): JsonValue {
  try {
    const json = plain(value)
    // A mapping by itself, so that the limit to its depth is the same as when it was stored.
    return isMapping(json) ? normalizeMetadata(json) : (normalizeMetadata({ '': json })[''] ?? null)
  } catch (error) {
    if (error instanceof RangeError) throw new BrokenText(`${key}: is nested too deeply`)
    if (isKeepsakeError(error)) throw new BrokenText(error.message.replace(/^metadata\.?/, key))
    throw error
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (typeof value === 'bigint' && BigInt(Number(value)) === value) return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
