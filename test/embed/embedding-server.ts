/** A server of embeddings over real sockets, for tests: what it says is a script's, else vectors that tell their text. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterThisFile } from '../clean-up.ts'

export interface EmbeddingRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number }
}

export interface EmbeddingReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, where it is a text. */
  readonly body?: unknown
  /** The connection breaks after so many characters of the body. */
  readonly cut?: number
  /** Nothing is said at all. */
  readonly silent?: true
}

export interface EmbeddingServer {
  readonly url: string
  readonly host: string
  readonly requests: readonly EmbeddingRequest[]
}

export type EmbeddingScript = (request: EmbeddingRequest, number: number) => EmbeddingReply | undefined

export async function embeddingServer(script: EmbeddingScript = () => undefined): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = []
  const server = createServer((message, response) => {
    void answer(message, response)
  })
  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(message)) as EmbeddingRequest['body'] // what the client sends
    const request = { path: message.url ?? '', headers: message.headers, body }
    requests.push(request)
    send(response, script(request, requests.length) ?? { body: openaiAnswer(body.input, body.dimensions) })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisFile(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  return { url: `http://${host}/v1`, host, requests }
}

function send(response: ServerResponse, { status = 200, headers, body = '', cut, silent }: EmbeddingReply): void {
  if (silent) return
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const length = { 'content-length': String(Buffer.byteLength(text)) }
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers })
  if (cut === undefined) response.end(text)
  else response.write(text.slice(0, cut), () => response.destroy())
}

/** As OpenAI, Ollama and LM Studio give it. */
export function openaiAnswer(input: readonly string[], dimensions = 8): object {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }))
  return { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } }
}

/** Another for each text, and not of length 1. */
export function vectorOf(text: string, dimensions = 8): number[] {
  const vector = Array.from({ length: dimensions }, () => 1)
  for (const [place, character] of [...text].entries()) {
    vector[place % dimensions] = (vector[place % dimensions] ?? 0) + (character.codePointAt(0) ?? 0)
  }
  return vector
}
