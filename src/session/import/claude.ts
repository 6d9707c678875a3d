/**
 * Transcripts of Claude Code: a line an event; `user` and `assistant` lines hold messages of its API, of which one answer may take
 * several lines. Each line is a turn of its own, since the file grows line by line. What was rewound stays, as it does there.
 */
import { type ForeignRecord, isRecord, listOf, recordOf, textOf } from './foreign-json.ts'
import { Given } from './given.ts'
import type { Reading } from './reading.ts'
import { answered, resultText, toolName, typed } from './said.ts'
import type { SkippedLine, SourceLines } from './source-lines.ts'
import { TurnList } from './turn-list.ts'

/** What stands in the file for the program's own sake. */
const NOT_SAID = [
  'isMeta',
  'isSidechain',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'isApiErrorMessage',
] as const

export function looksLikeClaude({ type, sessionId, uuid, message, leafUuid, snapshot }: ForeignRecord): boolean {
  if (typeof type !== 'string') return false
  return (
    typeof sessionId === 'string' || (typeof uuid === 'string' && isRecord(message)) || Boolean(leafUuid ?? snapshot)
  )
}

export function readClaude({ records, skipped }: SourceLines): Reading {
  const list = new TurnList('claude')
  const broken: SkippedLine[] = [...skipped]
  const toolNames = new Map<string, string>()
  const given = new Given()
  let sessionId: string | undefined
  let cwd: string | undefined
  for (const { line, record } of records) {
    // A session that goes on under another id is copied to the front of its file: the last id is the file's own.
    sessionId = textOf(record['sessionId']) ?? sessionId
    // Later ones follow every `cd`.
    cwd ??= textOf(record['cwd'])
    addGiven(given, record, toolNames)
    if (NOT_SAID.some((flag) => record[flag] === true) || record['interruptedMessageId']) continue
    const { type } = record
    if (type === 'attachment') addQueued(list, record)
    else if (type === 'user' || type === 'assistant') {
      const message = record['message']
      if (!isRecord(message)) broken.push({ line, problem: `is a line of the ${type} without a message` })
      else if (type === 'user') addUser(list, record, message, toolNames)
      else addAssistant(list, record, message, toolNames)
    }
  }
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd }),
    turns: list.turns,
    given: given.texts,
    skipped: broken,
  }
}

/** Also of lines that nobody said: the program tells there what a hook gave. */
function addGiven(given: Given, record: ForeignRecord, toolNames: ReadonlyMap<string, string>): void {
  const { timestamp } = record
  const { type, content } = recordOf(record['attachment'])
  if (type === 'hook_additional_context') {
    const texts = typeof content === 'string' ? [content] : listOf(content)
    for (const text of texts) given.addBlocks(textOf(text) ?? '', timestamp)
  }
  if (record['type'] !== 'user') return
  const message = recordOf(record['message'])['content']
  for (const text of textsOf(message)) given.addBlocks(text, timestamp)
  for (const block of listOf(message).map(recordOf)) {
    if (block['type'] !== 'tool_result') continue
    const tool = toolNames.get(textOf(block['tool_use_id']) ?? '')
    given.addResult(tool, textsOf(block['content']).join('\n'), timestamp)
  }
}

function addUser(list: TurnList, record: ForeignRecord, message: ForeignRecord, toolNames: Map<string, string>): void {
  const [sourceId, timestamp] = [textOf(record['uuid']), record['timestamp']]
  for (const block of listOf(message['content']).map(recordOf)) {
    if (block['type'] !== 'tool_result') continue
    const call = textOf(block['tool_use_id'])
    const content = resultText(textsOf(block['content']).join('\n'))
    list.add({
      sourceId: sourceId === undefined ? call : `${sourceId}\0${call}`,
      timestamp,
      role: 'tool',
      content,
      tools: [toolNames.get(call ?? '')],
    })
  }
  list.add({ sourceId, timestamp, role: 'user', content: asTyped(textsOf(message['content'])) })
}

function addAssistant(
  list: TurnList,
  record: ForeignRecord,
  message: ForeignRecord,
  toolNames: Map<string, string>,
): void {
  // Words that the program puts into the model's mouth.
  if (message['model'] === '<synthetic>') return
  const tools: string[] = []
  for (const block of listOf(message['content']).map(recordOf)) {
    const name = block['type'] === 'tool_use' ? toolName(block['name']) : undefined
    if (name === undefined) continue
    tools.push(name)
    const call = textOf(block['id'])
    if (call !== undefined) toolNames.set(call, name)
  }
  const content = answered(textsOf(message['content']))
  list.add({ sourceId: textOf(record['uuid']), timestamp: record['timestamp'], role: 'assistant', content, tools })
}

/** A prompt that was typed while the model was at work. */
function addQueued(list: TurnList, record: ForeignRecord): void {
  const { type, commandMode, prompt, origin } = recordOf(record['attachment'])
  const { kind = 'human' } = recordOf(origin)
  if (type !== 'queued_command' || (commandMode ?? 'prompt') !== 'prompt' || kind !== 'human') return
  list.add({
    sourceId: textOf(record['uuid']),
    timestamp: record['timestamp'],
    role: 'user',
    content: asTyped(textsOf(prompt)),
  })
}

/** Texts of a content that is one text, or blocks. Thinking and pictures are none. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return listOf(content)
    .map(recordOf)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
}

function asTyped(texts: readonly string[]): string {
  return typed(texts.map(wordsOf))
}

const COMMAND = /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]*)<\/command-name>/

/** A command with words behind it says something; a bare one, and what the program says on an interruption, does not. */
function wordsOf(text: string): string {
  if (/^\s*\[Request interrupted by user[^\]]*\]\s*$/.test(text.slice(0, 200))) return ''
  const shell = between(text, '<bash-input>', '</bash-input>')
  if (shell !== undefined && text.trimStart().startsWith('<bash-input>')) return `! ${shell.trim()}`
  const [, command] = COMMAND.exec(text.slice(0, 2000)) ?? []
  if (command === undefined) return text
  const words = typed([between(text, '<command-args>', '</command-args>') ?? ''])
  return words === '' ? '' : `${command.trim()} ${words}`
}

function between(text: string, opening: string, closing: string): string | undefined {
  const from = text.indexOf(opening)
  const to = from === -1 ? -1 : text.indexOf(closing, from)
  return to === -1 ? undefined : text.slice(from + opening.length, to)
}
