/**
 * A server that stands before a real one, or in its place: each request is first shown to `meddle`, which may answer it itself, never answer,
 * or let it through. In the place of one it answers what a server says of itself, so that requests get as far as their own answer.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Whether it has taken care of the request. */
export type Meddle = (asked: IncomingMessage, answer: ServerResponse) => boolean

export interface Meddler {
  readonly url: string
  /** Paths of all requests so far. */
  readonly asked: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
  meddle: Meddle
  close(): Promise<void>
}

const FACTS: readonly (readonly [RegExp, unknown])[] = [
  [/\/version$/, '1.0.0'],
  [/\/pre-flight-checks$/, { max_batch_size: 5461, supports_base64_encoding: true }],
  [/\/tenants\/[^/]+$/, { name: 'default_tenant' }],
  [/\/databases\/[^/]+$/, { name: 'default_database' }],
  [/\/collections\/memories$/, { id: '11111111-2222-4333-8444-555555555555', metadata: { 'hnsw:space': 'cosine' } }],
]

export async function meddler(meddle: Meddle, target?: string): Promise<Meddler> {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const sockets = new Set<Socket>()
  const made = { meddle }
  const server: Server = createServer((incoming, answer) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    headers.push(incoming.headers)
    if (made.meddle(incoming, answer)) return
    if (target === undefined) sendFact(incoming, answer)
    else forward(incoming, answer, target)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(made, {
    ...{ url, asked, headers },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

export function sendJson(answer: ServerResponse, status: number, value: unknown): true {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  return true
}

function sendFact({ url = '' }: IncomingMessage, answer: ServerResponse): void {
  const fact = FACTS.find(([path]) => path.test(url))
  if (fact) sendJson(answer, 200, fact[1])
  else sendJson(answer, 404, { error: 'NotFoundError', message: 'not there' })
}

function forward(incoming: IncomingMessage, answer: ServerResponse, target: string): void {
  const { method, headers, url = '/' } = incoming
  const onward = request(new URL(url, target), { method, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  incoming.pipe(onward)
}
