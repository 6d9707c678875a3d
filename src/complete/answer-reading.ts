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
  /** `ending`: a piece has said why it ends, and what was used may come after it. `over`: nothing does. */
  readonly state: () => 'going on' | 'ending' | 'over'
}

/** How long the rest is waited for once an answer is ending: there are servers that leave the connection open. */
const REST_MS = 1000

export async function readAnswer(reading: AnswerReading, parts: AnswerParts): Promise<void> {
  const { response, endpoint, signal } = reading
  let until: number | undefined
  const answer = answerBytes(response, endpoint, signal, { until: () => until })
  const [beginning, bytes] = await begun(answer)
  if (!isEventStream(reading, beginning)) return parts.whole(await wholeAnswer(bytes, endpoint))
  const told: AnswerParts = {
    ...parts,
    piece: (piece) => {
      parts.piece(piece)
      if (parts.state() === 'ending') until = Date.now() + REST_MS
    },
  }
  return readStream(bytes, endpoint, told)
}

/** Some answer in the one way although they were asked for the other, or say nothing of it, or something else. */
function isEventStream({ response, isStreamed }: AnswerReading, beginning: string): boolean {
  const type = response.headers.get('content-type') ?? ''
  const mayBe = /event-stream/i.test(type) || (isStreamed && !/json|html/i.test(type))
  return mayBe && !/^\s*[{[]/.test(beginning)
}

/** The beginning of an answer, as far as there is something but blanks in it; and all of the answer. */
async function begun(answer: AsyncGenerator<Uint8Array, void>): Promise<[string, AsyncIterable<Uint8Array>]> {
  const decoder = new TextDecoder()
  const first: Uint8Array[] = []
  let beginning = ''
  while (beginning.trim() === '') {
    const { done, value } = await answer.next()
    if (done) break
    first.push(value)
    beginning += decoder.decode(value, { stream: true })
  }
  async function* all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* first
      yield* answer
    } finally {
      await answer.return()
    }
  }
  return [beginning, all()]
}

async function readStream(bytes: AsyncIterable<Uint8Array>, endpoint: Endpoint, parts: AnswerParts): Promise<void> {
  let isDone = false
  try {
    for await (const event of eventStream(bytes, endpoint)) {
      if (event.is === 'done') isDone = true
      else parts.piece(withoutError(event.value, endpoint))
      if (parts.state() === 'over') return
    }
  } catch (error) {
    // A connection that breaks after the last word has lost nothing.
    if (!(error instanceof ModelFailure) || !error.isPassing || parts.state() === 'going on') throw error
  }
  if (!isDone && parts.state() === 'going on') throw cutFailure(endpoint)
}

/** An answer in one piece; also that of another API than for conversations. */
export async function wholeAnswer(bytes: AsyncIterable<Uint8Array>, endpoint: Endpoint): Promise<unknown> {
  const text = await answerText(bytes)
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
