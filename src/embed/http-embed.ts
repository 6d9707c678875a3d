/**
 * Vectors from a server that speaks the API of OpenAI's embeddings: OpenAI itself, Ollama, LM Studio, vLLM, llama.cpp and others. What
 * is called, tried again and told is as of every other model over HTTP (complete/).
 */

import { answerBytes } from '../complete/answer-bytes.ts'
import { wholeAnswer } from '../complete/answer-reading.ts'
import { OWN_ADDRESSES } from '../complete/effective-llm.ts'
import { endpointOf, httpCall } from '../complete/http-call.ts'
import { type Endpoint, ModelFailure, shownAddress, unreadableFailure } from '../complete/model-failure.ts'
import { PROVIDER_OPTIONS, type ProviderOptions } from '../complete/provider.ts'
import { checkRetries } from '../complete/retry.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { wholeNumber } from '../model/number.ts'
import { type OptionNames, requireOptions } from '../model/options.ts'
import type { Embed } from '../ports/embed.ts'
import { endpointModel } from './endpoint-model.ts'
import { vectorsIn } from './vectors-in.ts'

export interface HttpEmbedOptions extends ProviderOptions {
  /** Asked of the server, and held to. Left out: as many as the model has. */
  readonly dimensions?: number
  /** How long one batch may take, with all its tries; default two minutes. */
  readonly timeoutMs?: number
}

const HTTP_EMBED_OPTIONS: OptionNames<HttpEmbedOptions> = { dimensions: true, timeoutMs: true, ...PROVIDER_OPTIONS }

const MOST_DIMENSIONS = 65_536

const OWN = { baseUrl: OWN_ADDRESSES.openai, path: '/embeddings', keyVariable: 'OPENAI_API_KEY' }

const BATCH_TEXTS = 32
const BATCH_CHARACTERS = 64_000
/** Servers refuse what is too long for their model. Ours are pieces of a fraction of this; only a query may be longer. */
const MOST_CHARACTERS = 8_000
const TIMEOUT_MS = 120_000

export function httpEmbed(options: HttpEmbedOptions): Embed {
  requireOptions(options, 'httpEmbed', HTTP_EMBED_OPTIONS)
  checkRetries(options)
  if (options.dimensions !== undefined) wholeNumber(options.dimensions, 'dimensions', 1, MOST_DIMENSIONS)
  if (options.model.trim() === '') throw new InvalidError('model', 'is empty', 'the name of a model')
  const endpoint = endpointOf(options, OWN)
  const end = new AbortController()
  let { dimensions } = options
  return {
    model: endpointModel(options, options.baseUrl ?? OWN.baseUrl),
    async embed(texts, { signal } = {}) {
      const signals = signal ? [signal, end.signal] : [end.signal]
      const vectors: Float32Array[] = []
      for (const batch of batchesOf(texts)) {
        const got = await inTime(endpoint, options, signals, (within) => ask(endpoint, batch, options, within))
        const made = got[0]?.length
        if (dimensions !== undefined && made !== dimensions) throw changedFailure(endpoint, dimensions, made)
        dimensions = made
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
  options: HttpEmbedOptions,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { model, dimensions: asked } = options
  const read = async (response: Response): Promise<readonly Float32Array[]> => {
    const answer = await wholeAnswer(answerBytes(response, endpoint, signal), endpoint)
    const vectors = vectorsIn(answer, batch.length, asked)
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

/** What a server says to a text that it does not take. */
const REFUSING: readonly unknown[] = [400, 413, 422, 500]
/** What some say to one that is too long, and others when they are out of order. */
const MAY_PASS = 500

/** The hints of complete/ are about conversations where a request is refused. */
function toldOfEmbedding(failure: ModelFailure): KeepsakeError {
  const { message, data } = failure
  const { status } = data as { readonly status?: unknown }
  if (status !== 501 && !REFUSING.includes(status)) return failure
  const said = message.slice(message.indexOf(` answered ${status}`))
  const hint = HINTS.find(([words]) => words.test(said))?.[1] ?? (status === 413 ? TOO_LONG : NOT_TAKEN)
  const mayPass = status === MAY_PASS ? { mayPass: true } : {}
  return new KeepsakeError('MODEL', message, { hint, data: { status, refused: status !== 501, ...mayPass } })
}

const TOO_LONG = 'The text is too long for this model, or for how its server is set up: take one that reads more.'
const NOT_TAKEN = 'The server does not take the request, and says why. Is it a model that makes embeddings?'
/** By what the server says, in the order in which they count. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/dimension/i, 'Leave "dimensions" out of embedding_model, or name a number that this model knows.'],
  [/too (long|large|many)|length|context|token|batch size|exceed/i, TOO_LONG],
  [/not support|unsupported|embedding/i, 'Name a model that makes embeddings, and start its server so that it does.'],
]

function changedFailure(endpoint: Endpoint, before: number, now: number | undefined): KeepsakeError {
  return new KeepsakeError('MODEL', `${shownAddress(endpoint)} made vectors of ${before} numbers, and now of ${now}`, {
    hint: 'Another model answers by this name. Start this program again: then its vectors are made anew.',
    data: { before, now },
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
