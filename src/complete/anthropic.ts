/** Models behind Anthropic's Messages API. */
import { requireOptions } from '../model/options.ts'
import type { Model } from '../ports/complete.ts'
import { readAnthropic } from './anthropic-answer.ts'
import { anthropicBody } from './anthropic-body.ts'
import { OWN_ADDRESSES } from './effective-llm.ts'
import { endpointOf } from './http-call.ts'
import { httpModel } from './http-model.ts'
import { PROVIDER_OPTIONS, type ProviderOptions } from './provider.ts'

const OWN = { baseUrl: OWN_ADDRESSES.anthropic, path: '/v1/messages', keyVariable: 'ANTHROPIC_API_KEY' }
const VERSION = '2023-06-01'

export function anthropicModel(options: ProviderOptions): Model {
  requireOptions(options, 'anthropicModel', PROVIDER_OPTIONS)
  const endpoint = endpointOf(options, OWN)
  const key = endpoint.apiKey === undefined ? {} : { 'x-api-key': endpoint.apiKey }
  const headers = { 'anthropic-version': VERSION, ...key }
  return httpModel({ endpoint, headers, bodyOf: anthropicBody, read: readAnthropic }, options)
}
