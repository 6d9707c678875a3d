/**
 * One call of a provider over HTTP. Redirects are not followed, so that no key goes to a host that nobody named.
 */
import { InvalidError } from '../errors.ts'
import { refusalText } from './answer-bytes.ts'
import { excerpt } from './excerpt.ts'
import { parsedJson } from './json-parts.ts'
import { type Endpoint, type ModelFailure, networkFailure, statusFailure } from './model-failure.ts'
import type { ProviderOptions } from './provider.ts'
import { withRetries } from './retry.ts'
import { retryAfterMs } from './retry-after.ts'
import { saidBy } from './said-error.ts'

export interface HttpCall<T> {
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly signal: AbortSignal | undefined
  /** Reads an answer that begins well. */
  readonly read: (response: Response) => Promise<T>
  /** Whether something was handed on that can't be taken back. */
  readonly isTold: () => boolean
}

export function httpCall<T>(call: HttpCall<T>, options: ProviderOptions): Promise<T> {
  const run = async (): Promise<T> => call.read(await begin(call, options.fetch ?? fetch))
  return withRetries({ run, signal: call.signal, isTold: call.isTold }, options)
}

async function begin<T>({ endpoint, headers, body, signal }: HttpCall<T>, send: typeof fetch): Promise<Response> {
  const request: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    ...(signal === undefined ? {} : { signal }),
  }
  const response = await send(endpoint.url, request).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw networkFailure(endpoint, systemCode(error), excerpt(messageOf(error), endpoint.apiKey))
  })
  if (response.ok) return response
  throw await refusal(response, endpoint, signal)
}

async function refusal(response: Response, endpoint: Endpoint, signal: AbortSignal | undefined): Promise<ModelFailure> {
  const text = await refusalText(response, endpoint, signal)
  const { message, code } = saidBy(parsedJson(text)) ?? { message: text }
  const target = response.headers.get('location')
  const said = excerpt(target === null ? message : `it leads to ${target.split('?')[0]}`, endpoint.apiKey)
  return statusFailure(endpoint, response.status, said, { code, retryAfterMs: retryAfterMs(response.headers) })
}

/** Of a failure of fetch, which has the system's in its cause, or a list of them where a name has several addresses. */
function systemCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause !== null && typeof cause === 'object' && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** `path` below the base, whatever slash that ends with, and also where it, or its version, stands there already; the query stays. */
export function endpointOf(
  { model, baseUrl, apiKey, keyVariable }: ProviderOptions,
  own: { readonly baseUrl: string; readonly path: string; readonly keyVariable: string },
): Endpoint {
  const url = addressOf(baseUrl ?? own.baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  const version = /^\/v\d+(?=\/)/.exec(own.path)?.[0] ?? ''
  const unversioned = base.endsWith(version) ? base.slice(0, base.length - version.length) : base
  url.pathname = base.endsWith(own.path) ? base : `${unversioned}${own.path}`
  const variable = keyVariable ?? own.keyVariable
  return { url, model, apiKey: keyOf(apiKey, variable), keyVariable: variable }
}

/** The address itself is not repeated: it may hold a password. */
function addressOf(text: string): URL {
  const allowed = 'an address that begins with http:// or https://, without a user name or password in it'
  if (!URL.canParse(text)) throw new InvalidError('the base URL of the model', 'is no address', allowed)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidError('the base URL of the model', `begins with ${url.protocol}`, allowed)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidError('the base URL of the model', 'has a user name or a password in it', allowed)
  }
  url.hash = ''
  return url
}

/** What no header can hold would be told by fetch, key and all. */
function keyOf(given: string | undefined, variable: string): string | undefined {
  const key = given?.trim()
  if (!key) return undefined
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new InvalidError(
    'the key of the model',
    `${variable} holds a character that no key has`,
    'letters, digits, signs',
  )
}
