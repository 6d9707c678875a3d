/** An answer in the words of OpenAI's API, whole or in pieces. */
import type { Completion } from '../ports/complete.ts'
import { type AnswerReading, readAnswer } from './answer-reading.ts'
import { contentText, isRecord, type JsonRecord, listOf, numberOf, recordOf, textOf } from './json-parts.ts'
import { unreadableFailure } from './model-failure.ts'
import type { ModelText } from './model-text.ts'
import { OpenaiCalls } from './openai-calls.ts'
import { toolCallsOf } from './tool-calls.ts'

/** What has come of an answer. */
interface Come {
  readonly calls: OpenaiCalls
  finish: string | undefined
  isRefused: boolean
  usage: unknown
}

export async function readOpenai(reading: AnswerReading): Promise<Completion> {
  const come: Come = { calls: new OpenaiCalls(), isRefused: false, finish: undefined, usage: undefined }
  await readAnswer(reading, {
    whole: (answer) => readWhole(recordOf(answer), reading, come),
    piece: (piece) => readPiece(recordOf(piece), reading, come),
    state: () => (come.finish === undefined ? 'going on' : 'ending'),
  })
  return completionOf(come, reading)
}

function readPiece(piece: JsonRecord, { text }: AnswerReading, come: Come): void {
  const choice = recordOf(listOf(piece['choices'])[0])
  readMessage(recordOf(choice['delta'] ?? choice['message']), text, come)
  come.finish = textOf(choice['finish_reason']) || come.finish
  // Some send it with each piece, and as null with all but the last.
  come.usage = piece['usage'] ?? come.usage
}

function readWhole(answer: JsonRecord, { text, endpoint }: AnswerReading, come: Come): void {
  const choice = recordOf(listOf(answer['choices'])[0])
  if (!isRecord(choice['message'])) throw unreadableFailure(endpoint, 'it has no choices[0].message')
  readMessage(choice['message'], text, come)
  come.finish = textOf(choice['finish_reason'])
  come.usage = answer['usage']
}

function readMessage(message: JsonRecord, text: ModelText, come: Come): void {
  text.add(wordsOf(message, come))
  come.calls.add(listOf(message['tool_calls']))
}

/** What it says; where it refuses, that. Thoughts have fields of their own and are not looked at. */
function wordsOf(message: JsonRecord, come: Come): string {
  const refusal = textOf(message['refusal']) ?? ''
  if (refusal !== '') come.isRefused = true
  return contentText(message['content']) + refusal
}

function completionOf({ calls, finish, isRefused, usage }: Come, { text, messages }: AnswerReading): Completion {
  const toolCalls = toolCallsOf(calls.sent, messages)
  const { prompt_tokens: given, completion_tokens: made } = recordOf(usage)
  const [inputTokens, outputTokens] = [numberOf(given), numberOf(made)]
  return {
    content: text.end(),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    stop: isRefused ? 'refused' : stopOf(finish, toolCalls.length > 0),
    ...(inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } }),
  }
}

/** Some say `stop` where they call tools. */
function stopOf(finish: string | undefined, hasCalls: boolean): NonNullable<Completion['stop']> {
  if (finish === 'length') return 'length'
  if (finish === 'content_filter') return 'refused'
  return hasCalls ? 'tools' : 'end'
}
