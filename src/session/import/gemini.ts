/**
 * Transcripts of Gemini CLI: a first line about the session, then a line each time that a message is written, under the same id with
 * more in it; `$rewindTo` takes back, `$set` patches what is known of the session. A `$set` of messages is what the model is given
 * from then on (after a compression: a summary, and copies under new ids), so it counts only where nothing was said before it.
 * Older programs wrote one document.
 */
import { type ForeignRecord, isRecord, listOf, recordOf, textOf } from './foreign-json.ts'
import { Given } from './given.ts'
import type { Reading } from './reading.ts'
import { answered, resultText, toolName, typed } from './said.ts'
import type { SourceLines } from './source-lines.ts'
import { TurnList } from './turn-list.ts'

export function looksLikeGemini({
  $set,
  $rewindTo,
  projectHash,
  sessionId,
  id,
  type,
  content,
}: ForeignRecord): boolean {
  if ($set !== undefined || $rewindTo !== undefined) return true
  if (typeof projectHash === 'string' && typeof sessionId === 'string') return true
  return typeof id === 'string' && (type === 'user' || type === 'gemini') && content !== undefined
}

export function readGemini({ records, skipped }: SourceLines): Reading {
  const messages = new Messages()
  let sessionId: string | undefined
  for (const { record } of records) {
    const patch = isRecord(record['$set']) ? record['$set'] : record
    sessionId = textOf(patch['sessionId']) ?? sessionId
    if (typeof record['$rewindTo'] === 'string') messages.rewindTo(record['$rewindTo'])
    else if (typeof record['id'] === 'string') messages.write(record['id'], record)
    else if (messages.isEmpty) messages.writeAll(listOf(patch['messages']))
  }
  const list = new TurnList('gemini')
  const given = new Given()
  for (const [id, message] of messages.all) {
    addMessage(list, id, message)
    addGiven(given, message)
  }
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    turns: list.turns,
    given: given.texts,
    skipped: [...skipped],
  }
}

/** A hook's context stands in what the person wrote; a result with its call, and again in what the model was answered. */
function addGiven(given: Given, { type, content, toolCalls, timestamp }: ForeignRecord): void {
  for (const call of listOf(toolCalls).map(recordOf)) add(partsOf(call['result']), call['timestamp'] ?? timestamp)
  if (type === 'user') add(partsOf(content), timestamp)

  function add(parts: readonly ForeignRecord[], at: unknown): void {
    for (const part of parts) {
      given.addBlocks(textOf(part['text']) ?? '', at)
      given.addResult(toolName(recordOf(part['functionResponse'])['name']), responseText(part), at)
    }
  }
}

/** Each message once, where it was first written, as it was last written. */
class Messages {
  readonly #order: string[] = []
  readonly #byId = new Map<string, ForeignRecord>()

  get isEmpty(): boolean {
    return this.#order.length === 0
  }

  get all(): [string, ForeignRecord][] {
    return this.#order.map((id) => [id, recordOf(this.#byId.get(id))])
  }

  write(id: string, message: ForeignRecord): void {
    if (!this.#byId.has(id)) this.#order.push(id)
    this.#byId.set(id, message)
  }

  writeAll(messages: readonly unknown[]): void {
    for (const message of messages.map(recordOf)) {
      const id = textOf(message['id'])
      if (id !== undefined) this.write(id, message)
    }
  }

  /** Takes back this one and all after it. Of one that is not known here nothing is: it is a copy that the model was given. */
  rewindTo(id: string): void {
    while (this.#byId.has(id)) this.#byId.delete(this.#order.pop() ?? id)
  }
}

function addMessage(list: TurnList, id: string, message: ForeignRecord): void {
  const { type, timestamp } = message
  if (type === 'user') {
    // What was typed, without the files that it names.
    const shown = message['displayContent'] ?? message['content']
    list.add({ sourceId: id, timestamp, role: 'user', content: typed(typedParts(partsOf(shown))) })
    addResponses(list, partsOf(message['content']), timestamp)
  } else if (type === 'gemini') {
    const parts = partsOf(message['content'])
    const calls = listOf(message['toolCalls']).map(recordOf)
    const called = calls.length > 0 ? calls : parts.map((part) => recordOf(part['functionCall']))
    const tools = called.map(({ name }) => toolName(name))
    list.add({ sourceId: id, timestamp, role: 'assistant', content: answered(saidParts(parts)), tools })
    for (const call of calls) addResults(list, call)
  }
}

/** The result of a call stands with the call, and again in what the model was answered; under the call's id it is one turn. */
function addResults(list: TurnList, call: ForeignRecord): void {
  const responses = partsOf(call['result'])
  if (responses.some((part) => responseText(part) !== '')) addResponses(list, responses, call['timestamp'], call)
  else {
    const display = call['resultDisplay']
    if (typeof display === 'string')
      addResult(list, call, { name: call['name'], timestamp: call['timestamp'] }, display)
  }
}

function addResponses(
  list: TurnList,
  parts: readonly ForeignRecord[],
  timestamp: unknown,
  call: ForeignRecord = {},
): void {
  for (const part of parts) {
    const response = recordOf(part['functionResponse'])
    addResult(list, { id: response['id'] ?? call['id'] }, { name: response['name'], timestamp }, responseText(part))
  }
}

function addResult(
  list: TurnList,
  { id }: ForeignRecord,
  { name, timestamp }: { readonly name: unknown; readonly timestamp: unknown },
  text: string,
): void {
  const call = textOf(id)
  const sourceId = call === undefined ? undefined : `result\0${call}`
  list.add({ sourceId, timestamp, role: 'tool', content: resultText(text), tools: [toolName(name)] })
}

function responseText(part: ForeignRecord): string {
  const { output, error } = recordOf(recordOf(part['functionResponse'])['response'])
  const text = textOf(output) ?? textOf(error) ?? ''
  return text.replace(/^<untrusted_context>\n?/, '').replace(/\n?<\/untrusted_context>\s{0,9}$/, '')
}

/** A content is one text, one part, or a list of both. */
function partsOf(content: unknown): readonly ForeignRecord[] {
  const parts = Array.isArray(content) ? content : [content]
  return parts.map((part) => (typeof part === 'string' ? { text: part } : recordOf(part)))
}

function saidParts(parts: readonly ForeignRecord[]): string[] {
  return parts.flatMap(({ text, thought }) => (typeof text === 'string' && thought !== true ? [text] : []))
}

function typedParts(parts: readonly ForeignRecord[]): string[] {
  const texts = saidParts(parts)
  const files = texts.findIndex((text) => text.trim() === '--- Content from referenced files ---')
  return files === -1 ? texts : texts.slice(0, files)
}
