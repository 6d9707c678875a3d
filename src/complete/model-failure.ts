/** A call of a model that failed: what happened, where, and what to do. Wrapped once, here; no cause is kept, for it may hold the key. */
import { KeepsakeError } from '../errors.ts'

export interface Endpoint {
  readonly url: URL
  readonly model: string
  readonly apiKey: string | undefined
  readonly keyVariable: string
}

export interface FailureFacts {
  readonly hint: string
  readonly status?: number
  /** Trying again may help. */
  readonly isPassing?: boolean
  readonly retryAfterMs?: number | undefined
}

export class ModelFailure extends KeepsakeError {
  readonly isPassing: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, { hint, status, isPassing = false, retryAfterMs }: FailureFacts) {
    super('MODEL', message, { hint, ...(status === undefined ? {} : { data: { status } }) })
    this.isPassing = isPassing
    this.retryAfterMs = retryAfterMs
  }

  /** The same after `tries`, for who reads it. */
  after(tries: number): ModelFailure {
    if (tries === 1) return this
    const { message, hint = '', isPassing, retryAfterMs } = this
    const status = this.data['status']
    return new ModelFailure(`${message} (tried ${tries} times)`, {
      ...{ hint, isPassing, retryAfterMs },
      ...(typeof status === 'number' ? { status } : {}),
    })
  }
}

/** The address without its query, which may hold secrets. */
export function shownAddress({ url }: Pick<Endpoint, 'url'>): string {
  return url.origin + url.pathname
}

const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504, 529]

/** An answer with a status that is no success. `said` is fit to be shown. */
export function statusFailure(
  endpoint: Endpoint,
  status: number,
  said: string,
  { code, retryAfterMs }: { readonly code?: string | undefined; readonly retryAfterMs?: number | undefined } = {},
): ModelFailure {
  const isPassing = PASSING.includes(status) && code !== 'insufficient_quota'
  return new ModelFailure(`${shownAddress(endpoint)} answered ${status}${said === '' ? '' : `: ${said}`}`, {
    hint: hintFor(status, endpoint),
    ...{ status, isPassing, retryAfterMs },
  })
}

function hintFor(status: number, { url, model, apiKey, keyVariable }: Endpoint): string {
  if (status === 401 || status === 403) {
    return apiKey === undefined
      ? `It wants a key: put it into the environment variable ${keyVariable}.`
      : `Check the key in the environment variable ${keyVariable}, and what it may be used for.`
  }
  if (status === 404) {
    const version = url.pathname.includes('/v1/') ? '' : ' Most servers want /v1 at the end of the address.'
    return `Check the name of the model ("${model}") and the address: does that server have both?${version}`
  }
  if (status === 402 || status === 429) return 'Try again later, or check what your account may use.'
  if (status === 413)
    return 'The request is too long for this model: condense the session, or take a model with more room.'
  if (status >= 300 && status < 400) return 'Put the address that it names into base_url: redirects are not followed.'
  if (status < 500) return 'The server does not take the request: it may be too long, or the model may not know tools.'
  return 'The server has a problem. Try again later, or look at its log.'
}

export function networkFailure(endpoint: Endpoint, code: string | undefined, said: string): ModelFailure {
  const where = shownAddress(endpoint)
  const reason = code ?? said
  const isCertificate = code !== undefined && /CERT|SELF_SIGNED|SSL|TLS/.test(code)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ModelFailure(`${where} was silent for too long (${code})`, {
      hint: 'Take a smaller model, or ask with streaming.',
    })
  }
  return new ModelFailure(`${where} can't be reached${reason === '' ? '' : `: ${reason}`}`, {
    hint: isCertificate
      ? 'Its certificate is not trusted here. Check the address, or name the authority in NODE_EXTRA_CA_CERTS.'
      : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? 'Check the name of the host in the address, and the network.'
        : 'Is the server running, and is the address right?',
    isPassing: !isCertificate,
  })
}

/** The connection ended, or the answer did, before it was whole. */
export function cutFailure(endpoint: Endpoint): ModelFailure {
  return new ModelFailure(`the answer of ${shownAddress(endpoint)} was cut before its end`, {
    hint: 'Try again. If it happens often, look at the log of the server, or of the proxy before it.',
    isPassing: true,
  })
}

export function unreadableFailure(endpoint: Endpoint, problem: string): ModelFailure {
  return new ModelFailure(`${shownAddress(endpoint)} gave an answer that can't be read: ${problem}`, {
    hint: 'Check the address: it must be a server that speaks this API, with the path that its manual says.',
  })
}

export function tooLongFailure(endpoint: Endpoint, mostBytes: number): ModelFailure {
  return new ModelFailure(`the answer of ${shownAddress(endpoint)} is longer than ${mostBytes / 1_048_576} MB`, {
    hint: 'No model says that much. Check the address.',
  })
}
