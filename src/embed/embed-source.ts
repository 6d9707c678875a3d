/**
 * Where vectors come from, by what the configuration says. Nothing is loaded and nobody is asked before the first `load()`. A key is
 * only ever taken from a variable.
 */
import { type Environment, effectiveLlm, OWN_ADDRESSES, said, variableOf } from '../complete/effective-llm.ts'
import { foreignIn } from '../complete/foreign-in.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { Embed, EmbedSource } from '../ports/embed.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { miniLmPlaces } from './embeddings-folder.ts'
import { endpointModel } from './endpoint-model.ts'
import { LaterEmbed } from './later-embed.ts'
import { MINILM } from './minilm/model-files.ts'

export interface EmbedSourceOptions {
  readonly env: Environment
  /** Folders whose node_modules are looked in before those of `setup embeddings` and of this package. */
  readonly from?: readonly string[]
  /** In place of `embeddingsFolder()`. */
  readonly folder?: string
  /** Nobody looks on: a server that the user's own environment does not stand for is sent nothing. */
  readonly unattended?: boolean
}

/** `undefined` for "none". */
export function embedSource(model: EmbeddingModel | string, options: EmbedSourceOptions): EmbedSource | undefined {
  if (model === 'none') return undefined
  if (model === MINILM) return new LaterEmbed(MINILM, () => openMiniLmFrom(options))
  if (typeof model !== 'string') return serverSource(model, options)
  const allowed = `${MINILM}, none, or {model, base_url, api_key_env, dimensions}`
  throw new InvalidError('embedding_model', `${JSON.stringify(model)} is not a model that is built in`, allowed)
}

async function openMiniLmFrom({ from = [], folder }: EmbedSourceOptions): Promise<Embed> {
  const { openMiniLm } = await import('./minilm/open-minilm.ts')
  const places = miniLmPlaces(folder)
  return openMiniLm({ ...places, from: [...from, ...places.from] })
}

/** The variable that must hold a key and holds none; `undefined`: nothing is missing. */
export function missingKey(chosen: EmbeddingModel, env: Environment): string | undefined {
  const keyVariable = keyVariableOf(chosen)
  return baseUrlOf(chosen, env) === null && said(env, keyVariable) === undefined ? keyVariable : undefined
}

function keyVariableOf({ api_key_env: named }: EmbeddingModel): string {
  return named ?? variableOf('openai', 'API_KEY')
}

/** `null`: OpenAI's own. */
function baseUrlOf({ model, base_url, api_key_env }: EmbeddingModel, env: Environment): string | null {
  return effectiveLlm({ provider: 'openai', model, base_url, api_key_env }, env)?.llm.base_url ?? null
}

function serverSource(chosen: EmbeddingModel, { env, unattended = false }: EmbedSourceOptions): EmbedSource {
  const { model, api_key_env: named, dimensions } = chosen
  const llm = { provider: 'openai', model, base_url: chosen.base_url, api_key_env: named } as const
  const baseUrl = baseUrlOf(chosen, env)
  const keyVariable = keyVariableOf(chosen)
  const name = endpointModel(chosen, baseUrl ?? OWN_ADDRESSES.openai)
  return new LaterEmbed(name, async () => {
    const foreign = unattended ? foreignIn(llm, env) : undefined
    if (foreign !== undefined) throw notUnattended(foreign)
    if (missingKey(chosen, env) !== undefined) throw noKey(model, keyVariable)
    const apiKey = said(env, keyVariable)
    const { httpEmbed } = await import('./http-embed.ts')
    return httpEmbed({
      ...{ model, keyVariable },
      ...(baseUrl === null ? {} : { baseUrl }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(dimensions === null ? {} : { dimensions }),
    })
  })
}

function notUnattended(foreign: string): KeepsakeError {
  return new KeepsakeError(
    'NO_EMBEDDINGS',
    `the embedding model of this project is not asked unattended: its ${foreign}`,
    {
      hint: 'If that is right, run "keepsake embed" yourself, or put the address into OPENAI_BASE_URL. See docs/embeddings.md.',
    },
  )
}

function noKey(model: string, keyVariable: string): KeepsakeError {
  return new KeepsakeError('NO_EMBEDDINGS', `the embedding model ${model} needs a key, and ${keyVariable} is not set`, {
    hint: `Put the key into ${keyVariable}, or name a server that wants none: base_url, or OPENAI_BASE_URL.`,
  })
}
