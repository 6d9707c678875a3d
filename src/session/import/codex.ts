/**
 * Transcripts of Codex: a line an item, `response_item` being what went to and came from the model. `event_msg` lines tell the same
 * once more for the screen, and `compacted` lines hold copies. Older files have the items bare, or in one document.
 */
import { type ForeignRecord, isRecord, listOf, recordOf, textOf } from './foreign-json.ts'
import type { Reading } from './reading.ts'
import { joined, resultText, toolName } from './said.ts'
import type { SourceLines } from './source-lines.ts'
import { TurnList } from './turn-list.ts'

const LINE_TYPES: readonly unknown[] = ['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']
const CALLS: readonly unknown[] = ['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call']
const OUTPUTS: readonly unknown[] = ['function_call_output', 'custom_tool_call_output']

/** How messages in the user's name begin that the program wrote. */
const NOT_TYPED = [
  '# AGENTS.md instructions',
  'These AGENTS.md instructions replace',
  'The previously provided AGENTS.md instructions',
  'Another language model started to solve this problem',
] as const

/** An editor puts what is open in it before what was typed. */
const TYPED_BELOW = '## My request for Codex:'

export function looksLikeCodex(record: ForeignRecord): boolean {
  const { type, payload, id, timestamp, instructions, record_type, role, content, session, items } = record
  if (LINE_TYPES.includes(type) && isRecord(payload)) return true
  if (record_type === 'state' || (isRecord(session) && Array.isArray(items))) return true
  if (type === undefined && typeof id === 'string' && typeof timestamp === 'string' && instructions !== undefined)
    return true
  return type === 'message' && typeof role === 'string' && Array.isArray(content)
}

export function readCodex({ records, skipped }: SourceLines): Reading {
  const list = new TurnList('codex')
  const toolNames = new Map<string, string>()
  let sessionId: string | undefined
  for (const { record } of records) {
    // The first one is the file's own; a fork has that of its parent, too.
    sessionId ??= sessionIdOf(record)
    for (const item of itemsOf(record)) add(list, item, record['timestamp'], toolNames)
  }
  return { ...(sessionId === undefined ? {} : { sessionId }), turns: list.turns, skipped: [...skipped] }
}

function sessionIdOf({ type, payload, id, instructions, session }: ForeignRecord): string | undefined {
  if (type === 'session_meta') return textOf(recordOf(payload)['id']) ?? textOf(recordOf(payload)['session_id'])
  if (isRecord(session)) return textOf(session['id'])
  return type === undefined && instructions !== undefined ? textOf(id) : undefined
}

function itemsOf(record: ForeignRecord): readonly ForeignRecord[] {
  const { type, payload, session, items } = record
  if (type === 'response_item') return [recordOf(payload)]
  if (isRecord(session)) return listOf(items).map(recordOf)
  return LINE_TYPES.includes(type) ? [] : [record]
}

function add(list: TurnList, item: ForeignRecord, timestamp: unknown, toolNames: Map<string, string>): void {
  const { type, role, call_id } = item
  const id = textOf(item['id']) ?? (OUTPUTS.includes(type) || CALLS.includes(type) ? `${type}\0${call_id}` : undefined)
  // Ids such as "call_1" come again in other sessions; with their time they do not.
  const sourceId = id === undefined ? undefined : `${id}\0${timestamp}`
  if (type === 'message' && (role === 'user' || role === 'assistant')) {
    list.add({ sourceId, timestamp, role, content: joined(textsOf(item)) })
  } else if (CALLS.includes(type)) {
    const name = nameOf(item)
    const call = textOf(call_id)
    if (call !== undefined && name !== undefined) toolNames.set(call, name)
    list.add({ sourceId, timestamp, role: 'assistant', content: '', tools: [name] })
  } else if (OUTPUTS.includes(type)) {
    const content = resultText(outputText(item['output']))
    list.add({ sourceId, timestamp, role: 'tool', content, tools: [toolNames.get(textOf(call_id) ?? '')] })
  }
}

function nameOf({ type, name, namespace }: ForeignRecord): string | undefined {
  if (type === 'local_shell_call') return 'local_shell'
  if (type === 'web_search_call') return 'web_search'
  const server = toolName(namespace)
  return server === undefined ? toolName(name) : toolName(`${server}__${String(name)}`)
}

/** The texts of a message that its role has said. */
function textsOf(item: ForeignRecord): string[] {
  const { role, content } = item
  if (typeof content === 'string') return [content]
  const { content_item_metadata } = recordOf(item['internal_chat_message_metadata_passthrough'])
  const provenances = listOf(content_item_metadata).map(
    (metadata) => recordOf(recordOf(metadata)['provenance'])['type'],
  )
  return listOf(content)
    .map(recordOf)
    .flatMap(({ text }, index) => {
      if (typeof text !== 'string') return []
      if (role !== 'user') return [text]
      return (provenances[index] ?? 'user') === 'user' ? [typedIn(text)] : []
    })
}

function typedIn(text: string): string {
  const begins = text.slice(0, 200).trimStart()
  if (NOT_TYPED.some((beginning) => begins.startsWith(beginning))) return ''
  const below = begins.startsWith('# Context from my IDE setup:') ? text.indexOf(TYPED_BELOW) : -1
  return below === -1 ? text : text.slice(below + TYPED_BELOW.length)
}

/** A text, parts with texts, or an object around one of them; older programs wrote that object as JSON. */
function outputText(output: unknown): string {
  if (Array.isArray(output)) {
    return output.flatMap((part) => textOf(recordOf(part)['text']) ?? []).join('\n')
  }
  if (isRecord(output)) return outputText(output['content'] ?? output['output'])
  if (typeof output !== 'string') return ''
  if (!output.startsWith('{"output":')) return output
  try {
    const inner: unknown = recordOf(JSON.parse(output))['output']
    return typeof inner === 'string' ? inner : output
  } catch {
    return output
  }
}
