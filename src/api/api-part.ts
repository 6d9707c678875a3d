/**
 * The JSON API at /api/v1: who may ask, what is asked, and the answer. A request comes from the page, with its cookie and key, or from a
 * program with the server's token. Deliberately absent: CORS, and anything that answers a stranger.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readJson } from '../http/body.ts'
import { HEADERS, refuse } from '../http/exchange.ts'
import { bodyRefusal, methodRefusal, NOTHING_HERE, READ_METHODS } from '../http/guard.ts'
import type { Part, Refusal } from '../http/part.ts'
import type { Serving } from '../http/serve.ts'
import { EventStreams } from './events.ts'
import { failureOf, refusalText } from './failures.ts'
import type { Keys } from './keys.ts'
import { openapi } from './openapi.ts'
import { matched } from './routes.ts'
import type { Served } from './served.ts'

export const API_PATH = '/api/v1'

/** Beside the routes: these are no JSON in, JSON out. */
const OPEN = '/open'
const EVENTS = '/events'
const ABOUT = '/openapi.json'
/** All that is read of a stranger. */
const SECRET_BYTES = 1024
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  [OPEN]: ['POST'],
  [EVENTS]: READ_METHODS,
  [ABOUT]: READ_METHODS,
}

export interface ApiOptions {
  readonly served: Served
  readonly keys: Keys
  /** Where it is served: cookies do not tell ports apart. */
  readonly port: number
  /** The link was used, so there should be another one. */
  readonly opened: () => void
}

export function apiPart({ served, keys, port, opened }: ApiOptions, { token, limits }: Serving): Part {
  const streams = new EventStreams()

  const isLetIn = (req: IncomingMessage): boolean =>
    keys.isOpened(req, port) || token?.(req.headers.authorization) === true

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { path, query } = targetOf(req)
    const method = routeMethod(req)
    const bounds = path === OPEN ? { ...limits, bodyBytes: SECRET_BYTES } : limits
    const body = method === 'GET' || method === 'DELETE' ? { value: undefined } : await readJson(req, res, bounds)
    if (body === undefined || res.destroyed) return
    if ('status' in body) return refuse(req, res, body, refusalText(body))
    if (path === OPEN) return open(req, res, body.value)
    if (path === ABOUT) return sendJson(res, 200, openapi(served.around.version))
    const over = new AbortController()
    res.once('close', () => over.abort())
    try {
      if (path === EVENTS) return await streams.stream(await served.followed(query.get('agent') ?? undefined), res)
      const found = matched(method, path)
      if (!('route' in found)) return refuse(req, res, NOTHING_HERE, refusalText(NOTHING_HERE))
      const call = { served, signal: over.signal }
      const told = await found.route.run({ inPath: found.inPath, query, body: body.value }, call)
      sendJson(res, 200, told)
    } catch (error) {
      if (over.signal.aborted) return
      const failed = await failureOf(error, served.memory.store)
      if (failed === undefined || res.headersSent) throw error
      sendJson(res, failed.status, failed.failure)
    }
  }

  const open = (req: IncomingMessage, res: ServerResponse, body: unknown): void => {
    const { secret } = Object(body)
    const granted = keys.open(secret, port)
    if (granted === undefined) {
      refuse(req, res, USED_LINK, refusalText(USED_LINK))
      return
    }
    res.setHeader('Set-Cookie', granted.setCookie)
    sendJson(res, 200, { key: granted.key })
    opened()
  }

  return {
    owns: (target) => target.startsWith(`${API_PATH}/`),
    refusalOf: (req) => {
      const { path } = targetOf(req)
      if (path !== OPEN && !isLetIn(req)) return STRANGER
      const found = matched(routeMethod(req), path)
      const methods = 'route' in found ? [found.route.method] : found.methods
      const allowed = OTHERS[path] ?? methods.flatMap((method) => (method === 'GET' ? READ_METHODS : method))
      if (allowed.length === 0) return NOTHING_HERE
      return methodRefusal(req, allowed) ?? bodyRefusal(req)
    },
    errorText: refusalText,
    answer,
    close: async () => streams.close(),
  }
}

const STRANGER: Refusal = {
  status: 401,
  message: 'This wants the cookie and the key of a page that was opened by its link, or the token of this server.',
  headers: { 'WWW-Authenticate': 'Bearer realm="keepsake"' },
}

const USED_LINK: Refusal = {
  status: 401,
  message:
    'This link was used already, or is not of this server. The terminal where "keepsake serve" runs has a new one.',
}

function routeMethod({ method = '' }: IncomingMessage): string {
  return method === 'HEAD' ? 'GET' : method
}

function targetOf({ url = '' }: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?')
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  return { path: path.slice(API_PATH.length), query: new URLSearchParams(query) }
}

function sendJson(res: ServerResponse, status: number, value: object): void {
  if (res.destroyed) return
  const text = JSON.stringify(value)
  const length = { 'Content-Length': Buffer.byteLength(text) }
  res.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8', ...length }).end(text)
}
