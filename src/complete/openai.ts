/**
 * Models behind the API of OpenAI's chat completions, which Ollama, LM Studio, vLLM, llama.cpp and many services speak too, each
 * in its own way: what is read here takes all of them.
 */
import { requireOptions } from '../model/options.ts'
import type { Model } from '../ports/complete.ts'
import { OWN_ADDRESSES } from './effective-llm.ts'
import { endpointOf } from './http-call.ts'
import { httpModel } from './http-model.ts'
import { readOpenai } from './openai-answer.ts'
import { openaiBody } from './openai-body.ts'
import { PROVIDER_OPTIONS, type ProviderOptions } from './provider.ts'

const OWN = { baseUrl: OWN_ADDRESSES.openai, path: '/chat/completions', keyVariable: 'OPENAI_API_KEY' }

export function openaiModel(options: ProviderOptions): Model {
  requireOptions(options, 'openaiModel', PROVIDER_OPTIONS)
  const endpoint = endpointOf(options, OWN)
  const isOpenai = endpoint.url.origin === new URL(OWN.baseUrl).origin
  const api = {
    endpoint,
    headers: endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` },
    bodyOf: openaiBody(isOpenai),
    read: readOpenai,
  }
  return httpModel(api, options)
}
