/**
 * Decides from a request's head alone whether it is answered, before a byte of its body is read. What a browser can send
 * from any page without asking first (simple requests) is refused here, each by more than one of the checks; a browser
 * that asks first gets no CORS header, ever.
 */
import type { IncomingMessage } from 'node:http'
import type { Part, Refusal } from './part.ts'
import type { TokenCheck } from './token.ts'

export interface Rules {
  readonly hosts: ReadonlySet<string>
}

/** In this order: who is a stranger learns nothing but that. */
export function refusalOf(req: IncomingMessage, part: Part | undefined, rules: Rules): Refusal | undefined {
  return (
    versionRefusal(req) ??
    hostRefusal(req, rules) ??
    (part?.isOpenToLinks && isLinkFollowed(req) ? undefined : originRefusal(req, rules)) ??
    (part ? part.refusalOf(req) : NOTHING_HERE)
  )
}

export const NOTHING_HERE: Refusal = { status: 404, message: 'There is nothing here.' }

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

/** A window goes there, as after a click: no page reads what it is shown, and no frame shows it. */
function isLinkFollowed(req: IncomingMessage): boolean {
  const { headers, method } = req
  const isDocument = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return method === 'GET' && isDocument && headers.origin === undefined
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

/** HEAD is answered like GET: Node sends all headers and no body. */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD']

export function methodRefusal(req: IncomingMessage, allowed: readonly string[]): Refusal | undefined {
  if (allowed.includes(req.method ?? '')) return undefined
  return { status: 405, message: 'This method is not served here.', headers: { Allow: allowed.join(', ') } }
}

export function tokenRefusal(req: IncomingMessage, token: TokenCheck | undefined): Refusal | undefined {
  if (token === undefined || token(req.headers.authorization)) return undefined
  return {
    status: 401,
    message:
      'The token of this server is missing or wrong. Send it as "Authorization: Bearer TOKEN"; "keepsake install CLIENT --http" writes it into the configuration of a client.',
    headers: { 'WWW-Authenticate': 'Bearer realm="keepsake"' },
  }
}

const WITH_BODY: readonly string[] = ['POST', 'PATCH']

export function bodyRefusal(req: IncomingMessage): Refusal | undefined {
  if (!WITH_BODY.includes(req.method ?? '')) {
    return hasBody(req) ? { status: 400, message: `A body comes with ${WITH_BODY.join(' and ')} only.` } : undefined
  }
  const [type = '', ...others] = req.headersDistinct['content-type'] ?? []
  if (others.length > 0 || !/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    return { status: 415, message: `A ${req.method} needs Content-Type: application/json.` }
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    return { status: 415, message: 'Compressed bodies are not read. Send it without Content-Encoding.' }
  }
  return undefined
}

export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) !== 0
}
