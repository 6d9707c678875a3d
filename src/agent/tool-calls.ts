/**
 * What a model wants to call, made such that a transcript can keep it and a result can be matched to it: models send ids that are
 * empty or used twice, names that are none, arguments as text, and text that is no Unicode. Pure.
 */
import type { JsonValue } from '../model/entry.ts'
import type { Completion, ModelToolCall } from '../ports/complete.ts'

const LONGEST_NAME = 200
/** The transcript's metadata may be nested 32 deep, of which the list of calls takes some. */
const DEEPEST = 24

export function callsOf({ toolCalls }: Completion): ModelToolCall[] {
  const ids = new Set<string>()
  return (toolCalls ?? []).map(({ id, name, arguments: args }, index) => {
    const given = keepableText(String(id ?? '')).trim()
    const unique = given === '' || ids.has(given) ? `call-${index + 1}-of-${toolCalls?.length}` : given
    ids.add(unique)
    const called = keepableText(String(name ?? '')).trim()
    return { id: unique, name: called.slice(0, LONGEST_NAME).toWellFormed() || '?', arguments: keepable(args ?? {}) }
  })
}

/** As an object; `undefined` where they are none, and no text of one. Nothing at all is an object without keys. */
export function argumentsOf(args: JsonValue): { readonly [key: string]: JsonValue } | undefined {
  if (typeof args !== 'string') return isObject(args) ? args : undefined
  if (args.trim() === '') return {}
  try {
    const parsed: JsonValue = JSON.parse(args)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** A text that a transcript takes. */
export function keepableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

/** What is nested deeper than a transcript takes is kept as the text of it. */
function keepable(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return JSON.stringify(value).toWellFormed()
  if (Array.isArray(value)) return value.map((item: JsonValue) => keepable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), keepable(item as JsonValue, depth + 1)]),
  )
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
