/** JSON as a value: what metadata may hold, and one canonical text for one value. */
import { InvalidError } from '../errors.ts'
import type { JsonValue, Metadata } from './entry.ts'

const MAX_DEPTH = 32

/** A frozen-in copy of the user's own data; refuses what JSON can't hold, so that every store keeps the same. */
export function normalizeMetadata(value: unknown): Metadata {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new InvalidError('metadata', 'is not an object', 'a JSON object')
  }
  return copy(value, 'metadata', 0) as Metadata // an object in gives an object out
}

function copy(value: unknown, path: string, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new InvalidError(path, 'is nested too deeply', `at most ${MAX_DEPTH} levels`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidError(path, `${value} is not a JSON number`, 'finite numbers')
    return Object.is(value, -0) ? 0 : value
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InvalidError(path, 'holds broken Unicode', 'well-formed text')
    return value
  }
  // Array.from, unlike map, does not pass over holes, which JSON does not have.
  if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, depth + 1))
  if (typeof value === 'object' && isPlain(value)) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined)
    // fromEntries defines own properties, so that a user's "__proto__" is a key like any other.
    return Object.fromEntries(
      pairs.map(([key, item]) => [copy(key, path, depth), copy(item, `${path}.${key}`, depth + 1)]),
    )
  }
  throw new InvalidError(path, `a ${typeof value} is not JSON`, 'null, booleans, numbers, text, lists and objects')
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** One text for one value: keys sorted at every level. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
  }
  return JSON.stringify(value)
}
