/**
 * A language model of the Vercel AI SDK (versions 5, 6 and 7) as one of ours. The model does the work; the package `ai` is not
 * needed, and neither is any of its types: what is used of them is written down here (docs/decisions/0018).
 */
import { KeepsakeError } from '../errors.ts'
import { requireOptions } from '../model/options.ts'
import type { CompleteOptions, Completion, Model, ModelMessage } from '../ports/complete.ts'
import { aiSdkFailure } from './ai-sdk-failure.ts'
import { aiSdkPrompt } from './ai-sdk-prompt.ts'
import { isRecord, type JsonRecord, listOf, numberOf, recordOf, textOf } from './json-parts.ts'
import { ModelFailure } from './model-failure.ts'
import { ModelText } from './model-text.ts'
import { checkRetries, RETRY_OPTIONS, type RetryOptions, withRetries } from './retry.ts'
import { type SentCall, toolCallsOf } from './tool-calls.ts'

/** What `createOpenAICompatible(…)('x')`, `anthropic('x')` and their like give, as far as it is used. */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly modelId: string
  doGenerate(call: AiSdkCall): PromiseLike<object>
  doStream(call: AiSdkCall): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

export interface AiSdkCall {
  readonly prompt: object
  readonly maxOutputTokens?: number | undefined
  readonly tools?: object | undefined
  readonly toolChoice?: object | undefined
  readonly abortSignal?: AbortSignal | undefined
}

const VERSIONS: readonly unknown[] = ['v2', 'v3', 'v4']

/** What has come of an answer. */
interface Come {
  readonly text: ModelText
  readonly calls: SentCall[]
  /** The last part of a stream, or the whole answer: both say why it ended, and what was used. */
  end: JsonRecord | undefined
}

export function aiSdkModel(model: AiSdkModel, options: RetryOptions = {}): Model {
  requireModel(model)
  requireOptions(options, 'aiSdkModel', RETRY_OPTIONS)
  checkRetries(options)
  return {
    name: model.modelId,
    complete: (message, asked) => completeWith(model, options, message, asked),
  }
}

function requireModel(model: unknown): void {
  if (isRecord(model) && VERSIONS.includes(model['specificationVersion'])) return
  const what = isRecord(model) ? `a model of version "${String(model['specificationVersion'])}"` : `a ${typeof model}`
  throw new KeepsakeError('UNSUPPORTED', `${what} is no language model of the AI SDK that is known here`, {
    hint: "Hand in a model's object, of AI SDK 5 or newer: npm install @ai-sdk/openai-compatible, then createOpenAICompatible({…})('NAME').",
  })
}

function completeWith(
  model: AiSdkModel,
  options: RetryOptions,
  message: string,
  asked: CompleteOptions,
): Promise<Completion> {
  const { system, tools = [], toolChoice, maxTokens, signal, onText } = asked
  const messages = asked.messages ?? [{ role: 'user', content: message }]
  const call: AiSdkCall = {
    prompt: aiSdkPrompt(system, messages),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', ...tool })) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { toolChoice: { type: toolChoice } }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  }
  let come: Come = begun(onText)
  const run = async (): Promise<Completion> => {
    come = begun(onText)
    if (onText) await readStream(model, call, come)
    else await readWhole(model, call, come)
    return completionOf(come, messages)
  }
  return withRetries({ run, signal, isTold: () => come.text.isTold }, options)
}

function begun(onText: CompleteOptions['onText']): Come {
  return { text: new ModelText(onText), calls: [], end: undefined }
}

async function readWhole(model: AiSdkModel, call: AiSdkCall, come: Come): Promise<void> {
  const answer = await attempt(model, () => model.doGenerate(call))
  come.end = recordOf(answer)
  for (const part of listOf(come.end['content'])) readPart(recordOf(part), come)
}

async function readStream(model: AiSdkModel, call: AiSdkCall, come: Come): Promise<void> {
  const { stream } = await attempt(model, () => model.doStream(call))
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await attempt(model, () => reader.read())
      if (done) break
      const part = recordOf(value)
      if (part['type'] === 'error') throw aiSdkFailure(model.modelId, part['error'])
      if (part['type'] === 'finish') come.end = part
      readPart(part, come)
    }
  } finally {
    // Not awaited: a server that goes on sending must not hold us up.
    reader.cancel().catch(() => undefined)
  }
  if (come.end) return
  throw new ModelFailure(`the answer of ${model.modelId} was cut before its end`, {
    hint: 'Try again.',
    isPassing: true,
  })
}

async function attempt<T>({ modelId }: AiSdkModel, run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw aiSdkFailure(modelId, error)
  }
}

/** A part of an answer, or of a stream. A tool that the provider runs itself is not ours to run. */
function readPart(part: JsonRecord, { text, calls }: Come): void {
  if (part['type'] === 'text') text.add(textOf(part['text']) ?? '')
  if (part['type'] === 'text-delta') text.add(textOf(part['delta']) ?? '')
  if (part['type'] === 'tool-call' && part['providerExecuted'] !== true) {
    calls.push({ id: part['toolCallId'], name: part['toolName'], arguments: part['input'] })
  }
}

function completionOf({ text, calls, end = {} }: Come, messages: readonly ModelMessage[]): Completion {
  const toolCalls = toolCallsOf(calls, messages)
  const usage = recordOf(end['usage'])
  const [inputTokens, outputTokens] = [totalOf(usage['inputTokens']), totalOf(usage['outputTokens'])]
  return {
    content: text.end(),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    stop: stopOf(end['finishReason'], toolCalls.length > 0),
    ...(inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } }),
  }
}

/** A number in AI SDK 5, with its parts from 6 on. */
function totalOf(tokens: unknown): number | undefined {
  return numberOf(tokens) ?? numberOf(recordOf(tokens)['total'])
}

/** A word in AI SDK 5, with the provider's own from 6 on. */
function stopOf(finish: unknown, hasCalls: boolean): NonNullable<Completion['stop']> {
  const reason = textOf(finish) ?? recordOf(finish)['unified']
  if (reason === 'length') return 'length'
  if (reason === 'content-filter') return 'refused'
  return hasCalls ? 'tools' : 'end'
}
