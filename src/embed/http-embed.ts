/**
 * Vectors from a server that speaks the API of OpenAI's embeddings: OpenAI itself, Ollama, LM Studio, vLLM, llama.cpp and others. What
 * is called, tried again and told is as of every other model over HTTP (complete/).
 */

import { answerBytes } from '../complete/answer-bytes.ts'
import { wholeAnswer } from '../complete/answer-reading.ts'
import { OWN_ADDRESSES } from '../complete/effective-llm.ts'
import { endpointOf, httpCall } from '../complete/http-call.ts'
import { type Endpoint, ModelFailure, shownAddress, unreadableFailure } from '../complete/model-failure.ts'
import type { ProviderOptions } from '../complete/provider.ts'
import { checkRetries } from '../complete/retry.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { wholeNumber } from '../model/number.ts'
import type { Embed } from '../ports/embed.ts'
import { endpointModel } from './endpoint-model.ts'
import { vectorsIn } from './vectors-in.ts'

export interface HttpEmbedOptions extends ProviderOptions {
  /** Asked of the server, and held to. Left out: as many as the model has. */
  readonly dimensions?: number
  /** How long one batch may take, with all its tries; default two minutes. */
  readonly timeoutMs?: number
}

const MOST_DIMENSIONS = 65_536

const OWN = { baseUrl: OWN_ADDRESSES.openai, path: '/embeddings', keyVariable: 'OPENAI_API_KEY' }

const BATCH_TEXTS = 32
const BATCH_CHARACTERS = 64_000
/** Servers refuse what is too long for their model. Ours are pieces of a fraction of this; only a query may be longer. */
const MOST_CHARACTERS = 8_000
const TIMEOUT_MS = 120_000

export function httpEmbed(options: HttpEmbedOptions): Embed {
  checkRetries(options)
  if (options.dimensions !== undefined) wholeNumber(options.dimensions, 'dimensions', 1, MOST_DIMENSIONS)
  if (options.model.trim() === '') throw new InvalidError('model', 'is empty', 'the name of a model')
  const endpoint = endpointOf(options, OWN)
  const end = new AbortController()
  let { dimensions } = options
  return {
    model: endpointModel(options, endpoint.url.host),
    async embed(texts, { signal } = {}) {
      const signals = signal ? [signal, end.signal] : [end.signal]
      const vectors: Float32Array[] = []
      for (const batch of batchesOf(texts)) {
        const got = await inTime(endpoint, options, signals, (within) =>
          ask(endpoint, batch, dimensions, options, within),
        )
        dimensions ??= got[0]?.length
        vectors.push(...got)
      }
      return vectors
    },
    async close() {
      end.abort(new KeepsakeError('CLOSED', 'the embedding model is closed', { hint: 'Open the memory again.' }))
    },
  }
}

async function ask(
  endpoint: Endpoint,
  batch: readonly string[],
  dimensions: number | undefined,
  options: HttpEmbedOptions,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { model, dimensions: asked } = options
  const read = async (response: Response): Promise<readonly Float32Array[]> => {
    const answer = await wholeAnswer(answerBytes(response, endpoint, signal), endpoint)
    const vectors = vectorsIn(answer, batch.length, dimensions)
    if ('problem' in vectors) throw unreadableFailure(endpoint, vectors.problem)
    return vectors
  }
  const body = { model, input: batch, encoding_format: 'float', ...(asked === undefined ? {} : { dimensions: asked }) }
  const headers = endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }
  try {
    return await httpCall({ ...{ endpoint, headers, body, signal, read }, isTold: () => false }, options)
  } catch (error) {
    throw error instanceof ModelFailure ? toldOfEmbedding(error) : error
  }
}

/** The hints of complete/ are about conversations where a request is refused. */
function toldOfEmbedding(failure: ModelFailure): ModelFailure {
  const status = failure.data['status']
  if (status !== 400 && status !== 413 && status !== 422 && status !== 501) return failure
  return new ModelFailure(failure.message, {
    hint: 'The server does not take the request: is it a model that makes embeddings, and does it know "dimensions"?',
    status,
  })
}

async function inTime<T>(
  endpoint: Endpoint,
  { timeoutMs = TIMEOUT_MS }: HttpEmbedOptions,
  signals: readonly AbortSignal[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(outOfTime(endpoint, timeoutMs)), timeoutMs)
  try {
    return await run(AbortSignal.any([...signals, clock.signal]))
  } finally {
    clearTimeout(timer)
  }
}

function outOfTime(endpoint: Endpoint, timeoutMs: number): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `${shownAddress(endpoint)} made no vectors within ${timeoutMs} ms`, {
    hint: 'Try again, or take a faster model or server.',
    data: { timeoutMs },
  })
}

function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let characters = 0
  for (const text of texts.map(sendable)) {
    characters += text.length
    const batch = batches.at(-1)
    if (batch && batch.length < BATCH_TEXTS && characters <= BATCH_CHARACTERS) {
      batch.push(text)
    } else {
      batches.push([text])
      characters = text.length
    }
  }
  return batches
}

/** An empty text is refused by OpenAI's servers, half a character by others. */
function sendable(text: string): string {
  return text.slice(0, MOST_CHARACTERS).toWellFormed() || ' '
}
