/**
 * Turns of a transcript as the messages of a model call. Whoever wrote the transcript, what is sent is what providers take: it
 * begins with the user, user and assistant take turns, and every call stands directly before its result. A call without a
 * result, a result without its call and a system's turn (other programs' transcripts have them) are left out. Pure.
 */
import type { JsonValue, Metadata } from '../model/entry.ts'
import { withoutInjected } from '../model/injected.ts'
import type { ModelMessage, ModelToolCall } from '../ports/complete.ts'
import type { Turn } from '../session/records.ts'
import { cutText } from './cut-text.ts'

/** Of exchanges that are over: what the model made of a result stands behind it, and the next question is another. */
const MOST_PAST_CHARACTERS = 4000

/** `current`: where the exchange begins that is going on; its results are sent whole. */
export function modelMessages(turns: readonly Turn[], current: number): ModelMessage[] {
  const messages: ModelMessage[] = []
  const ids = new Set<string>()
  for (const [at, turn] of turns.entries()) {
    const content = withoutInjected(turn.content)
    if (turn.role === 'user') {
      if (content.trim() !== '') messages.push({ role: 'user', content })
    } else if (turn.role === 'assistant') {
      const pairs = pairsOf(turn, resultsAfter(turns, at), ids)
      const isPast = at < current
      if (pairs.length > 0) messages.push({ role: 'assistant', content, toolCalls: pairs.map(({ call }) => call) })
      else if (content.trim() !== '') messages.push({ role: 'assistant', content })
      for (const { call, result } of pairs) messages.push(resultMessage(call, result, isPast))
    }
  }
  const first = messages.findIndex(({ role }) => role === 'user')
  return first < 0 ? [] : messages.slice(first).reduce(joined, [])
}

interface Pair {
  readonly call: ModelToolCall
  readonly result: Turn
}

/** In the order of the calls. Ids are made such that every provider takes them, each once in the whole conversation. */
function pairsOf({ metadata }: Turn, results: readonly Turn[], ids: Set<string>): Pair[] {
  const left = [...results]
  return callsIn(metadata).flatMap((call) => {
    const at = left.findIndex((turn) => turn.metadata['call'] === call.id)
    const [result] = at < 0 ? [] : left.splice(at, 1)
    return result ? [{ call: { ...call, id: uniqueId(call.id, ids), name: sentName(call.name) }, result }] : []
  })
}

function resultsAfter(turns: readonly Turn[], at: number): readonly Turn[] {
  const rest = turns.slice(at + 1)
  const end = rest.findIndex(({ role }) => role !== 'tool')
  return end < 0 ? rest : rest.slice(0, end)
}

/** A transcript is a file that anybody may have written to. */
function callsIn({ calls }: Metadata): ModelToolCall[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((call: JsonValue) => {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return []
    const { id, name, arguments: args = {} } = call as Metadata // neither null nor a list
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name, arguments: args }] : []
  })
}

function resultMessage({ id, name }: ModelToolCall, { content, metadata }: Turn, isPast: boolean): ModelMessage {
  const own = withoutInjected(content)
  return {
    role: 'tool',
    content: isPast ? cutText(own, MOST_PAST_CHARACTERS) : own,
    callId: id,
    name,
    ...(metadata['error'] === true ? { isError: true } : {}),
  }
}

const LONGEST_NAME = 64

/** Of what a model made up, too: a name that no provider takes would fail every call from then on. */
function sentName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME) || '_'
}

function uniqueId(id: string, ids: Set<string>): string {
  const base = sentName(id)
  let unique = base
  for (let nth = 2; ids.has(unique); nth++) unique = `${base.slice(0, LONGEST_NAME - 8)}-${nth}`
  ids.add(unique)
  return unique
}

/** After a call that failed or was stopped, two of a kind follow each other, which some models refuse. */
function joined(messages: ModelMessage[], next: ModelMessage): ModelMessage[] {
  const last = messages.at(-1)
  if (last?.role === 'user' && next.role === 'user') {
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${next.content}` }
  } else if (last?.role === 'assistant' && next.role === 'assistant') {
    const content = [last.content, next.content].filter((text) => text.trim() !== '').join('\n\n')
    messages[messages.length - 1] = { ...next, content }
  } else messages.push(next)
  return messages
}
