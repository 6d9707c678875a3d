/** JSON as a value: what metadata may hold, and one canonical text for one value. */
import { InvalidError } from '../errors.ts'
import type { JsonValue, Metadata } from './entry.ts'

const MAX_DEPTH = 32

/** Copies the user's own data about an entry. Refuses what JSON can't hold, and NUL, so that every store returns the same. */
export function normalizeMetadata(value: unknown): Metadata {
  return normalizeObject(value, refuseNul)
}

/** Like `normalizeMetadata`, but text may contain NUL: transcripts are stored as bytes. */
export function normalizeRecord(value: unknown): Metadata {
  return normalizeObject(value, () => undefined)
}

type CheckText = (text: string, path: string) => void

function refuseNul(text: string, path: string): void {
  if (text.includes('\0')) throw new InvalidError(path, 'holds a NUL character', 'text without NUL')
}

function normalizeObject(value: unknown, check: CheckText): Metadata {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new InvalidError('metadata', 'is not an object', 'a JSON object')
  }
  return copy(value, 'metadata', 0, check) as Metadata // an object in gives an object out
}

function copy(value: unknown, path: string, depth: number, check: CheckText): JsonValue {
  if (depth > MAX_DEPTH) throw new InvalidError(path, 'is nested too deeply', `at most ${MAX_DEPTH} levels`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidError(path, `${value} is not a JSON number`, 'finite numbers')
    return Object.is(value, -0) ? 0 : value
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InvalidError(path, 'holds broken Unicode', 'well-formed text')
    check(value, path)
    return value
  }
  // Array.from, unlike map, does not pass over holes, which JSON does not have.
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, depth + 1, check))
  }
  if (typeof value === 'object' && isPlain(value)) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined)
    // fromEntries defines own properties, so that a user's "__proto__" is a key like any other.
    return Object.fromEntries(
      pairs.map(([key, item]) => [copy(key, path, depth, check), copy(item, `${path}.${key}`, depth + 1, check)]),
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
    const object = value as { readonly [key: string]: JsonValue } // not an array
    const pairs = Object.keys(object)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] ?? null)}`)
    return `{${pairs.join(',')}}`
  }
  return JSON.stringify(value)
}
