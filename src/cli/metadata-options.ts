/** `--meta k=v` is a text, `--meta k:=json` any JSON value. */
import { InvalidError } from '../errors.ts'
import type { JsonValue, Metadata } from '../model/entry.ts'

const ALLOWED = 'key=text, or key:=JSON such as stars:=5'

export function parseMetadata(pairs: readonly string[]): Metadata {
  const values = new Map<string, JsonValue>()
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const typed = equals > 0 && pair[equals - 1] === ':'
    const key = pair.slice(0, typed ? equals - 1 : equals).trim()
    if (equals === -1 || key === '') throw new InvalidError('meta', `"${pair}" has no key and value`, ALLOWED)
    if (values.has(key)) throw new InvalidError('meta', `"${key}" was given twice`, 'each key once')
    const text = pair.slice(equals + 1)
    values.set(key, typed ? parseJson(key, text) : text)
  }
  // fromEntries makes "__proto__" a key like any other.
  return Object.fromEntries(values)
}

function parseJson(key: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue // what JSON.parse returns is JSON
  } catch {
    throw new InvalidError('meta', `"${key}" has a value that is not JSON: ${text}`, ALLOWED)
  }
}
