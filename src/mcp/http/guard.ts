/**
 * Decides from a request's head alone whether it is answered, before a byte of its body is read. What a browser can send
 * from any page without asking first (simple requests) is refused here, each by more than one of the checks; a browser
 * that asks first gets no CORS header, ever.
 */
import type { IncomingMessage } from 'node:http'
import type { TokenCheck } from './token.ts'

export const MCP_PATH = '/mcp'

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Rules {
  readonly hosts: ReadonlySet<string>
  readonly token: TokenCheck | undefined
}

type Check = (req: IncomingMessage, rules: Rules) => Refusal | undefined

/** In this order: who is a stranger learns nothing but that. */
const CHECKS: readonly Check[] = [
  versionRefusal,
  hostRefusal,
  originRefusal,
  pathRefusal,
  methodRefusal,
  tokenRefusal,
  bodyRefusal,
]

export function refusalOf(req: IncomingMessage, rules: Rules): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(req, rules)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Node's parser lets others pass that look like the first. */
function versionRefusal(req: IncomingMessage): Refusal | undefined {
  if (req.httpVersion === '1.1' || req.httpVersion === '1.0') return undefined
  return { status: 400, message: 'HTTP/1.1 is spoken here.' }
}

function hostRefusal(req: IncomingMessage, { hosts }: Rules): Refusal | undefined {
  const given = req.headersDistinct['host'] ?? []
  if (given.length !== 1) return { status: 400, message: 'The request needs exactly one Host header.' }
  if (hosts.has(given[0]?.toLowerCase() ?? '')) return undefined
  return { status: 403, message: 'This Host is not served here. Start the server with --allow-host to serve a name.' }
}

/** Programs send no Origin and no Sec-Fetch-Site; browsers always send one of them to a loopback address. */
function originRefusal(req: IncomingMessage, { hosts }: Rules): Refusal | undefined {
  const origins = req.headersDistinct['origin'] ?? []
  const sites = req.headersDistinct['sec-fetch-site'] ?? []
  const ownOrigin = origins.every((origin) => origin.startsWith('http://') && hosts.has(origin.slice('http://'.length)))
  // "same-site" is another port of this host: another program's page.
  const ownSite = sites.every((site) => site === 'same-origin' || site === 'none')
  if (origins.length <= 1 && sites.length <= 1 && ownOrigin && ownSite) return undefined
  return { status: 403, message: 'Requests from pages of other origins are not answered.' }
}

/** Letter by letter: an absolute URL, a query, a dot segment or an escape is another path. */
function pathRefusal(req: IncomingMessage): Refusal | undefined {
  if (req.url === MCP_PATH || req.url === '/') return undefined
  return { status: 404, message: `There is nothing here. MCP is served at ${MCP_PATH}.` }
}

function methodRefusal(req: IncomingMessage): Refusal | undefined {
  const allowed = req.url === MCP_PATH ? ['POST', 'GET', 'DELETE'] : ['GET']
  if (allowed.includes(req.method ?? '')) return undefined
  return { status: 405, message: 'This method is not served here.', headers: { Allow: allowed.join(', ') } }
}

/** The page at / says nothing about the memory, and a person's browser has no token to show. */
function tokenRefusal(req: IncomingMessage, { token }: Rules): Refusal | undefined {
  if (token === undefined || req.url === '/' || token(req.headers.authorization)) return undefined
  return {
    status: 401,
    message: 'This server wants its token, as "Authorization: Bearer TOKEN".',
    headers: { 'WWW-Authenticate': 'Bearer realm="keepsake"' },
  }
}

function bodyRefusal(req: IncomingMessage): Refusal | undefined {
  if (req.method !== 'POST') return hasBody(req) ? { status: 400, message: 'A body comes with POST only.' } : undefined
  const [type = '', ...others] = req.headersDistinct['content-type'] ?? []
  if (others.length > 0 || !/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    return { status: 415, message: 'A POST needs Content-Type: application/json.' }
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    return { status: 415, message: 'Compressed bodies are not read. Send it without Content-Encoding.' }
  }
  return undefined
}

export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) !== 0
}
