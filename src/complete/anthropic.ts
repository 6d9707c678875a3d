/** Models behind Anthropic's Messages API. */
import type { Model } from '../ports/complete.ts'
import { readAnthropic } from './anthropic-answer.ts'
import { anthropicBody } from './anthropic-body.ts'
import { endpointOf } from './http-call.ts'
import { httpModel } from './http-model.ts'
import type { ProviderOptions } from './provider.ts'

const OWN = { baseUrl: 'https://api.anthropic.com', path: '/v1/messages', keyVariable: 'ANTHROPIC_API_KEY' }
const VERSION = '2023-06-01'

export function anthropicModel(options: ProviderOptions): Model {
  const { baseUrl } = options
  // People write it with the version and without.
  const base = baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/v1\/*$/, '') }
  const endpoint = endpointOf({ ...options, ...base }, OWN)
  const key = endpoint.apiKey === undefined ? {} : { 'x-api-key': endpoint.apiKey }
  const headers = { 'anthropic-version': VERSION, ...key }
  return httpModel({ endpoint, headers, bodyOf: anthropicBody, read: readAnthropic }, options)
}
