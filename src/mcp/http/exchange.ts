/** One request and its answer between Node's HTTP and the web types that the MCP SDK speaks. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { hasBody, type Refusal } from './guard.ts'

/** On every answer, in place of the SDK's own. */
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** How long, and how much of, a refused body is read and thrown away, so that the refusal arrives before the end. */
const DRAIN_MS = 1_000
const DRAIN_BYTES = 64 * 1024 * 1024

/** What the SDK may see of a request: no token, no cookie; its answers depend on these headers only. */
export function webRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && /^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name))
      headers.set(name, value)
  }
  return new Request('http://localhost/mcp', { method: req.method ?? 'GET', headers, signal })
}

/** Resolves when the last byte is sent or the client has gone. */
export async function send(res: ServerResponse, response: Response): Promise<void> {
  for (const [name, value] of response.headers) {
    if (name !== 'connection') res.setHeader(name, value)
  }
  res.writeHead(response.status, HEADERS)
  if (response.body === null) {
    res.end()
    return
  }
  // A stream may have nothing to say for long; the client is told at once that it stands.
  res.flushHeaders()
  // The cast: two declarations of one class, the global one and that of node:stream/web.
  const body = Readable.fromWeb(response.body as ReadableStream)
  await pipeline(body, res).catch(() => undefined)
}

export function sendText(res: ServerResponse, text: string): void {
  res.writeHead(200, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }).end(text)
}

/** Connections that end with a refusal. Node hands on what was sent behind the refused request all the same. */
const REFUSED = new WeakSet<Socket>()

export function isRefused({ socket }: IncomingMessage): boolean {
  return REFUSED.has(socket)
}

/** Answers with an error and closes the connection: what follows on it may be anything. */
export function refuse(req: IncomingMessage, res: ServerResponse, { status, message, headers }: Refusal): void {
  REFUSED.add(req.socket)
  const text = errorText(message)
  res.writeHead(status, {
    ...HEADERS,
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  if (!hasBody(req) || req.complete) {
    res.end(text)
    return
  }
  // Closing with bytes unread resets the connection, and the client would see that in place of the answer.
  res.write(text)
  let left = DRAIN_BYTES
  const close = () => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(close, DRAIN_MS)
  req.on('data', (part: Buffer) => {
    left -= part.length
    if (left < 0) close()
  })
  req.once('end', close)
  req.once('close', close)
}

/** The answer to what is not even HTTP, written to the bare connection. */
export function rawRefusal(status: string, message: string): string {
  const text = errorText(message)
  const head = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

/** As JSON-RPC has it, because that is what a client reads; -32000 is its code for an error of the server's own sort. */
export function errorText(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null })
}
