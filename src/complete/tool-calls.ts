/**
 * Calls of tools as models send them. Each gets an id of its own: some servers send none, or the same one with every answer, and
 * the result could then not be told apart from an earlier one's.
 */
import { keepableText } from '../model/content.ts'
import type { JsonValue } from '../model/entry.ts'
import type { ModelMessage, ModelToolCall } from '../ports/complete.ts'
import { isKeepable, textOf } from './json-parts.ts'

/** A call as it was sent; the arguments as JSON, as a text of JSON, or as whatever was sent instead. */
export interface SentCall {
  readonly id?: unknown
  readonly name: unknown
  readonly arguments: unknown
}

export function toolCallsOf(sent: readonly SentCall[], messages: readonly ModelMessage[]): readonly ModelToolCall[] {
  const taken = new Set(messages.flatMap(idsIn))
  return sent.flatMap(({ id, name, arguments: args }) => {
    const called = keepableText(textOf(name) ?? '').trim()
    if (called === '') return []
    const given = keepableText(textOf(id) ?? '')
    const own = given === '' || taken.has(given) ? freeId(taken) : given
    taken.add(own)
    return [{ id: own, name: called, arguments: argumentsOf(args) }]
  })
}

function idsIn(message: ModelMessage): readonly string[] {
  if (message.role === 'tool') return [message.callId]
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []
}

/** Nine letters and digits, since there are servers that take no other. */
function freeId(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number += 1) {
    const id = `call${String(number).padStart(5, '0')}`
    if (!taken.has(id)) return id
  }
}

const TOO_MUCH = 'nested too deeply, or with a number that is too large'

/** Nothing at all is no arguments. What is no JSON, or can't be kept as such, stays the text that it is, to be told to the model. */
function argumentsOf(sent: unknown): JsonValue {
  if (typeof sent !== 'string') return isKeepable(sent) ? cleanJson(sent ?? {}) : TOO_MUCH
  if (sent.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(sent)
    if (isKeepable(value)) return cleanJson(value)
  } catch {
    // told as it is
  }
  return keepableText(sent)
}

function cleanJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return keepableText(value)
  if (Array.isArray(value)) return value.map(cleanJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [keepableText(key), cleanJson(each)]))
}

/** Arguments to be sent back: a server takes only an object, also where the model had sent something else. */
export function sentArguments(args: JsonValue): { readonly [key: string]: JsonValue } {
  return args !== null && typeof args === 'object' && !Array.isArray(args)
    ? (args as { readonly [key: string]: JsonValue }) // no list
    : { unreadable: args }
}
