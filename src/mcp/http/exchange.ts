/** One request and its answer between Node's HTTP and the web types that the MCP SDK speaks. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { HEADERS } from '../../http/exchange.ts'

/** What the SDK may see of a request: no token, no cookie; its answers depend on these headers only. */
export function webRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && /^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name))
      headers.set(name, value)
  }
  return new Request('http://localhost/mcp', { method: req.method ?? 'GET', headers, signal })
}

/** Resolves when the last byte is sent or the client has gone. Our headers take the place of the SDK's own. */
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

/** As JSON-RPC has it, because that is what a client reads; -32000 is its code for an error of the server's own sort. */
export function errorText(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null })
}
