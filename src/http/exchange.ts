/** One request and its answer, whatever is served: the headers that every answer has, and how one is refused. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './guard.ts'
import type { Refusal } from './part.ts'

/** On every answer. */
export const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** How long, and how much of, a refused body is read and thrown away, so that the refusal arrives before the end. */
const DRAIN_MS = 1_000
const DRAIN_BYTES = 64 * 1024 * 1024

export function sendText(res: ServerResponse, text: string): void {
  const length = { 'Content-Length': Buffer.byteLength(text) }
  res.writeHead(200, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8', ...length }).end(text)
}

/** Connections that end with a refusal. Node hands on what was sent behind the refused request all the same. */
const REFUSED = new WeakSet<Socket>()

export function isRefused({ socket }: IncomingMessage): boolean {
  return REFUSED.has(socket)
}

/** Answers with an error and closes the connection: what follows on it may be anything. */
export function refuse(req: IncomingMessage, res: ServerResponse, { status, headers }: Refusal, text: string): void {
  REFUSED.add(req.socket)
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
  const text = plainErrorText(message)
  const head = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

/** Where nobody's clients are known by what they asked for. */
export function plainErrorText(message: string): string {
  return JSON.stringify({ error: { message } })
}
