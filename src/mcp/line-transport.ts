/**
 * A message a line on two streams. Own code, because the SDK's transport leaves a line that it can't read without an answer,
 * ends the connection at one that is too long, and drops what is being answered when the input ends. Here each line gets an
 * answer, whatever it is, and an input that ends (`printf … | keepsake mcp`) is answered before the end.
 */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'

const MOST_BYTES = 16 * 1024 * 1024
const MOST_MB = MOST_BYTES / (1024 * 1024)

/** For the answers that are under way when the input ends; a client waits two seconds before it kills. */
const LAST_ANSWERS_MS = 700

const NEWLINE = 10

export class LineTransport implements Transport {
  /** Once nothing more is read or written. */
  readonly closed: Promise<void>
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #arriving: (message: JSONRPCMessage) => Promise<void> | undefined
  readonly #unanswered = new Set<RequestId>()
  #line: Buffer[] = []
  #lineBytes = 0
  #isClosed = false
  #hasEnded = false
  #lastAnswers: NodeJS.Timeout | undefined
  #delivered: Promise<void> = Promise.resolve()
  #settle: () => void = () => undefined

  /** `arriving` sees each message before the server does, which waits for it. */
  constructor(input: Readable, output: Writable, arriving: (message: JSONRPCMessage) => Promise<void> | undefined) {
    this.#input = input
    this.#output = output
    this.#arriving = arriving
    this.closed = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#broke)
    this.#input.on('data', this.#take).on('end', this.#ended).on('close', this.#ended).on('error', this.#broke)
    if (this.#input.readableEnded || this.#input.destroyed) this.#ended()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return
    const written = new Promise<void>((resolve) => this.#output.write(`${JSON.stringify(message)}\n`, () => resolve()))
    if (!('method' in message) && message.id !== undefined) this.#answered(message.id)
    await written
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#lastAnswers)
    this.#input.off('data', this.#take).off('end', this.#ended).off('close', this.#ended)
    this.#input.destroy()
    this.onclose?.()
    this.#settle()
  }

  /** The other side is gone: there is nobody to tell. */
  readonly #broke = (): void => {
    this.close()
  }

  readonly #ended = (): void => {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#endLine()
    this.#lastAnswers = setTimeout(() => this.close(), LAST_ANSWERS_MS)
    this.#closeWhenAnswered()
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id)
    this.#closeWhenAnswered()
  }

  #closeWhenAnswered(): void {
    if (this.#hasEnded && this.#unanswered.size === 0) this.#delivered.then(() => this.close())
  }

  readonly #take = (chunk: Buffer): void => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#append(rest.subarray(0, end))
      this.#endLine()
      rest = rest.subarray(end + 1)
    }
    this.#append(rest)
  }

  /** Of a line that is too long only the length is kept. */
  #append(bytes: Buffer): void {
    this.#lineBytes += bytes.length
    if (this.#lineBytes <= MOST_BYTES) this.#line.push(bytes)
    else this.#line = []
  }

  #endLine(): void {
    const [parts, bytes] = [this.#line, this.#lineBytes]
    this.#line = []
    this.#lineBytes = 0
    if (bytes > MOST_BYTES) {
      this.#refuse(ProtocolErrorCode.InvalidRequest, `a message has at most ${MOST_MB} MB; this one was passed over`)
    } else if (bytes > 0) {
      this.#read(Buffer.concat(parts))
    }
  }

  #read(line: Buffer): void {
    let message: unknown
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
      if (text.trim() === '') return
      message = JSON.parse(text)
    } catch {
      this.#refuse(ProtocolErrorCode.ParseError, 'this line is not JSON in UTF-8')
      return
    }
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
      this.#deliver(message)
    else if (Array.isArray(message))
      this.#refuse(ProtocolErrorCode.InvalidRequest, 'a line holds one message, no batch')
    else this.#refuse(ProtocolErrorCode.InvalidRequest, 'this is no JSON-RPC 2.0 message', idOf(message))
  }

  #deliver(message: JSONRPCMessage): void {
    // A subscription is answered when it ends, and a cancelled call never.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id)
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) this.#unanswered.delete(cancelled)
    this.#delivered = this.#delivered
      .then(() => this.#arriving(message))
      .catch((error) => this.onerror?.(error instanceof Error ? error : new Error(String(error))))
      .then(() => {
        if (!this.#isClosed) this.onmessage?.(message)
      })
  }

  /** An id that could not be read is null, as JSON-RPC has it. */
  #refuse(code: number, message: string, id: RequestId | null = null): void {
    if (!this.#isClosed) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
}

export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

function idOf(message: unknown): RequestId | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
