/**
 * Transcripts of Codex: a line an item, `response_item` being what went to and came from the model. `event_msg` lines tell the same
 * once more for the screen, and `compacted` lines hold copies. Older files have the items bare, or in one document.
 */
import { type ForeignRecord, isRecord, listOf, recordOf, textOf } from './foreign-json.ts'
import { Given } from './given.ts'
import type { Reading } from './reading.ts'
import { answered, resultText, toolName, typed } from './said.ts'
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
  'Warning: The maximum number of unified exec processes',
] as const

/** How begins what editors and apps put before what was typed: what is open, attached or pointed at. */
const PREFACES = [
  '# Context from my IDE setup:',
  '# Files mentioned by the user:',
  '# Files pasted by the user:',
  '# Browser comments:',
  '# In app browser:',
  '## Referenced chats with Codex:',
  '<in-app-browser-context',
  '## My request',
] as const
const TYPED_BELOW = /^## My request(?: for Codex)?:/m

/** A picture stands between two texts of its own, and a skill is one text. */
const NOT_WORDS = /^<image(?:\s[^<>]{0,300})?>$|^<\/image>$|^<skill>.*<\/skill>$/s

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
  const given = new Given()
  let sessionId: string | undefined
  let cwd: string | undefined
  for (const { record } of records) {
    // The first ones are the file's own; a fork has those of its parent, too.
    sessionId ??= sessionIdOf(record)
    cwd ??= textOf(recordOf(record['payload'])['cwd'])
    for (const item of itemsOf(record)) {
      add(list, item, record['timestamp'], toolNames)
      addGiven(given, item, record['timestamp'], toolNames)
    }
  }
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd }),
    turns: list.turns,
    given: given.texts,
    skipped: [...skipped],
  }
}

/** What a hook gives is a developer's message. */
function addGiven(given: Given, item: ForeignRecord, timestamp: unknown, toolNames: ReadonlyMap<string, string>): void {
  const { type, role, content, call_id, output } = item
  if (type === 'message' && role !== 'assistant') {
    for (const part of listOf(content)) given.addBlocks(textOf(recordOf(part)['text']) ?? '', timestamp)
  } else if (OUTPUTS.includes(type)) {
    given.addResult(toolNames.get(textOf(call_id) ?? ''), outputText(output), timestamp)
  }
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
    list.add({ sourceId, timestamp, role, content: (role === 'user' ? typed : answered)(textsOf(item)) })
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
  const isOneOf = (beginnings: readonly string[]): boolean => beginnings.some((each) => begins.startsWith(each))
  if (isOneOf(NOT_TYPED) || NOT_WORDS.test(text.trim())) return ''
  const heading = isOneOf(PREFACES) ? TYPED_BELOW.exec(text) : null
  return heading === null ? text : text.slice(heading.index + heading[0].length)
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
