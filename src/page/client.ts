/**
 * The one way from the page to its server. The cookie comes with every request by itself; the key is kept where only pages of this very
 * address, port included, can read it: cookies know no ports, and another program's page on this machine is not to speak for us.
 */
import type { Failure, OpenAnswer } from '../api/contract.ts'

const BASE = '/api/v1'
const KEY = 'keepsake-key'

/** What the server said in place of an answer; `code` as the library's errors have it, or OFFLINE. */
export class ApiError extends Error {
  readonly status: number
  readonly failure: Failure['error']

  constructor(status: number, failure: Failure['error']) {
    super(failure.message)
    this.status = status
    this.failure = failure
  }
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return request('GET', path, query, undefined, signal)
}

export async function send<Answer>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  query: Query = {},
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
  // The server takes no POST and no PATCH without one.
  return request(method, path, query, method === 'DELETE' ? undefined : (body ?? {}), signal)
}

/** With the secret that the link brought, once. */
export async function open(secret: string): Promise<void> {
  const { key } = await request<OpenAnswer>('POST', '/open', {}, { secret })
  localStorage.setItem(KEY, key)
}

/** Reads events until the signal. Reconnects after a lost connection, which is reported as the event `lost`. */
export async function follow(
  query: Query,
  signal: AbortSignal,
  on: (name: string, data: string) => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const response = await fetch(address('/events', query), { headers: headers(), signal })
      if (!response.ok || response.body === null) throw await failureOf(response)
      failures = 0
      await readEvents(response.body, on)
    } catch (error) {
      if (signal.aborted) return
      // Who is not let in, or asks for what is not there, is not helped by asking again.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error
    }
    on('lost', '')
    failures++
    await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 500 * 2 ** failures)))
  }
}

async function request<Answer>(
  method: string,
  path: string,
  query: Query,
  body: object | undefined,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await fetch(address(path, query), {
    method,
    headers: { ...headers(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, { code: 'OFFLINE', message: 'Keepsake does not answer.' })
  })
  if (!response.ok) throw await failureOf(response)
  return (await response.json()) as Answer // what the server's own types say
}

async function failureOf(response: Response): Promise<ApiError> {
  const told: unknown = await response.json().catch(() => undefined)
  const error = typeof told === 'object' && told !== null && 'error' in told ? (told as Failure).error : undefined
  return new ApiError(
    response.status,
    error ?? { code: 'INTERNAL', message: `The server answered ${response.status}.` },
  )
}

function headers(): Record<string, string> {
  return { 'Keepsake-Key': localStorage.getItem(KEY) ?? '' }
}

function address(path: string, query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  return search.size === 0 ? `${BASE}${path}` : `${BASE}${path}?${search}`
}

/** Of the format only what our server sends: an event's name, one line of data, and comments to keep the connection. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  on: (name: string, data: string) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (name !== undefined) on(name, data ?? '')
    }
  }
}
