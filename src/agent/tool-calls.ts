/**
 * What a model wants to call, made such that a transcript can keep it and a result can be matched to it: models send ids that are
 * empty or used twice, names that are none, arguments as text, and text that is no Unicode; a function of one's own may give
 * anything. What can't be read is a call all the same, so that the model is told of it. Pure.
 */

import { isKeepsakeError } from '../errors.ts'
import { keepableText } from '../model/content.ts'
import type { JsonValue } from '../model/entry.ts'
import { normalizeMetadata } from '../model/json.ts'
import type { Completion, ModelToolCall } from '../ports/complete.ts'

const LONGEST_NAME = 200
/** The transcript's metadata may be nested 32 deep, of which the list of calls takes some. */
const DEEPEST = 24

export function callsOf({ toolCalls }: Completion): ModelToolCall[] {
  const sent: readonly unknown[] = Array.isArray(toolCalls) ? toolCalls : []
  const ids = new Set<string>()
  return sent.map((call, index) => {
    const { id, name, arguments: args }: Sent = typeof call === 'object' && call !== null ? call : {}
    const given = wordOf(id)
    const unique = given === '' || ids.has(given) ? `call-${index + 1}-of-${sent.length}` : given
    ids.add(unique)
    const called = wordOf(name).slice(0, LONGEST_NAME).toWellFormed()
    return { id: unique, name: called || '?', arguments: keepableArguments(args ?? {}) }
  })
}

type Sent = { readonly [Part in keyof ModelToolCall]?: unknown }

function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? keepableText(String(value)).trim() : ''
}

/** What is no JSON becomes a text that says so, which no tool takes for arguments. */
function keepableArguments(args: unknown): JsonValue {
  try {
    return normalizeMetadata({ arguments: keepable(args) })['arguments'] ?? {}
  } catch (error) {
    const problem = isKeepsakeError(error) ? error.message.replace(/^metadata\./, '') : 'they hold themselves'
    return keepableText(`no JSON: ${problem}`)
  }
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

/** As far as it is JSON. What is nested deeper than a transcript takes is kept as the text of it. */
function keepable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return JSON.stringify(value).toWellFormed()
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => keepable(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), keepable(item, depth + 1)]))
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
