/**
 * An answer from its first byte to its last, whole or as a stream, the same for both APIs: what a piece of it means is the API's. An
 * answer that ends before it says so was cut, and is never taken for a whole one.
 */
import type { ModelMessage } from '../ports/complete.ts'
import { answerBytes, answerText } from './answer-bytes.ts'
import { eventStream } from './event-stream.ts'
import { excerpt, isHtml } from './excerpt.ts'
import { parsedJson } from './json-parts.ts'
import { cutFailure, type Endpoint, ModelFailure, shownAddress, unreadableFailure } from './model-failure.ts'
import type { ModelText } from './model-text.ts'
import { isPassingError, saidBy } from './said-error.ts'

export interface AnswerReading {
  readonly response: Response
  readonly endpoint: Endpoint
  readonly signal: AbortSignal | undefined
  /** The conversation, for the ids that it has used. */
  readonly messages: readonly ModelMessage[]
  readonly text: ModelText
  /** Whether a stream was asked for. */
  readonly isStreamed: boolean
}

export interface AnswerParts {
  readonly whole: (answer: unknown) => void
  readonly piece: (piece: unknown) => void
  /** Whether a piece has said why it ends: nothing that matters comes after it. */
  readonly isEnded: () => boolean
}

export async function readAnswer(reading: AnswerReading, parts: AnswerParts): Promise<void> {
  if (isEventStream(reading)) await readStream(reading, parts)
  else parts.whole(await wholeAnswer(reading))
}

/** Some answer in the one way although they were asked for the other. */
function isEventStream({ response, isStreamed }: AnswerReading): boolean {
  const type = response.headers.get('content-type') ?? ''
  return /event-stream/i.test(type) || (isStreamed && !/json|html/i.test(type))
}

async function readStream({ response, endpoint, signal }: AnswerReading, parts: AnswerParts): Promise<void> {
  let isDone = false
  try {
    for await (const event of eventStream(answerBytes(response, endpoint, signal), endpoint)) {
      if (event.is === 'done') isDone = true
      else parts.piece(withoutError(event.value, endpoint))
    }
  } catch (error) {
    // A connection that breaks after the last word has lost nothing.
    if (!(error instanceof ModelFailure) || !error.isPassing || !parts.isEnded()) throw error
  }
  if (!isDone && !parts.isEnded()) throw cutFailure(endpoint)
}

async function wholeAnswer({ response, endpoint, signal }: AnswerReading): Promise<unknown> {
  const text = await answerText(response, endpoint, signal)
  const value = parsedJson(text)
  if (value !== undefined) return withoutError(value, endpoint)
  if (text.trim() === '') throw unreadableFailure(endpoint, 'it is empty')
  throw unreadableFailure(endpoint, `it is ${isHtml(text) ? '' : 'no JSON: '}${excerpt(text, endpoint.apiKey)}`)
}

/** An error may be told inside an answer that began as a success. */
function withoutError(value: unknown, endpoint: Endpoint): unknown {
  const said = saidBy(value)
  if (said === undefined) return value
  throw new ModelFailure(`${shownAddress(endpoint)} failed: ${excerpt(said.message, endpoint.apiKey)}`, {
    hint: 'The server began to answer and then told of a problem. Try again, or look at its log.',
    isPassing: isPassingError(said),
  })
}
