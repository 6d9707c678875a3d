/** An answer in the words of Anthropic's API, whole or in pieces. */
import type { Completion } from '../ports/complete.ts'
import { type AnswerReading, readAnswer } from './answer-reading.ts'
import { type JsonRecord, listOf, numberOf, recordOf, textOf } from './json-parts.ts'
import { unreadableFailure } from './model-failure.ts'
import { toolCallsOf } from './tool-calls.ts'

interface BegunCall {
  readonly id: unknown
  readonly name: unknown
  readonly input: unknown
  readonly texts: string[]
}

/** What has come of an answer. */
interface Come {
  /** By the number of their block, in the order in which they begin. */
  readonly calls: Map<unknown, BegunCall>
  stop: string | undefined
  isStopped: boolean
  inputTokens: number | undefined
  outputTokens: number | undefined
}

export async function readAnthropic(reading: AnswerReading): Promise<Completion> {
  const usage = { inputTokens: undefined, outputTokens: undefined }
  const come: Come = { calls: new Map(), stop: undefined, isStopped: false, ...usage }
  await readAnswer(reading, {
    whole: (answer) => readWhole(recordOf(answer), reading, come),
    piece: (piece) => readPiece(recordOf(piece), reading, come),
    state: () => (come.isStopped ? 'over' : come.stop === undefined ? 'going on' : 'ending'),
  })
  return completionOf(come, reading)
}

function readPiece(piece: JsonRecord, reading: AnswerReading, come: Come): void {
  const type = piece['type']
  if (type === 'message_start') readUsage(recordOf(piece['message']), come)
  if (type === 'content_block_start') readBlock(piece['index'], recordOf(piece['content_block']), reading, come)
  if (type === 'content_block_delta') {
    const delta = recordOf(piece['delta'])
    if (delta['type'] === 'text_delta') reading.text.add(textOf(delta['text']) ?? '')
    if (delta['type'] === 'input_json_delta') {
      come.calls.get(piece['index'])?.texts.push(textOf(delta['partial_json']) ?? '')
    }
  }
  if (type === 'message_delta') {
    come.stop = textOf(recordOf(piece['delta'])['stop_reason']) ?? come.stop
    readUsage(piece, come)
  }
  if (type === 'message_stop') come.isStopped = true
}

function readWhole(answer: JsonRecord, reading: AnswerReading, come: Come): void {
  if (!Array.isArray(answer['content'])) throw unreadableFailure(reading.endpoint, 'it has no content')
  listOf(answer['content']).forEach((block, index) => {
    readBlock(index, recordOf(block), reading, come)
  })
  come.stop = textOf(answer['stop_reason'])
  readUsage(answer, come)
}

function readBlock(index: unknown, block: JsonRecord, { text }: AnswerReading, come: Come): void {
  if (block['type'] === 'text') text.add(textOf(block['text']) ?? '')
  if (block['type'] === 'tool_use') {
    come.calls.set(index, { id: block['id'], name: block['name'], input: block['input'], texts: [] })
  }
}

/** What was read from a cache was given, too. */
function readUsage(holder: JsonRecord, come: Come): void {
  const usage = recordOf(holder['usage'])
  const input = numberOf(usage['input_tokens'])
  const cached = ['cache_read_input_tokens', 'cache_creation_input_tokens'].map((key) => numberOf(usage[key]) ?? 0)
  if (input !== undefined) come.inputTokens = cached.reduce((sum, each) => sum + each, input)
  come.outputTokens = numberOf(usage['output_tokens']) ?? come.outputTokens
}

function completionOf({ calls, stop, inputTokens, outputTokens }: Come, { text, messages }: AnswerReading): Completion {
  const sent = [...calls.values()].map(({ id, name, input, texts }) => ({
    ...{ id, name },
    arguments: texts.length === 0 ? input : texts.join(''),
  }))
  const toolCalls = toolCallsOf(sent, messages)
  return {
    content: text.end(),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    stop: stopOf(stop, toolCalls.length > 0),
    ...(inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } }),
  }
}

function stopOf(stop: string | undefined, hasCalls: boolean): NonNullable<Completion['stop']> {
  if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return 'length'
  if (stop === 'refusal') return 'refused'
  return hasCalls ? 'tools' : 'end'
}
